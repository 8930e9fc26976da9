"""TFRecord files: rows as `tf.train.Example` messages, each framed by its length and checksums."""

import contextlib
import struct

import numpy as np

from dyad import _core
from dyad._src.base.protobuf.wire import bytes_field, varint

_BYTES, _FLOATS, _INTEGERS = 1, 2, 3  # fields of tf.train.Feature


def write(rows, file_name, num_files):
    """Writes rows, dicts of arrays, to files in turn. The name of each of several files ends with its number."""
    names = [file_name] if num_files == 1 else [f"{file_name}{number}" for number in range(num_files)]
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(name, "wb")) for name in names]
        for number, row in enumerate(rows):
            _write_record(files[number % num_files], _example(row))


def _write_record(file, data):
    length = struct.pack("<Q", len(data))
    for part in (length, data):
        file.write(part)
        file.write(struct.pack("<I", _core.data.masked_crc32c(part)))


def _example(row):
    entries = (
        bytes_field(1, bytes_field(1, name.encode()) + bytes_field(2, _feature(name, value)))
        for name, value in row.items()
    )
    return bytes_field(1, b"".join(entries))


def _feature(name, value):
    flat = np.asarray(value).reshape(-1)
    if flat.dtype.kind in "US":
        texts = (text.encode() if isinstance(text, str) else text for text in flat.tolist())
        return bytes_field(_BYTES, b"".join(bytes_field(1, text) for text in texts))
    if flat.dtype.kind == "f" and flat.dtype.itemsize <= 4:
        return bytes_field(_FLOATS, bytes_field(1, flat.astype("<f4").tobytes()))
    if flat.dtype.kind in "biu":
        return bytes_field(_INTEGERS, bytes_field(1, b"".join(map(varint, flat.tolist()))))
    raise RuntimeError(
        f"save: the column {name!r} has {flat.dtype.name}; a TFRecord holds float32, integers and texts"
    )
