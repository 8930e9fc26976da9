"""Images in another size."""

from typing import Any

import numpy

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation, is_pil
from dyad.dataset.vision.enums import Inter

__all__ = [
    "RandomCropDecodeResize",
    "RandomResize",
    "RandomResizeWithBBox",
    "RandomResizedCrop",
    "RandomResizedCropWithBBox",
    "Resize",
    "ResizeWithBBox",
    "ResizedCrop",
]

_PILLOW_FILTERS = {Inter.NEAREST: 0, Inter.ANTIALIAS: 1, Inter.BILINEAR: 2, Inter.BICUBIC: 3}


class Resize(ImageOperation):
    """An image in another size: (height, width), or an int for the shorter side with the aspect kept. PIL images are
    resized by Pillow."""

    gives_pil = True

    def __init__(self, size, interpolation=Inter.LINEAR):
        self.size = _arguments.size_pair("Resize", size, square=False)
        self.interpolation = _arguments.require_kind("Resize", "interpolation", interpolation, Inter)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "resize", {"size": self.size, "interpolation": int(self.interpolation)}

    def for_pil(self, columns, key, arrays) -> tuple:
        """The resized PIL image."""
        _require_one("Resize", columns)
        return (
            _resized_by_pillow("Resize", columns[0], _size_of(columns[0], self.size), self.interpolation),
        )


class RandomResize(ImageOperation):
    """An image in another size, with an interpolation that is chosen at random."""

    _entry = "random_resize"

    def __init__(self, size):
        self.size = _arguments.size_pair(type(self).__name__, size, square=False)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return self._entry, {"size": self.size}


class RandomResizeWithBBox(RandomResize):
    """An image and its bounding boxes in another size, with an interpolation that is chosen at random."""

    _entry = "random_resize_with_boxes"


class ResizeWithBBox(ImageOperation):
    """An image and its bounding boxes in another size."""

    def __init__(self, size, interpolation=Inter.LINEAR):
        self.size = _arguments.size_pair("ResizeWithBBox", size, square=False)
        self.interpolation = _arguments.require_kind("ResizeWithBBox", "interpolation", interpolation, Inter)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "resize_with_boxes", {"size": self.size, "interpolation": int(self.interpolation)}


class ResizedCrop(ImageOperation):
    """A part of an image in another size; an int is a square."""

    def __init__(
        self, top: int, left: int, height: int, width: int, size, interpolation=Inter.BILINEAR
    ) -> None:
        self._attributes = {
            "window": [
                _arguments.integer("ResizedCrop", "top", top),
                _arguments.integer("ResizedCrop", "left", left),
                _arguments.integer("ResizedCrop", "height", height, 1),
                _arguments.integer("ResizedCrop", "width", width, 1),
            ],
            "size": _arguments.size_pair("ResizedCrop", size),
            "interpolation": int(
                _arguments.require_kind("ResizedCrop", "interpolation", interpolation, Inter)
            ),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "resized_crop", self._attributes


class _RandomResizedCrop(ImageOperation):
    """Crops a part of random area, aspect ratio and position, and resizes it."""

    _entry: str

    def __init__(
        self,
        size,
        scale=(0.08, 1.0),
        ratio=(3.0 / 4.0, 4.0 / 3.0),
        interpolation=Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:
        reader = type(self).__name__
        self.interpolation = _arguments.require_kind(reader, "interpolation", interpolation, Inter)
        self._attributes = {
            "size": _arguments.size_pair(reader, size),
            "scale": _arguments.ascending_pair(reader, "scale", scale),
            "ratio": _positive_pair(reader, "ratio", ratio),
            "interpolation": int(self.interpolation),
            "max_attempts": _arguments.integer(reader, "max_attempts", max_attempts, 1),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return self._entry, self._attributes


class RandomResizedCrop(_RandomResizedCrop):
    """Crops a random part of an image and resizes it: its area is within `scale` times that of the image, width to
    height within `ratio`. Several columns are cropped at the same position; PIL images are resized by Pillow.
    """

    _entry, gives_pil = "random_resized_crop", True

    def for_pil(self, columns, key, arrays) -> tuple:
        """The resized parts of PIL images; arrays among them are treated as arrays."""
        window = _core.data.make_transform("random_window", self._attributes)
        return tuple(
            self._of_picture(column, window, key) if is_pil(column) else arrays((column,), key)[0]
            for column in columns
        )

    def _of_picture(self, picture, window, key):
        shape = numpy.array([picture.height, picture.width], numpy.int64)
        top, left, height, width = window((shape,), key)[0].tolist()
        part = picture.crop((left, top, left + width, top + height))
        return _resized_by_pillow("RandomResizedCrop", part, self._attributes["size"], self.interpolation)


class RandomResizedCropWithBBox(_RandomResizedCrop):
    """A random part of an image in another size, with the bounding boxes that are in it."""

    _entry = "random_resized_crop_with_boxes"


class RandomCropDecodeResize(_RandomResizedCrop):
    """`RandomResizedCrop` of the bytes of an image file: of a JPEG only the part that is used is decoded."""

    _entry = "random_crop_decode_resize"

    def as_column(self, column) -> numpy.ndarray:
        """The bytes of a file; anything else is a TypeError."""
        if isinstance(column, bytes):
            column = numpy.frombuffer(column, numpy.uint8)
        if isinstance(column, numpy.ndarray) and column.dtype == numpy.uint8 and column.ndim == 1:
            return column
        raise TypeError(
            f"RandomCropDecodeResize: the input is of type {type(column).__name__}; need an encoded image, an "
            "array of uint8 with one dimension"
        )


def _positive_pair(reader, name, value):
    pair = _arguments.ascending_pair(reader, name, value)
    if pair[0] == 0:
        raise ValueError(f"{reader}: {name} is {value!r}; need both above 0")
    return pair


def _require_one(reader, columns):
    if len(columns) != 1:
        raise RuntimeError(f"{reader}: {len(columns)} columns were given; need one column")


def _size_of(picture, size):
    if len(size) == 2:
        return size
    if picture.height < picture.width:
        return [size[0], max(int(size[0] * picture.width / picture.height), 1)]
    return [max(int(size[0] * picture.height / picture.width), 1), size[0]]


def _resized_by_pillow(reader, picture, size, interpolation):
    if interpolation not in _PILLOW_FILTERS:
        raise TypeError(
            f"{reader}: interpolation is {interpolation!r}, which PIL images are not resized with"
        )
    return picture.resize((size[1], size[0]), _PILLOW_FILTERS[interpolation])
