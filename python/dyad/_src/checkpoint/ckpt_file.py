"""The `.ckpt` layout: Protocol Buffers messages, one after another.

    Checkpoint { repeated Entry value = 1 }
    Entry      { string tag = 1; TensorProto tensor = 2 }
    TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3 }

A large tensor is split over several entries with one tag, in order, each with the full dims. A string has the type
"str", dims [0] and UTF-32 content. With a checksum the file ends in `crc_num` and ten bytes of CRC-32.

A file of the output of `Print` operators has the same tensors:

    Print { repeated Value value = 1 }
    Value { string desc = 1 or TensorProto tensor = 2 }
"""

import io
import os
import zlib

from dyad import _core
from dyad._src.base.error_owner import warn_user
from dyad._src.base.host_only import host_only
from dyad._src.base.protobuf import wire

_CHUNK_BYTES = 512 * 2**20
_CHECKSUM_MARK = b"crc_num"
_CHECKSUM_BYTES = 10
_TAIL_BYTES = len(_CHECKSUM_MARK) + _CHECKSUM_BYTES
_LONGEST_HEAD = 20  # a key and a length, of ten bytes at most
_PIECE_BYTES = 2**20
_MOST_DIMENSIONS = 64
_MOST_BYTES = 2**63 - 1
TYPES_IN_FILES = {str(dtype): dtype for dtype in vars(_core).values() if isinstance(dtype, _core.DType)}

# A checkpoint is a message: every reader reports malformed bytes in the same way.
CorruptFile = wire.MalformedMessage
NO_CHECKSUM = "load_checkpoint: the file has no checksum to check; it is written with crc_check=True"


def require_size(name, dtype, shape, available):
    """Checks that the shape is possible for a tensor, and that its size is exactly the number of available bytes."""
    if len(shape) > _MOST_DIMENSIONS:
        raise CorruptFile(f"{name} has {len(shape)} dimensions; a tensor has at most {_MOST_DIMENSIONS}")
    size = extent = dtype.itemsize
    for length in shape:
        size *= length
        extent *= max(length, 1)
        if not 0 <= length <= extent <= _MOST_BYTES:
            raise CorruptFile(f"{name} has the shape {shape}, which no memory holds")
    if size != available:
        raise CorruptFile(f"{name} of shape {shape} needs {size} bytes, there are {available}")


def encode(entries, with_checksum=False):
    """Pieces of the file, in order, for (name, Tensor or str) pairs."""
    checksum = 0
    for name, value in entries:
        for piece in _pieces(name, value):
            if with_checksum:
                checksum = zlib.crc32(piece, checksum)
            yield piece
    if with_checksum:
        yield _CHECKSUM_MARK + checksum.to_bytes(_CHECKSUM_BYTES, "big")


def _pieces(name, value):
    if isinstance(value, str):
        dims, kind, content = (0,), "str", value.encode("utf-32-le")
    else:
        dims, kind, content = value.shape, str(value.dtype), _core.to_bytes(value)
    head = b"".join(wire.number_field(1, size) for size in dims) + wire.bytes_field(2, kind.encode())
    tag, view = wire.bytes_field(1, name.encode()), memoryview(content)
    for start in range(0, max(len(view), 1), _CHUNK_BYTES):
        chunk = view[start : start + _CHUNK_BYTES]
        tensor = head + wire.bytes_head(3, len(chunk))
        entry = tag + wire.bytes_head(2, len(tensor) + len(chunk)) + tensor
        yield wire.bytes_head(1, len(entry) + len(chunk)) + entry
        yield chunk


def decode(file, check=False, wanted=None):
    """{name: Tensor or str} from a file object; with `check` a matching checksum is required.

    `wanted(name)` is called once for every name.
    """
    parts: dict = {}
    refused = set()
    for field, entry in _messages(file, _end_of_messages(file, check)):
        if field != 1:
            continue
        name, tensor = _named(wire.as_bytes(entry))
        if name not in parts and name not in refused and wanted is not None and not wanted(name):
            refused.add(name)
        if name not in refused:
            dims, kind, content = described(tensor)
            parts.setdefault(name, (dims, kind, []))[2].append(content)
    return {name: _value(name, parts.pop(name)) for name in list(parts)}


def raw_entries(file, check=False):
    """(name, dims, type, content) of every entry; a large tensor has several of the same name."""
    for field, entry in _messages(file, _end_of_messages(file, check)):
        if field == 1:
            name, tensor = _named(wire.as_bytes(entry))
            yield name, *described(tensor)


def has_checksum(file):
    """Returns whether the file ends with a checksum."""
    return _stored_checksum(file)[0] is not None


def _stored_checksum(file):
    """The checksum at the end of the file, or None, and the size of the content before it."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(size - _TAIL_BYTES, 0))
    tail = file.read(_TAIL_BYTES)
    if tail[:-_CHECKSUM_BYTES] != _CHECKSUM_MARK:
        return None, size
    return int.from_bytes(tail[-_CHECKSUM_BYTES:], "big"), size - _TAIL_BYTES


def _end_of_messages(file, check):
    stored, end = _stored_checksum(file)
    if check and stored is None:
        warn_user(NO_CHECKSUM)
    elif check and (found := _checksum(file, end)) != stored:
        raise CorruptFile(f"the checksum of the contents is {found}, the file says {stored}")
    return end


def _checksum(file, size):
    file.seek(0)
    checksum = 0
    while size > 0:
        piece = file.read(min(size, _PIECE_BYTES))
        if not piece:
            raise CorruptFile("the file ends while it is read")
        checksum, size = zlib.crc32(piece, checksum), size - len(piece)
    return checksum


def _messages(file, end):
    """The outermost fields, read one at a time: memory use is limited by the size of the file."""
    position = 0
    while position < end:
        file.seek(position)
        head = memoryview(file.read(min(_LONGEST_HEAD, end - position)))
        key, used = wire.read_varint(head, 0)
        if key & 7 != wire.BYTES:
            raise CorruptFile(f"no entry begins at byte {position}")
        size, used = wire.read_varint(head, used)
        position += used
        if size > end - position:
            raise CorruptFile("the file ends in the middle of an entry")
        file.seek(position)
        content = file.read(size)
        if len(content) != size:
            raise CorruptFile("the file ends while it is read")
        position += size
        yield key >> 3, memoryview(content)


def _named(entry):
    """The name of an entry and its tensor, a message."""
    name = tensor = None
    for field, content in wire.fields(entry):
        if field == 1:
            name = wire.as_text(content)
        elif field == 2:
            tensor = wire.as_bytes(content)
        elif field == 3:
            raise CorruptFile(
                f"{name} is a MapParameter, and tables that grow are not part of this framework"
            )
    if name is None or tensor is None:
        raise CorruptFile("an entry has no name or no tensor")
    return name, tensor


def _value(name, parts):
    dims, kind, pieces = parts
    return tensor_or_text(name, dims, kind, _joined(pieces))


def described(tensor):
    """Dims, type and content of a TensorProto."""
    dims, kind, pieces = [], "", []
    for field, content in wire.fields(tensor):
        if field == 1:
            dims += wire.as_numbers(content)
        elif field == 2:
            kind = wire.as_text(content)
        elif field == 3:
            pieces.append(wire.as_bytes(content))
    return tuple(dims), kind, _joined(pieces)


def _joined(pieces):
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def tensor_or_text(name, dims, kind, content):
    """The value of the three fields of a TensorProto."""
    if kind == "str":
        try:
            return str(content, "utf-32-le")
        except UnicodeDecodeError as error:
            raise CorruptFile(f"the text of {name} is not UTF-32: {error.reason}") from None
    dtype = TYPES_IN_FILES.get(kind)
    if dtype is None:
        raise CorruptFile(f"{name} has the unknown type {kind!r}")
    if dims == (0,) and len(content) == dtype.itemsize:
        dims = ()
    require_size(name, dtype, dims, len(content))
    return _core.from_bytes(content, dtype, dims)


@host_only
def parse_print(print_file_name):
    """The strings and Tensors of a file of the output of `Print` operators, in order.

    ValueError if it is missing, empty or malformed.
    """
    if not isinstance(print_file_name, str):
        raise TypeError(
            f"parse_print: print_file_name is of type {type(print_file_name).__name__}; need a str"
        )
    if not os.path.isfile(print_file_name) or os.path.getsize(print_file_name) == 0:
        raise ValueError(f"parse_print: there is no file {print_file_name!r}, or it is empty")
    with open(print_file_name, "rb") as file:
        content = memoryview(file.read())
    try:
        messages = [wire.as_bytes(message) for field, message in wire.fields(content) if field == 1]
        return [_printed_value(*each) for message in messages for each in wire.fields(message)]
    except CorruptFile as error:
        raise ValueError(f"parse_print: {print_file_name} is not a file of prints: {error}") from None


def _printed_value(field, content):
    if field == 1:
        return wire.as_text(content)
    return tensor_or_text("a value", *described(wire.as_bytes(content)))
