"""Image files: read, written and encoded in memory."""

import os

import numpy

from dyad import _core
from dyad._core import Tensor
from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import is_pil
from dyad.dataset.vision.enums import ImageReadMode

__all__ = [
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]


def _apply(name, attributes, array):
    return _core.data.make_transform(name, attributes)((array,), 0)[0]


def _array(reader, name, value):
    if not isinstance(value, (numpy.ndarray, Tensor)):
        raise TypeError(f"{reader}: {name} is of type {type(value).__name__}; need a NumPy array or a Tensor")
    return value


def _read(reader, filename):
    _arguments.require_kind(reader, "filename", filename, str)
    if not os.path.exists(filename):
        raise RuntimeError(f"{reader}: filename is {filename!r}, which does not exist")
    if not os.path.isfile(filename):
        raise RuntimeError(f"{reader}: filename is {filename!r}, which is not a regular file")
    try:
        return numpy.fromfile(filename, numpy.uint8)
    except OSError as error:
        raise RuntimeError(f"{reader}: {filename!r} cannot be read: {error}") from error


def _write(writer, filename, data):
    _arguments.require_kind(writer, "filename", filename, str)
    try:
        with open(filename, "wb") as file:
            file.write(numpy.ascontiguousarray(data).data)
    except OSError as error:
        raise RuntimeError(f"{writer}: {filename!r} cannot be written: {error}") from error


def _checked(caller, name, value, low, high):
    """An int in [low, high]; another value is a RuntimeError, as in MindSpore."""
    _arguments.require_kind(caller, name, value, int)
    if not low <= value <= high:
        raise RuntimeError(f"{caller}: {name} is {value}; need a value in [{low}, {high}]")
    return value


def read_file(filename):
    """The bytes of a file as an array of uint8."""
    return _read("read_file", filename)


def read_image(filename, mode: ImageReadMode = ImageReadMode.UNCHANGED):
    """Reads the image (height, width, channels) of a JPEG, PNG or BMP file, with the colors of `mode`."""
    _arguments.require_kind("read_image", "mode", mode, ImageReadMode)
    data = _read("read_image", filename)
    return _apply("read_image", {"file": filename, "colors": int(mode)}, data)


def write_file(filename, data) -> None:
    """Writes an array of uint8 with one dimension to a file."""
    array = _array("write_file", "data", data)
    array = array.asnumpy() if isinstance(array, Tensor) else array
    if array.dtype != numpy.uint8 or array.ndim != 1:
        raise RuntimeError(
            f"write_file: data is an array of {array.dtype} with shape {array.shape}; need uint8 with one "
            "dimension"
        )
    _write("write_file", filename, array)


def encode_jpeg(image, quality=75):
    """The bytes of a JPEG file of an image of uint8 with one or three channels; `quality` is from 1 to 100."""
    attributes = {"quality": _checked("encode_jpeg", "quality", quality, 1, 100)}
    return _apply("encode_jpeg", attributes, _array("encode_jpeg", "image", image))


def encode_png(image, compression_level=6):
    """The bytes of a PNG file of an image of uint8 with one or three channels; `compression_level` is from 0 to 9."""
    attributes = {"compression_level": _checked("encode_png", "compression_level", compression_level, 0, 9)}
    return _apply("encode_png", attributes, _array("encode_png", "image", image))


def write_jpeg(filename: str, image, quality=75) -> None:
    """Writes an image to a JPEG file."""
    _arguments.require_kind("write_jpeg", "filename", filename, str)
    _write("write_jpeg", filename, encode_jpeg(image, quality))


def write_png(filename: str, image, compression_level=6) -> None:
    """Writes an image to a PNG file."""
    _arguments.require_kind("write_png", "filename", filename, str)
    _write("write_png", filename, encode_png(image, compression_level))


def _image_shape(caller, image):
    """The shape of an array or of a PIL image with its channels last."""
    if is_pil(image):
        return (image.height, image.width, len(image.getbands()))
    if not isinstance(image, numpy.ndarray):
        raise TypeError(
            f"{caller}: image is of type {type(image).__name__}; need a NumPy array or a PIL image"
        )
    if image.ndim < 2:
        raise RuntimeError(f"{caller}: image has shape {image.shape}; need at least 2 dimensions")
    return image.shape if image.ndim > 2 else (*image.shape, 1)


def get_image_size(image) -> list:
    """[height, width] of an array (..., height, width, channels) or (height, width), or of a PIL image."""
    return list(_image_shape("get_image_size", image)[-3:-1])


def get_image_num_channels(image):
    """Number of channels of an array (..., height, width, channels) or (height, width), or of a PIL image."""
    return _image_shape("get_image_num_channels", image)[-1]
