"""Decoding of image files in memory."""

import io
from typing import Any

import numpy

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation
from dyad.dataset.vision._image_operation import ImageOperation, explained_by_name
from dyad.dataset.vision._pillow import pil_images

__all__ = ["Decode"]


class Decode(ImageOperation):
    """Decodes the bytes of a JPEG, PNG or BMP file to an RGB image (height, width, 3); with `to_pil`, any file that
    Pillow reads to a PIL image in RGB."""

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = _arguments.require_kind("Decode", "to_pil", to_pil, bool)
        self.implementation = Implementation.PY if to_pil else None

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "decode", {}

    def native(self):
        """The native decoder, or Pillow's."""
        if self._made is None:
            pillow = (
                _core.data.python_transform(_decode_columns, explained_by_name("Decode"))
                if self.to_pil
                else None
            )
            self._made = pillow or self.for_arrays()
        return self._made

    def __call__(self, img):
        column = self.as_column(img)
        return _decode_to_pil(column) if self.to_pil else self.native()((column,), 0)[0]

    def as_column(self, column) -> numpy.ndarray:
        """An array of one dimension, from bytes too; anything else is a TypeError."""
        if isinstance(column, bytes):
            column = numpy.frombuffer(column, numpy.uint8)
        if not isinstance(column, numpy.ndarray) or column.ndim != 1 or column.dtype.kind in "US":
            shape = f" with shape {column.shape}" if isinstance(column, numpy.ndarray) else ""
            raise TypeError(
                f"Decode: the encoded image is of type {type(column).__name__}{shape}; need bytes or an array of "
                "uint8 with one dimension"
            )
        return column


def _decode_columns(columns, key):
    if len(columns) != 1:
        raise ValueError(f"Decode: {len(columns)} columns were given; need one column")
    return (_decode_to_pil(columns[0]),)


def _decode_to_pil(column):
    data = column if isinstance(column, bytes) else numpy.asarray(column).tobytes()
    try:
        return pil_images().open(io.BytesIO(data)).convert("RGB")
    except (OSError, SyntaxError) as error:
        raise ValueError(f"Decode: image decode failed: {error}") from error
