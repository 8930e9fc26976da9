"""MATLAB files of version 5: arrays, cells, structs and sparse matrices as NumPy arrays and dicts."""

import math
import struct
import zlib

import numpy as np

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _CHAR, _SPARSE = 1, 2, 4, 5
_COMPLEX = 0x800
# Types of elements in a file, and those of arrays in a program: a file may store an array in a narrower type.
_STORED = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8", 16: "u1", 17: "u2",
}  # fmt: skip
_CLASSES = {
    6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8", 4: "u2",
}  # fmt: skip


class MatFault(ValueError):
    """A malformed file."""


def load_mat(contents):
    """The variables of a file, by name, from its bytes."""
    contents = memoryview(contents).cast("B")
    if len(contents) < _HEADER or contents[126:128] not in (b"IM", b"MI") or contents[:6] != b"MATLAB":
        raise MatFault("it is no MATLAB file of version 5")
    order = "<" if contents[126:128] == b"IM" else ">"
    try:
        return dict(_Elements(contents[_HEADER:], order).matrices())
    except (struct.error, zlib.error, UnicodeDecodeError, IndexError) as error:
        raise MatFault(f"it is truncated or damaged: {error}") from error


class _Elements:
    """A sequence of elements: a type, a size and that many bytes each, padded to eight."""

    def __init__(self, contents, order):
        self._contents = contents
        self._order = order
        self._at = 0

    def more(self):
        """Returns whether there is another element."""
        return self._at < len(self._contents)

    def take(self):
        """(type, bytes) of the next one."""
        kind, size = struct.unpack_from(f"{self._order}II", self._contents, self._at)
        begin, end = self._at + 8, self._at + 8 + size
        self._at = end if kind == _COMPRESSED else end + -size % 8
        if kind >> 16:  # a small one: its type, size and bytes are eight bytes in all
            end = begin - 4 + min(kind >> 16, 4)
            self._at, begin, kind = begin, begin - 4, kind & 0xFFFF
        if end > len(self._contents):
            raise MatFault(f"it is truncated: an element of {end - begin} bytes does not end in it")
        return kind, self._contents[begin:end]

    def matrices(self):
        """(name, value) of every matrix."""
        while self.more():
            kind, contents = self.take()
            if kind == _COMPRESSED:
                yield from _Elements(memoryview(zlib.decompress(contents)), self._order).matrices()
            elif kind == _MATRIX:
                yield _matrix(contents, self._order)

    def numbers(self):
        """The next element as an array."""
        kind, contents = self.take()
        if kind not in _STORED:
            raise MatFault(f"it has an element of type {kind} in place of numbers")
        dtype = np.dtype(self._order + _STORED[kind])
        if len(contents) % dtype.itemsize:
            raise MatFault(f"it has {len(contents)} bytes for numbers of {dtype.itemsize} bytes each")
        return np.frombuffer(contents, dtype)

    def value(self):
        """The next element, a matrix, without its name."""
        kind, contents = self.take()
        if kind != _MATRIX:
            raise MatFault(f"it has an element of type {kind} in place of a matrix")
        return _matrix(contents, self._order)[1] if len(contents) else np.empty((0, 0))


def _matrix(contents, order):
    """(name, value) of a matrix."""
    elements = _Elements(contents, order)
    flags = elements.numbers()
    kind = int(flags[0]) & 0xFF
    shape = tuple(elements.numbers().tolist())
    name = bytes(elements.take()[1]).decode("ascii")
    if not shape or min(shape) < 0 or math.prod(shape) > 1 << 40:
        raise MatFault(f"its variable {name!r} has the shape {shape}")
    if kind == _CELL:
        return name, _cells(elements, shape)
    if kind == _STRUCT:
        return name, _struct(elements, shape, name)
    if kind == _SPARSE:
        return name, _sparse(elements, shape, name)
    if kind not in _CLASSES or int(flags[0]) & _COMPLEX:
        raise MatFault(f"its variable {name!r} is of class {kind}, which is not read here")
    return name, _shaped(elements.numbers().astype(_CLASSES[kind]), shape, name)


def _shaped(values, shape, name):
    """Numbers that are stored column by column."""
    if len(values) != math.prod(shape):
        raise MatFault(f"its variable {name!r} has {len(values)} numbers for the shape {shape}")
    return values.reshape(shape, order="F")


def _cells(elements, shape):
    """The values of a cell array as a list, column by column."""
    values = []
    for _ in range(math.prod(shape)):
        values.append(elements.value())
    return values


def _struct(elements, shape, name):
    """A struct as a dict; arrays of several are not read."""
    if math.prod(shape) != 1:
        raise MatFault(f"its variable {name!r} is an array of {math.prod(shape)} structs; need one")
    width = int(elements.numbers()[0])
    names = bytes(elements.take()[1])
    if width <= 0 or len(names) % width:
        raise MatFault(f"its variable {name!r} has names of fields that do not fit")
    parts = [names[at : at + width] for at in range(0, len(names), width)]
    return {part.split(b"\0")[0].decode("ascii"): elements.value() for part in parts}


def _sparse(elements, shape, name):
    """A sparse matrix as a full one."""
    rows, ends, values = elements.numbers(), elements.numbers(), elements.numbers()
    counts = np.diff(ends.astype(np.int64))
    fits = len(shape) == 2 and len(counts) == shape[1] and (counts >= 0).all() and ends[0] == 0
    if not fits or counts.sum() > min(len(rows), len(values)) or math.prod(shape) > 1 << 28:
        raise MatFault(f"its sparse variable {name!r} does not fit the shape {shape}")
    rows = rows[: counts.sum()].astype(np.int64)
    if ((rows < 0) | (rows >= shape[0])).any():
        raise MatFault(f"its sparse variable {name!r} has rows outside of the shape {shape}")
    full = np.zeros(shape, values.dtype.newbyteorder("="))
    full[rows, np.repeat(np.arange(shape[1]), counts)] = values[: counts.sum()]
    return full
