"""The `.ckpt` layout: Protocol Buffers messages, written and read without a code generator.

    Checkpoint { repeated Entry value = 1 }
    Entry      { string tag = 1; TensorProto tensor = 2 }
    TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3 }

A large tensor is split over several entries with one tag, in order, each with the full dims. A string has the type
"str", dims [0] and UTF-32 content. With a checksum the file ends in `crc_num` and ten bytes of CRC-32.
"""

import zlib

from dyad import _core

_CHUNK_BYTES = 512 * 2**20
_CHECKSUM_MARK = b"crc_num"
_CHECKSUM_BYTES = 10
_BY_TITLE = {str(dtype): dtype for dtype in vars(_core).values() if isinstance(dtype, _core.DType)}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class CorruptFile(ValueError):
    """The bytes are not a checkpoint."""


def encode(entries, with_checksum):
    """Pieces of the file, in order, for (name, Tensor or str) pairs."""
    checksum = 0
    for name, value in entries:
        for message in _messages(name, value):
            checksum = zlib.crc32(message, checksum)
            yield message
    if with_checksum:
        yield _CHECKSUM_MARK + checksum.to_bytes(_CHECKSUM_BYTES, "big")


def _messages(name, value):
    if isinstance(value, str):
        dims, kind, content = (0,), "str", value.encode("utf-32-le")
    else:
        dims, kind, content = value.shape, str(value.dtype), _core.to_bytes(value)
    head = b"".join(_tagged_varint(1, size) for size in dims) + _tagged_bytes(2, kind.encode())
    for start in range(0, max(len(content), 1), _CHUNK_BYTES):
        tensor = head + _tagged_bytes(3, content[start : start + _CHUNK_BYTES])
        yield _tagged_bytes(1, _tagged_bytes(1, name.encode()) + _tagged_bytes(2, tensor))


def _varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _tagged_varint(field, number):
    return bytes([field << 3 | _VARINT]) + _varint(number)


def _tagged_bytes(field, content):
    return bytes([field << 3 | _BYTES]) + _varint(len(content)) + content


def decode(data, check):
    """{name: Tensor or str} from the bytes of a file; with `check` there must be a checksum that agrees."""
    data = _without_checksum(memoryview(data), check)
    parts = {}
    for field, entry in _fields(data):
        if field == 1:
            name, shape, kind, content = _read_entry(entry)
            parts.setdefault(name, (shape, kind, []))[2].append(content)
    return {
        name: _value(name, shape, kind, b"".join(pieces)) for name, (shape, kind, pieces) in parts.items()
    }


def _without_checksum(data, check):
    tail = len(_CHECKSUM_MARK) + _CHECKSUM_BYTES
    if bytes(data[-tail:-_CHECKSUM_BYTES]) != _CHECKSUM_MARK:
        if check:
            raise CorruptFile("it has no checksum to check; save it with crc_check=True")
        return data
    stored = int.from_bytes(data[-_CHECKSUM_BYTES:], "big")
    data = data[:-tail]
    if check and zlib.crc32(data) != stored:
        raise CorruptFile(f"the checksum of the contents is {zlib.crc32(data)}, the file says {stored}")
    return data


def _fields(data):
    """(field number, content) of one message: an int for numbers, a memoryview for bytes."""
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        kind = key & 7
        if kind == _VARINT:
            content, position = _read_varint(data, position)
        elif kind in (_BYTES, _FIXED32, _FIXED64):
            size = {_FIXED32: 4, _FIXED64: 8}.get(kind)
            if size is None:
                size, position = _read_varint(data, position)
            if position + size > len(data):
                raise CorruptFile("the file ends in the middle of an entry")
            content, position = data[position : position + size], position + size
        else:
            raise CorruptFile(f"unknown wire type {kind} at byte {position}")
        yield key >> 3, content


def _read_varint(data, position):
    number = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            break
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise CorruptFile(f"no number ends near byte {position}")


def _read_entry(entry):
    name = tensor = None
    for field, content in _fields(_as_bytes(entry)):
        if field == 1:
            name = str(_as_bytes(content), "utf-8")
        elif field == 2:
            tensor = _as_bytes(content)
    if name is None or tensor is None:
        raise CorruptFile("an entry has no name or no tensor")
    shape, kind, pieces = [], "", []
    for field, content in _fields(tensor):
        if field == 1:
            shape += [content] if isinstance(content, int) else _packed(content)
        elif field == 2:
            kind = str(_as_bytes(content), "utf-8")
        elif field == 3:
            pieces.append(_as_bytes(content))
    return name, tuple(shape), kind, b"".join(pieces)


def _as_bytes(content):
    if isinstance(content, int):
        raise CorruptFile("a number stands where bytes are expected")
    return content


def _packed(content):
    numbers, position = [], 0
    while position < len(content):
        number, position = _read_varint(content, position)
        numbers.append(number)
    return numbers


def _value(name, shape, kind, content):
    if kind == "str":
        return str(content, "utf-32-le")
    if kind not in _BY_TITLE:
        raise CorruptFile(f"{name} has the unknown type {kind!r}")
    dtype = _BY_TITLE[kind]
    if shape == (0,) and len(content) == dtype.itemsize:
        shape = ()
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    if size != len(content):
        raise CorruptFile(f"{name} of shape {shape} needs {size} bytes, there are {len(content)}")
    return _core.from_bytes(bytes(content), dtype, shape)
