"""Transforms of images: native on arrays, and on PIL images through arrays or Pillow."""

import copy

import numpy

from dyad import _core
from dyad._core import Tensor
from dyad.dataset import _random_keys
from dyad.dataset._error_text import explained
from dyad.dataset._operation import TensorOperation, is_pil
from dyad.dataset.vision._pillow import pil_images

_native = _core.data


def pil_image(reader, array):
    """The PIL image of an array (height, width) or (height, width, channels)."""
    picture = array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array
    try:
        return pil_images().fromarray(numpy.ascontiguousarray(picture))
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{reader}: the image is an array of {array.dtype} with shape {array.shape}, which is not a PIL image; "
            "need uint8 with 1 to 4 channels"
        ) from error


def explained_by_name(reader):
    """A function that returns the message of an error on PIL images; a message that starts with the class is kept."""
    explain = explained(reader)
    return lambda error: str(error) if str(error).startswith(f"{reader}: ") else explain(error)


class ImageOperation(TensorOperation):
    """A transform of images.

    It runs natively on NumPy arrays and Tensors. A PIL image is converted to an array first; the result is a PIL
    image again if the class sets `gives_pil`.
    """

    gives_pil = False

    def native(self):
        """The native transform, with a way for PIL images."""
        if self._made is None:
            arrays = self.for_arrays()
            pictures = _native.python_transform(
                _Pictures(copy.copy(self), arrays), explained_by_name(type(self).__name__)
            )
            self._made = _native.make_transform("arrays_or_objects", {"transforms": [arrays, pictures]})
        return self._made

    def for_arrays(self):
        """The native transform of arrays."""
        return _native.make_transform(*self.entry())

    def for_pil(self, columns, key, arrays):
        """The result for columns with a PIL image among them; `arrays` is the native transform."""
        made = arrays(tuple(numpy.asarray(column) if is_pil(column) else column for column in columns), key)
        if not self.gives_pil:
            return made
        return tuple(
            pil_image(type(self).__name__, new) if is_pil(old) else new
            for new, old in zip(made, columns, strict=True)
        )

    def __call__(self, *columns):
        columns = tuple(self.as_column(column) for column in columns)
        key = _random_keys.next_key()
        if any(map(is_pil, columns)):
            made = self.for_pil(columns, key, self.for_arrays())
        else:
            made = _apart(self.native()(columns, key), columns)
        return made[0] if len(made) == 1 else made

    def as_column(self, column):
        """An array, a Tensor or a PIL image; anything else is a TypeError."""
        if isinstance(column, (numpy.ndarray, Tensor)) or is_pil(column):
            return column
        raise TypeError(
            f"{type(self).__name__}: the input is of type {type(column).__name__}; need a NumPy or PIL image"
        )

    def device(self, device_target="CPU"):
        """Sets the device; only the CPU is supported."""
        if not isinstance(device_target, str):
            raise TypeError(f"{type(self).__name__}: device_target is {device_target!r}; need a str")
        if device_target != "CPU":
            raise ValueError(f"{type(self).__name__}: device_target is {device_target!r}; need 'CPU'")
        return self


def _apart(made, columns):
    """Results that a caller may write to: copies of those in the memory of what was given."""
    given = [column.asnumpy() if isinstance(column, Tensor) else column for column in columns]
    return tuple(
        new.copy() if any(numpy.may_share_memory(new, old) for old in given) else new for new in made
    )


class _Pictures:
    """The call of an operation on columns with PIL images, for the pipeline; keeps no reference to the original."""

    def __init__(self, operation, arrays):
        self._operation = operation
        self._arrays = arrays

    def __call__(self, columns, key):
        return self._operation.for_pil(columns, key, self._arrays)
