"""The safetensors layout: an 8-byte header size, a JSON header with offsets, then the raw tensors."""

import json

from dyad import _core
from dyad._src.argument_checks import a_value
from dyad._src.checkpoint.ckpt_file import CorruptFile

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
}
_DTYPES = {short: getattr(_core, name) for name, short in _NAMES.items()}


def encode(entries):
    """Pieces of the file; strings go into the header's metadata."""
    header, metadata, contents, offset = {}, {}, [], 0
    for name, value in entries:
        if isinstance(value, str):
            metadata[name] = value
            continue
        if value.dtype.name not in _NAMES:
            raise TypeError(f"save_checkpoint: {name} is {value.dtype}, which safetensors has no name for")
        content = _core.to_bytes(value)
        header[name] = {
            "dtype": _NAMES[value.dtype.name],
            "shape": list(value.shape),
            "data_offsets": [offset, offset + len(content)],
        }
        offset += len(content)
        contents.append(content)
    if metadata:
        header["__metadata__"] = metadata
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    yield from contents


def decode(data):
    """{name: Tensor or str} from the bytes of a file."""
    data = memoryview(data)
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise CorruptFile("the header is longer than the file")
    try:
        header = json.loads(bytes(data[8 : 8 + size]))
    except (ValueError, RecursionError) as error:
        raise CorruptFile(f"the header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise CorruptFile(f"the header is {a_value(header)}, not a dict of tensors")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise CorruptFile("__metadata__ is not a dict of texts")
    result = dict(metadata)
    body = data[8 + size :]
    for name, entry in header.items():
        result[name] = _read(name, entry, body)
    return result


def _are_sizes(numbers):
    return isinstance(numbers, list) and all(type(number) is int and number >= 0 for number in numbers)


def _read(name, entry, body):
    described = isinstance(entry, dict) and isinstance(entry.get("dtype"), str) and entry["dtype"] in _DTYPES
    if described:
        shape, offsets = entry.get("shape"), entry.get("data_offsets")
        described = _are_sizes(shape) and _are_sizes(offsets) and len(offsets) == 2
    if not described:
        raise CorruptFile(f"{name} is not described by a known dtype, a shape and two offsets")
    dtype, shape, (start, stop) = _DTYPES[entry["dtype"]], tuple(shape), offsets
    size = dtype.itemsize
    for extent in shape:
        size *= extent
    if stop - start != size or not 0 <= start <= stop <= len(body):
        raise CorruptFile(f"{name} of shape {shape} needs {size} bytes, its offsets are {start} and {stop}")
    return _core.from_bytes(bytes(body[start:stop]), dtype, shape)
