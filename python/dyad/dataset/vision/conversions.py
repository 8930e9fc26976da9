"""Images of other libraries and other dtypes."""

from collections.abc import Callable

import numpy

from dyad.dataset._operation import Implementation, PyTensorOperation
from dyad.dataset.transforms.arrays import TypeCast
from dyad.dataset.vision._image_operation import is_pil, pil_image

__all__ = ["ToNumpy", "ToPIL", "ToType"]


class _Conversion(PyTensorOperation):
    """A conversion of one column."""

    converted: Callable

    def apply(self, columns, random) -> tuple:
        """The converted column."""
        if len(columns) != 1:
            raise ValueError(f"{type(self).__name__}: {len(columns)} columns were given; need one column")
        return (self.converted(columns[0]),)


class ToNumpy(_Conversion):
    """A PIL image as a NumPy array."""

    def converted(self, image) -> numpy.ndarray:
        """The array."""
        return numpy.array(image)


class ToPIL(_Conversion):
    """An array (height, width) or (height, width, channels) as a PIL image."""

    implementation = Implementation.PY

    def converted(self, image):
        """The PIL image."""
        if is_pil(image):
            return image
        if not isinstance(image, numpy.ndarray):
            raise TypeError(
                f"ToPIL: the image is of type {type(image).__name__}; need an array or a PIL image"
            )
        if image.ndim not in (2, 3):
            raise ValueError(f"ToPIL: the image has shape {image.shape}; need 2 or 3 dimensions")
        if image.ndim == 3 and image.shape[2] > 4:
            raise ValueError(f"ToPIL: the image has {image.shape[2]} channels; need at most 4")
        return pil_image("ToPIL", image)


class ToType(TypeCast):
    """An image with elements of another type."""
