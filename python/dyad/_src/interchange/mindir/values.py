"""Values in `.mindir` files: attributes and tensors as Python values."""

import math
import os

from dyad import _core
from dyad._src.interchange.mindir import dtypes
from dyad._src.interchange.mindir.messages import AttributeType, MalformedGraph

_INTS = {
    AttributeType.INT8,
    AttributeType.INT16,
    AttributeType.INT32,
    AttributeType.INT64,
    AttributeType.UINT8,
    AttributeType.UINT16,
    AttributeType.UINT32,
    AttributeType.UINT64,
}
_MONADS = (AttributeType.UMONAD, AttributeType.IOMONAD)


def is_monad(attribute):
    """Returns whether the attribute is a token that orders effects, or the type of one."""
    return attribute is not None and attribute.type in _MONADS


class ValueReader:
    """Reads values; tensors may have their bytes in files of the directory that the graph is in."""

    def __init__(self, folder, read_file):
        self._folder, self._read_file = folder, read_file
        self._files = {}

    def value(self, attribute):
        """The Python value of an attribute."""
        kind = attribute.type
        if kind in _INTS:
            return _scalar(attribute, attribute.i, attribute.ints)
        if kind == AttributeType.BOOL:
            return bool(_scalar(attribute, attribute.i, attribute.ints))
        if kind in (AttributeType.FLOAT, AttributeType.FLOAT16, AttributeType.BFLOAT16):
            return _scalar(attribute, attribute.f, attribute.floats)
        if kind == AttributeType.DOUBLE:
            return _scalar(attribute, attribute.d, attribute.doubles)
        if kind == AttributeType.STRING:
            return _text(_scalar(attribute, attribute.s, attribute.strings))
        if kind in (AttributeType.NONE, AttributeType.TYPE_NULL, *_MONADS):
            return None
        if kind == AttributeType.TENSOR and attribute.t is not None:
            return self.tensor_or_dtype(attribute.t)
        if kind == AttributeType.TENSORS and len(attribute.tensors) == 1:
            return self.tensor_or_dtype(attribute.tensors[0])
        return self._structure(attribute)

    def _structure(self, attribute):
        kind = attribute.type
        if kind == AttributeType.TUPLE:
            return tuple(map(self.value, attribute.values))
        if kind == AttributeType.LIST:
            return list(map(self.value, attribute.values))
        if kind == AttributeType.DICT:
            return {entry.name: self._entry(entry) for entry in attribute.values}
        raise MalformedGraph(f"{_called(attribute)} is of a kind that is not known here: {_kind_text(kind)}")

    def _entry(self, entry):
        if entry.name is None or len(entry.values) != 1:
            raise MalformedGraph("an entry of a dict has no key, or not one value")
        return self.value(entry.values[0])

    def tensor_or_dtype(self, record):
        """The Tensor that is written down; the dtype, if only that is."""
        if record.raw_data is None and record.external_data is None:
            return _dtype_of(record)
        return self.tensor(record)

    def tensor(self, record):
        """The Tensor with the bytes of a record."""
        dtype, shape = _dtype_of(record), tuple(record.dims)
        if record.compression_type:
            raise MalformedGraph(f"tensor {record.name} is compressed, which is not supported")
        if any(size < 0 for size in shape):
            raise MalformedGraph(f"tensor {record.name} has the shape {shape}")
        content = self._bytes(record)
        size = math.prod(shape) * dtype.itemsize
        if size != len(content):
            raise MalformedGraph(
                f"tensor {record.name} of shape {shape} and dtype {dtype} needs {size} bytes; there are {len(content)}"
            )
        return _core.from_bytes(bytes(content), dtype, shape)

    def _bytes(self, record):
        place = record.external_data
        if place is None and record.raw_data is None:
            raise MalformedGraph(f"tensor {record.name} has no bytes")
        if place is None:
            return record.raw_data
        data = self._file(place.location or "")
        start, length = place.offset or 0, place.length or 0
        if start < 0 or length < 0 or start + length > len(data):
            raise MalformedGraph(
                f"tensor {record.name} is said to be {length} bytes from {start} on in {place.location}, "
                f"which has {len(data)}"
            )
        return data[start : start + length]

    def _file(self, location):
        if location not in self._files:
            path = os.path.realpath(os.path.join(self._folder, location))
            if os.path.commonpath([path, os.path.realpath(self._folder)]) != os.path.realpath(self._folder):
                raise MalformedGraph(
                    f"data is said to be in {location!r}, outside of the folder of the graph"
                )
            try:
                self._files[location] = memoryview(self._read_file(path))
            except OSError as error:
                raise MalformedGraph(f"data is said to be in {location!r}: {error.strerror}") from None
        return self._files[location]


def dtype_and_shape(record):
    """The dtype of a tensor type, and its sizes with None for unknown ones."""
    return _dtype_of(record), tuple(None if size < 0 else size for size in record.dims)


def _dtype_of(record):
    dtype = dtypes.tensor_dtype(record.data_type)
    if dtype is None:
        raise MalformedGraph(f"tensor {record.name} has the unknown data type {record.data_type}")
    return dtype


def _scalar(attribute, one, many):
    if one is None and len(many) != 1:
        raise MalformedGraph(f"{_called(attribute)} has no value")
    return many[0] if one is None else one


def _text(content):
    try:
        return str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise MalformedGraph(f"a text is not UTF-8: {error.reason}") from None


def _called(attribute):
    return f"the attribute {attribute.name}" if attribute.name else "an attribute"


def _kind_text(kind):
    try:
        return AttributeType(kind).name
    except ValueError:
        return str(kind)
