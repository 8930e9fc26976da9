"""Parts of images."""

from collections.abc import Callable
from typing import Any

import numpy

from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation, PyTensorOperation
from dyad.dataset.vision._image_operation import ImageOperation, is_pil
from dyad.dataset.vision._pillow import pil_images
from dyad.dataset.vision.enums import Border, SliceMode

__all__ = ["CenterCrop", "Crop", "FiveCrop", "RandomCrop", "RandomCropWithBBox", "SlicePatches", "TenCrop"]


class CenterCrop(ImageOperation):
    """The middle of an image; an image that is smaller gets black pixels around it."""

    gives_pil = True

    def __init__(self, size):
        self.size = _arguments.size_pair("CenterCrop", size)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "center_crop", {"size": self.size}

    def for_pil(self, columns, key, arrays) -> tuple:
        """The middle of a PIL image; half a pixel is rounded as Pillow's users are used to."""
        if len(columns) != 1:
            raise RuntimeError(f"CenterCrop: {len(columns)} columns were given; need one column")
        height, width = self.size
        top, left = _middle(columns[0].height, height), _middle(columns[0].width, width)
        return (_cropped(columns[0], top, left, height, width),)


class Crop(ImageOperation):
    """The part of an image from `coordinates` (top, left) on."""

    def __init__(self, coordinates, size):
        corner = _arguments.sequence("Crop", "coordinates", coordinates, 2)
        corner = [_arguments.integer("Crop", f"coordinates[{i}]", value) for i, value in enumerate(corner)]
        self._attributes = {"coordinates": corner, "size": _arguments.size_pair("Crop", size)}

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "crop", self._attributes


class RandomCrop(ImageOperation):
    """Crops a random part of an image, after padding; several columns are cropped at the same position."""

    _entry, gives_pil = "random_crop", True

    def __init__(
        self, size, padding=None, pad_if_needed: bool = False, fill_value=0, padding_mode=Border.CONSTANT
    ) -> None:
        reader = type(self).__name__
        self._attributes = {
            "size": _arguments.size_pair(reader, size),
            "padding": [0] * 4 if padding is None else _arguments.paddings(reader, padding),
            "pad_if_needed": _arguments.require_kind(reader, "pad_if_needed", pad_if_needed, bool),
            "fill_value": _arguments.fill_values(reader, fill_value),
            "padding_mode": _arguments.require_kind(reader, "padding_mode", padding_mode, Border).value,
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return self._entry, self._attributes


class RandomCropWithBBox(RandomCrop):
    """Crops a random part of an image, and its bounding boxes."""

    _entry, gives_pil = "random_crop_with_boxes", False


class SlicePatches(ImageOperation):
    """Cuts an image in `num_height` times `num_width` patches, one column each."""

    def __init__(
        self,
        num_height: int = 1,
        num_width: int = 1,
        slice_mode: SliceMode = SliceMode.PAD,
        fill_value: int = 0,
    ) -> None:
        mode = _arguments.require_kind("SlicePatches", "slice_mode", slice_mode, SliceMode)
        self._attributes = {
            "num_height": _arguments.integer("SlicePatches", "num_height", num_height, 1),
            "num_width": _arguments.integer("SlicePatches", "num_width", num_width, 1),
            "drops": mode is SliceMode.DROP,
            "fill_value": _arguments.integer("SlicePatches", "fill_value", fill_value, 0, 255),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "slice_patches", self._attributes


class _Crops(PyTensorOperation):
    """Several parts of one image, each a column."""

    size: Any
    parts: Callable

    implementation = Implementation.PY

    def apply(self, columns, random):
        """The parts of the only column."""
        if len(columns) != 1:
            raise ValueError(f"{type(self).__name__}: {len(columns)} columns were given; need one image")
        return self.parts(columns[0])

    def as_column(self, column):
        """A PIL image or an array (height, width) or (height, width, channels); anything else is a TypeError."""
        if is_pil(column) or (isinstance(column, numpy.ndarray) and column.ndim in (2, 3)):
            return column
        raise TypeError(
            f"{type(self).__name__}: the input is of type {type(column).__name__}; need a PIL image"
        )

    def five(self, image) -> tuple:
        """The four corners and the middle."""
        height, width = self.size
        rows, columns = image.size[::-1] if is_pil(image) else image.shape[:2]
        if height > rows or width > columns:
            raise ValueError(
                f"{type(self).__name__}: the size to crop is ({height}, {width}); the image is ({rows}, {columns}) and "
                "too small"
            )
        bottom, right = rows - height, columns - width
        middle = (_middle(rows, height), _middle(columns, width))
        return tuple(
            _cropped(image, top, left, height, width)
            for top, left in [(0, 0), (0, right), (bottom, 0), (bottom, right), middle]
        )


class FiveCrop(_Crops):
    """The top left, top right, bottom left and bottom right corners and the middle of an image."""

    def __init__(self, size):
        self.size = _arguments.size_pair("FiveCrop", size)

    def parts(self, image) -> tuple:
        """The five images."""
        return self.five(image)


class TenCrop(_Crops):
    """The corners and the middle of an image, and those of the mirrored image."""

    def __init__(self, size, use_vertical_flip: bool = False) -> None:
        self.size = _arguments.size_pair("TenCrop", size)
        self.use_vertical_flip = _arguments.require_kind(
            "TenCrop", "use_vertical_flip", use_vertical_flip, bool
        )

    def parts(self, image) -> tuple:
        """The ten images."""
        return self.five(image) + self.five(_mirrored(image, self.use_vertical_flip))


def _middle(size, part):
    """Start of the middle part of an axis; negative if the part is larger."""
    return round((size - part) / 2)


def _cropped(image, top, left, height, width):
    if is_pil(image):
        return image.crop((left, top, left + width, top + height))
    return image[top : top + height, left : left + width].copy()


def _mirrored(image, vertically):
    if is_pil(image):
        ways = pil_images().Transpose
        return image.transpose(ways.FLIP_TOP_BOTTOM if vertically else ways.FLIP_LEFT_RIGHT)
    return image[::-1] if vertically else image[:, ::-1]
