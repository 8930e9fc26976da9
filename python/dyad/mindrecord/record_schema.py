"""Schema and encoding of the rows of a MindRecord file.

A row is stored in two parts. The raw part is a MessagePack map of its plain values. The blob part has bytes and
arrays, in the order of their names: each preceded by its length if there are several. If some field is an array of
integers, all of them are stored in as few bytes as each integer needs.
"""

import functools
import numbers
import re
import struct

import numpy as np

from dyad.mindrecord.common.exceptions import MRMDefineIndexError, MRMInvalidSchemaError, MRMValidateDataError

_INTEGERS = {"int32": 32, "int64": 64}
_NUMBERS = (*_INTEGERS, "float32", "float64")
_PLAIN = (*_NUMBERS, "string")
_TYPES = (*_PLAIN, "bytes")
_SQL_TYPES = {
    "int32": "INTEGER",
    "int64": "INTEGER",
    "float32": "NUMERIC",
    "float64": "NUMERIC",
    "string": "TEXT",
}


def pack_integers(values):
    """Integers in as few bytes as each needs: their number, two bits per integer for its width, the integers."""
    values = np.ascontiguousarray(values, "<i8").reshape(-1)
    codes = np.zeros(len(values), np.uint8)
    for bits in (8, 16, 32):
        codes += (values < -(1 << (bits - 1))) | (values >= 1 << (bits - 1))
    four = np.zeros((-(-len(values) // 4), 4), np.uint8)
    four.reshape(-1)[: len(values)] = codes
    widths = four[:, 0] << 6 | four[:, 1] << 4 | four[:, 2] << 2 | four[:, 3]
    kept = np.arange(8) < (1 << codes.astype(np.int64))[:, None]
    return (
        struct.pack(">I", len(values))
        + widths.tobytes()
        + values.view(np.uint8).reshape(-1, 8)[kept].tobytes()
    )


def _pack_integer(value):
    if value >= 0:
        if value < 0x80:
            return struct.pack("B", value)
        tags = ((0xCC, ">BB", 8), (0xCD, ">BH", 16), (0xCE, ">BI", 32), (0xCF, ">BQ", 64))
        return next(struct.pack(form, tag, value) for tag, form, bits in tags if value < 1 << bits)
    if value >= -32:
        return struct.pack("b", value)
    tags = ((0xD0, ">Bb", 7), (0xD1, ">Bh", 15), (0xD2, ">Bi", 31), (0xD3, ">Bq", 63))
    return next(struct.pack(form, tag, value) for tag, form, bits in tags if value >= -(1 << bits))


def _pack_float(value):
    with np.errstate(over="ignore"):
        narrow = float(np.float32(value))
    return struct.pack(">Bf", 0xCA, value) if narrow == value else struct.pack(">Bd", 0xCB, value)


def _pack_text(value):
    encoded = value.encode()
    size = len(encoded)
    if size < 32:
        return bytes([0xA0 | size]) + encoded
    tags = ((0xD9, ">BB", 8), (0xDA, ">BH", 16), (0xDB, ">BI", 32))
    return next(struct.pack(form, tag, size) for tag, form, bits in tags if size < 1 << bits) + encoded


def _pack(value):
    if isinstance(value, str):
        return _pack_text(value)
    return _pack_integer(value) if isinstance(value, int) else _pack_float(value)


def _pack_map(values):
    size = len(values)
    head = bytes([0x80 | size]) if size < 16 else struct.pack(">BH", 0xDE, size)
    return head + b"".join(_pack_text(name) + _pack(value) for name, value in values)


def _check_shape(field, shape):
    if not isinstance(shape, list) or any(
        isinstance(size, bool) or not isinstance(size, int) for size in shape
    ):
        raise MRMInvalidSchemaError(
            f"add_schema: the shape of field {field!r} is {shape!r}; need a list of int"
        )
    if any(size < 1 and size != -1 for size in shape) or shape.count(-1) > 1:
        raise MRMInvalidSchemaError(
            f"add_schema: the shape of field {field!r} is {shape}; need sizes above 0, and -1 at most once"
        )


def _check_field(field, description):
    if not isinstance(field, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", field):
        raise MRMInvalidSchemaError(
            f"add_schema: a field is named {field!r}; need a str of letters, digits and '_'"
        )
    if not isinstance(description, dict) or "type" not in description or set(description) - {"type", "shape"}:
        raise MRMInvalidSchemaError(
            f"add_schema: field {field!r} is {description!r}; need a dict with 'type' and, for an array, 'shape'"
        )
    accepted = _NUMBERS if "shape" in description else _TYPES
    if description["type"] not in accepted:
        raise MRMInvalidSchemaError(
            f"add_schema: the type of field {field!r} is {description['type']!r}; need one of {', '.join(accepted)}"
        )
    if "shape" in description:
        _check_shape(field, description["shape"])


def check_schema(content) -> None:
    """Raises unless `content` is a dict from names to their types and shapes."""
    if not isinstance(content, dict) or not content:
        raise MRMInvalidSchemaError(
            f"add_schema: content is {content!r}; need a dict from names of fields to dicts"
        )
    for field, description in content.items():
        _check_field(field, description)


class RecordSchema:
    """The fields of a file's rows."""

    def __init__(self, content, description=""):
        self.fields = {name: dict(content[name]) for name in sorted(content)}
        self.description = description

    @classmethod
    def from_header(cls, entry):
        """The schema that the header of a file describes."""
        return cls(entry["schema"], entry.get("desc", ""))

    @functools.cached_property
    def blob_fields(self) -> list:
        """Names of the fields in the blob, in the order they are stored in."""
        return [name for name, field in self.fields.items() if self._in_blob(field)]

    @functools.cached_property
    def raw_fields(self) -> list:
        """Names of the plain fields."""
        return [name for name, field in self.fields.items() if not self._in_blob(field)]

    @functools.cached_property
    def packs_integers(self) -> bool:
        """True if integers of the blob are stored in as few bytes as they need."""
        return any("shape" in field and field["type"] in _INTEGERS for field in self.fields.values())

    @staticmethod
    def _in_blob(field):
        return field["type"] == "bytes" or "shape" in field

    def header_entry(self) -> dict:
        """The schema as the header of a file has it."""
        return {"blob_fields": self.blob_fields, "desc": self.description, "schema": self.fields}

    def sql_type(self, name) -> str:
        """The type of a field's column in the index file."""
        return _SQL_TYPES[self.fields[name]["type"]]

    def check_index(self, names) -> None:
        """Raises unless all names are those of plain fields, each once."""
        for position, name in enumerate(names):
            if name not in self.fields:
                raise MRMDefineIndexError(
                    f"add_index: {name!r} is no field; need one of {', '.join(self.fields)}"
                )
            if self._in_blob(self.fields[name]):
                raise MRMDefineIndexError(
                    f"add_index: field {name!r} holds bytes or an array; need one of {', '.join(self.raw_fields)}"
                )
            if name in names[:position]:
                raise MRMDefineIndexError(f"add_index: field {name!r} is named twice; name it once")

    def plain_values(self, row, number) -> dict:
        """The values of the plain fields, checked, as Python has them. `number` is the row's, for errors."""
        return {name: self._plain_value(row, name, number) for name in self.raw_fields}

    def encode(self, row, number):
        """(raw part, blob part, bytes saved by packing, plain values) of a row."""
        plain = self.plain_values(row, number)
        parts = [self._blob_part(row, name, number) for name in self.blob_fields]
        stored = [packed for packed, _ in parts]
        saved = sum(size - len(packed) for packed, size in parts)
        if len(stored) == 1:
            blob = stored[0]
        else:
            blob = b"".join(struct.pack(">Q", len(part)) + part for part in stored) or bytes(4)
        return _pack_map(sorted(plain.items()) or [("id", 0)]), blob, saved, plain

    def _value(self, row, name, number):
        if name not in row:
            raise MRMValidateDataError(
                f"write_raw_data: row {number} has no field {name!r}; the schema needs it"
            )
        return row[name]

    def _refuse(self, name, number, value, need):
        if isinstance(value, np.ndarray):
            shown = f"an array of {value.dtype} with shape {value.shape}"
        else:
            shown = f"{value!r:.200} of type {type(value).__name__}"
        raise MRMValidateDataError(f"write_raw_data: field {name!r} of row {number} is {shown}; need {need}")

    def _plain_value(self, row, name, number):
        value = self._value(row, name, number)
        kind = self.fields[name]["type"]
        if kind == "string":
            if not isinstance(value, str):
                self._refuse(name, number, value, "a str")
            return value
        if kind in _INTEGERS:
            limit = 1 << (_INTEGERS[kind] - 1)
            whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
            if not whole or not -limit <= value < limit:
                self._refuse(name, number, value, f"an int that {kind} holds")
            return int(value)
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            self._refuse(name, number, value, "a float")
        return float(value)

    def _blob_part(self, row, name, number):
        """The bytes that a field is stored as, and how many it would be without packing."""
        value = self._value(row, name, number)
        kind = self.fields[name]["type"]
        if kind == "bytes":
            if not isinstance(value, bytes):
                self._refuse(name, number, value, "bytes")
            return value, len(value)
        shape = self.fields[name]["shape"]
        if (
            not isinstance(value, np.ndarray)
            or value.dtype != np.dtype(kind)
            or not self._fits(value.shape, shape)
        ):
            self._refuse(name, number, value, f"a NumPy array of {kind} with shape {shape}")
        plain = np.ascontiguousarray(value, np.dtype(kind).newbyteorder("<"))
        if kind in _INTEGERS:
            return pack_integers(plain), plain.nbytes
        return plain.tobytes(), plain.nbytes

    @staticmethod
    def _fits(shape, declared):
        return len(shape) == len(declared) and all(b in (-1, a) for a, b in zip(shape, declared, strict=True))
