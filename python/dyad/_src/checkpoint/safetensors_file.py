"""The safetensors layout: an 8-byte header size, a JSON header with offsets, then the raw tensors.

Strings are stored in the header's metadata, as are the framework that wrote the file and, optionally, a checksum: the
CRC-32 of names and tensors in the order of the names.
"""

import io
import json
import zlib

from dyad import _core
from dyad._src.base.argument_checks import a_value
from dyad._src.base.error_owner import warn_user
from dyad._src.checkpoint.ckpt_file import NO_CHECKSUM, CorruptFile, require_size

_NAMES = {
    "bool_": "BOOL",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C64",
}
_DTYPES = {short: getattr(_core, name) for name, short in _NAMES.items()}
_MOST_HEADER_BYTES = 100_000_000  # as the format's own reader has it
_TEXT = "text:"
_CHECKSUM = "crc_num"


def encode(entries, with_checksum=False, remove_redundancy=None):
    """Pieces of the file, in order, for (name, Tensor or str) pairs."""
    entries = dict(entries)
    tensors = {name: value for name, value in entries.items() if not isinstance(value, str)}
    metadata = {"format": "ms"}
    if remove_redundancy is not None:
        metadata["remove_redundancy"] = str(remove_redundancy)
    metadata |= {_TEXT + name: value for name, value in entries.items() if isinstance(value, str)}
    if with_checksum:
        metadata[_CHECKSUM] = str(
            _checksum((name, _core.to_bytes(tensors[name])) for name in sorted(tensors))
        )
    text = json.dumps({"__metadata__": metadata} | _table(tensors), separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for value in tensors.values():
        yield _core.to_bytes(value)


def _table(tensors):
    table, offset = {}, 0
    for name, value in tensors.items():
        if value.dtype.name not in _NAMES:
            raise TypeError(f"save_checkpoint: {name} is {value.dtype}, which safetensors has no name for")
        stop = offset + value.nbytes
        table[name] = {
            "dtype": _NAMES[value.dtype.name],
            "shape": list(value.shape),
            "data_offsets": [offset, stop],
        }
        offset = stop
    return table


def _checksum(contents):
    checksum = 0
    for name, content in contents:
        checksum = zlib.crc32(content, zlib.crc32(name.encode(), checksum))
    return checksum


def decode(file, check=False, wanted=None):
    """{name: Tensor or str} from a file object; with `check` a matching checksum is required.

    `wanted(name)` is called once for every name.
    """
    table, start, size = _read_header(file)
    metadata = table.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(
        _is_text(text) for pair in metadata.items() for text in pair
    ):
        raise CorruptFile("__metadata__ is not a dict of texts")
    places = {name: _place(name, entry, metadata) for name, entry in table.items()}
    _require_no_holes(places, size)
    if check:
        _require_checksum(file, start, places, metadata)
    contents = {}
    for name, (dtype, shape, begin, end) in places.items():
        if wanted is None or wanted(name):
            contents[name] = _core.from_bytes(_read(file, start + begin, end - begin), dtype, shape)
    texts = {name.removeprefix(_TEXT): text for name, text in metadata.items() if name.startswith(_TEXT)}
    return contents | {name: text for name, text in texts.items() if wanted is None or wanted(name)}


def _read(file, position, size):
    file.seek(position)
    content = file.read(size)
    if len(content) != size:
        raise CorruptFile("the file ends while it is read")
    return content


def _read_header(file):
    """The table of tensors, their start and their number of bytes."""
    whole = file.seek(0, io.SEEK_END)
    if whole < 8:
        raise CorruptFile("it has no header")
    size = int.from_bytes(_read(file, 0, 8), "little")
    if size > min(whole - 8, _MOST_HEADER_BYTES):
        raise CorruptFile(f"its header of {size} bytes is longer than the file, or than a header may be")
    try:
        table = json.loads(_read(file, 8, size), object_pairs_hook=_without_repeats)
    except CorruptFile:
        raise
    except (ValueError, RecursionError) as error:
        raise CorruptFile(f"the header is no JSON: {error}") from None
    if not isinstance(table, dict):
        raise CorruptFile(f"the header is {a_value(table)}, not a dict of tensors")
    return table, 8 + size, whole - 8 - size


def _without_repeats(pairs):
    table = dict(pairs)
    if len(table) != len(pairs):
        raise CorruptFile("a name stands twice in the header")
    return table


def _is_text(text):
    """A str without lone surrogates, which JSON allows."""
    return isinstance(text, str) and not any("\ud800" <= character <= "\udfff" for character in text)


def _are_sizes(numbers):
    return isinstance(numbers, list) and all(type(number) is int and number >= 0 for number in numbers)


def _place(name, entry, metadata):
    """dtype, shape and the two offsets of one tensor."""
    if not _is_text(name):
        raise CorruptFile(f"the name {name!r} is no text")
    if name in metadata:
        raise CorruptFile(f"{name} is {metadata[name]}, a type that this framework does not have")
    described = isinstance(entry, dict) and isinstance(entry.get("dtype"), str) and entry["dtype"] in _DTYPES
    if described:
        shape, offsets = entry.get("shape"), entry.get("data_offsets")
        described = _are_sizes(shape) and _are_sizes(offsets) and len(offsets) == 2
    if not described:
        raise CorruptFile(f"{name} is not described by a known dtype, a shape and two offsets")
    dtype, shape, (begin, end) = _DTYPES[entry["dtype"]], tuple(shape), offsets
    require_size(name, dtype, shape, end - begin)
    return dtype, shape, begin, end


def _require_no_holes(places, size):
    """Every byte belongs to one tensor."""
    reached = 0
    for name, (_, _, begin, end) in sorted(places.items(), key=lambda item: item[1][2:]):
        if begin != reached:
            raise CorruptFile(f"{name} begins at byte {begin} of the tensors; need {reached}")
        reached = end
    if reached != size:
        raise CorruptFile(f"its tensors take up {reached} bytes, there are {size}")


def _require_checksum(file, start, places, metadata):
    if _CHECKSUM not in metadata:
        warn_user(NO_CHECKSUM)
        return
    ordered = ((name, places[name]) for name in sorted(places))
    found = _checksum((name, _read(file, start + begin, end - begin)) for name, (_, _, begin, end) in ordered)
    if str(found) != metadata[_CHECKSUM]:
        raise CorruptFile(f"the checksum of the contents is {found}, the file says {metadata[_CHECKSUM]!r}")
