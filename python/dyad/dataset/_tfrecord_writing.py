"""TFRecord files: rows as `tf.train.Example` messages, each framed by its length and checksums."""

import contextlib
import struct

import numpy as np

from dyad import _core

_BYTES, _FLOATS, _INTEGERS = 1, 2, 3  # fields of tf.train.Feature
_LENGTH_DELIMITED = 2


def write(rows, file_name, num_files):
    """Writes rows, dicts of arrays, to files in turn. Several files have their number behind the name."""
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


def _varint(number):
    made = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    made.append(number)
    return bytes(made)


def _field(number, data):
    return _varint(number << 3 | _LENGTH_DELIMITED) + _varint(len(data)) + data


def _example(row):
    entries = (
        _field(1, _field(1, name.encode()) + _field(2, _feature(name, value))) for name, value in row.items()
    )
    return _field(1, b"".join(entries))


def _feature(name, value):
    flat = np.asarray(value).reshape(-1)
    if flat.dtype.kind in "US":
        texts = (text.encode() if isinstance(text, str) else text for text in flat.tolist())
        return _field(_BYTES, b"".join(_field(1, text) for text in texts))
    if flat.dtype.kind == "f" and flat.dtype.itemsize <= 4:
        return _field(_FLOATS, _field(1, flat.astype("<f4").tobytes()))
    if flat.dtype.kind in "biu":
        return _field(_INTEGERS, _field(1, b"".join(map(_varint, flat.tolist()))))
    raise RuntimeError(
        f"save: the column {name!r} has {flat.dtype.name}; a TFRecord holds float32, integers and texts"
    )
