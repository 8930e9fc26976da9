"""Parses the events that a page shows: scalars, images, histograms and strings."""

import dataclasses
import struct
from typing import Any

from dyad._src.base.protobuf.wire import MalformedMessage, fields, signed

_STRING = 7


@dataclasses.dataclass(frozen=True)
class Value:
    """A value recorded at a step. `kind` is "scalar", "image", "histogram" or "text".

    `content` is a float; a PNG file as bytes; (minimum, limits, counts); or a str.
    """

    step: int
    wall_time: float
    tag: str
    kind: str
    content: object


def values_of(event):
    """The values in the bytes of an event. MalformedMessage if they are not an event."""
    wall_time, step, summaries = 0.0, 0, []
    try:
        for field, value in fields(event):
            if field == 1:
                wall_time = _double(value)
            elif field == 2:
                step = signed(value)
            elif field == 5:
                summaries += [each for number, each in fields(value) if number == 1]
        found = [_value(step, wall_time, summary) for summary in summaries]
    except (TypeError, UnicodeDecodeError, struct.error) as error:
        raise MalformedMessage(str(error)) from None
    return [value for value in found if value is not None]


def _value(step, wall_time, message):
    tag, kind = "", ""
    content: Any = None
    for field, value in fields(message):
        if field == 1:
            tag = _text(value)
        elif field == 2:
            kind, content = "scalar", struct.unpack("<f", value)[0]
        elif field == 4:
            kind, content = "image", _picture(value)
        elif field == 5:
            kind, content = "histogram", _histogram(value)
        elif field == 8:
            kind, content = _tensor(value)
    return None if content is None else Value(step, wall_time, tag, kind, content)


def _picture(message):
    return next((bytes(value) for field, value in fields(message) if field == 4), None)


def _histogram(message):
    low, limits, counts = 0.0, (), ()
    for field, value in fields(message):
        if field == 1:
            low = _double(value)
        elif field == 6:
            limits = _doubles(value)
        elif field == 7:
            counts = _doubles(value)
    return (low, limits, counts) if len(limits) == len(counts) else None


def _tensor(message):
    """A string, or a scalar that was written as a tensor; tensors of other kinds are not shown."""
    parts = dict(fields(message))
    if parts.get(1) == _STRING and 8 in parts:
        return "text", _text(parts[8])
    shape = [value for field, value in fields(parts.get(2, b"")) if field == 2]
    if parts.get(1) == 1 and not shape:
        for field, unpacked in ((4, "<f"), (5, "<f")):
            if field in parts and len(parts[field]) == 4:
                return "scalar", struct.unpack(unpacked, parts[field])[0]
    return None, None


def _text(value):
    return bytes(value).decode()


def _double(value):
    return struct.unpack("<d", value)[0]


def _doubles(value):
    return struct.unpack(f"<{len(value) // 8}d", value)
