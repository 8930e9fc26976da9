"""Images as PNG files."""

import struct
import zlib

from dyad._src.base import lazy_numpy as numpy

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2}  # channels -> gray or RGB
_PER_ROW = 8


def encode(picture):
    """The PNG file of a uint8 array [height, width, 1 or 3]."""
    height, width, channels = picture.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    rows = numpy.zeros((height, 1 + width * channels), numpy.uint8)  # each starts with its filter: none
    rows[:, 1:] = picture.reshape(height, -1)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def grid(batch):
    """Images [count, channels, height, width] in a grid, eight in a row, as one array [height, width, channels].

    uint8 elements are kept; others are mapped from 0..1, or from their minimum to their maximum, to 0..255.
    """
    count, channels, height, width = batch.shape
    columns = min(count, _PER_ROW)
    rows = -(-count // columns)
    canvas = numpy.zeros((rows * columns, channels, height, width), numpy.uint8)
    canvas[:count] = _as_bytes(batch)
    shown = canvas.reshape(rows, columns, channels, height, width).transpose(0, 3, 1, 4, 2)
    return shown.reshape(rows * height, columns * width, channels)


def _as_bytes(batch):
    if batch.dtype == numpy.uint8:
        return batch
    values = numpy.nan_to_num(batch.astype(numpy.float64), posinf=0.0, neginf=0.0)
    low, high = values.min(), values.max()
    if low < 0 or high > 1:
        values = (values - low) / ((high - low) or 1)
    return numpy.round(values * 255).astype(numpy.uint8)
