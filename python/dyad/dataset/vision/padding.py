"""Pixels around images."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation
from dyad.dataset.vision.enums import Border

__all__ = ["Pad", "PadToSize"]


class Pad(ImageOperation):
    """Adds pixels on all sides: `padding` is one number, (left and right, top and bottom), or (left, top, right,
    bottom)."""

    gives_pil = True

    def __init__(self, padding, fill_value=0, padding_mode=Border.CONSTANT):
        self._attributes = {
            "padding": _arguments.paddings("Pad", padding),
            "fill_value": _arguments.fill_values("Pad", fill_value),
            "padding_mode": _arguments.require_kind("Pad", "padding_mode", padding_mode, Border).value,
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "pad", self._attributes


class PadToSize(ImageOperation):
    """Adds pixels until the image has this size. `offset` is how many come above and to the left; the image is in the
    middle without it."""

    def __init__(self, size, offset=None, fill_value=0, padding_mode=Border.CONSTANT):
        self._attributes = {
            "size": _arguments.size_pair("PadToSize", size),
            "offset": _offset(offset),
            "fill_value": _arguments.fill_values("PadToSize", fill_value),
            "padding_mode": _arguments.require_kind("PadToSize", "padding_mode", padding_mode, Border).value,
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "pad_to_size", self._attributes


def _offset(offset):
    if offset is None:
        return []
    if not isinstance(offset, (list, tuple)):
        return [_arguments.integer("PadToSize", "offset", offset)] * 2
    pair = _arguments.sequence("PadToSize", "offset", offset, 0, 2)
    return [_arguments.integer("PadToSize", f"offset[{i}]", value) for i, value in enumerate(pair)]
