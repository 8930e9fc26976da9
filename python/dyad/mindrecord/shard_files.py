"""The data and index files of a MindRecord dataset, opened to be read."""

import json
import os
import sqlite3
import struct

import numpy as np

from dyad import _core
from dyad.mindrecord.common.exceptions import (
    MRMFetchDataError,
    MRMOpenError,
    ParamTypeError,
    ParamValueError,
    PathNotExistsError,
)
from dyad.mindrecord.encrypted_files import decrypted_folder, is_encrypted
from dyad.mindrecord.record_schema import RecordSchema, check_schema

_LARGEST_HEADER = 1 << 27
_ROWS_AT_ONCE = 1 << 14
_PLACES = (
    "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip


def require_path(owner, path: str) -> str:
    """A path that is a str with something in it."""
    if not isinstance(path, str):
        raise ParamTypeError(f"{owner}: the file name is {path!r} of type {type(path).__name__}; need a str")
    if not path:
        raise ParamValueError(f"{owner}: the file name is empty; need a path")
    return path


def quoted(name):
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


class ShardFile:
    """One data file and its index file. `owner` is the public name that errors carry."""

    def __init__(self, owner, path):
        self.owner = owner
        self.path = path
        for name in (path, f"{path}.db"):
            if not os.path.isfile(name):
                raise PathNotExistsError(f"{owner}: the file {name} does not exist")
        self.given = path
        if is_encrypted(path):
            self._decrypted = decrypted_folder(owner, path, f"{path}.db")
            self.path = os.path.join(self._decrypted.name, os.path.basename(path))
        self.header = self._read_header()
        self._check_header()

    def _broken(self, what):
        return MRMOpenError(f"{self.owner}: the file {self.path} is broken or no MindRecord file: {what}")

    def _read_header(self):
        with open(self.path, "rb") as file:
            head = file.read(8)
            size = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 0 < size <= min(_LARGEST_HEADER, os.path.getsize(self.path) - 8):
                raise self._broken(f"its header would have {size} bytes")
            text = file.read(size)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._broken(f"its header is no JSON ({error})") from None

    def _check_header(self):
        header = self.header
        try:
            self.header_size, self.page_size = header["header_size"], header["page_size"]
            self.shard_names = header["shard_addresses"]
            check_schema(header["schema"][0]["schema"])
            self.schema = RecordSchema.from_header(header["schema"][0])
            self.index_fields = [entry["index_field"] for entry in header["index_fields"] or []]
            kinds = [(page["page_type"], page["page_id"], page["page_size"]) for page in header["page"]]
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise self._broken(f"its header lacks or spoils {error}") from None
        sizes = [self.header_size, self.page_size, *(number for _, *pair in kinds for number in pair)]
        if any(not isinstance(size, int) or not 0 <= size < 1 << 62 for size in sizes) or not self.page_size:
            raise self._broken("its sizes are no numbers of bytes")
        if not isinstance(self.shard_names, list) or any(
            not isinstance(name, str) for name in self.shard_names
        ):
            raise self._broken("it does not name the files that belong to it")
        if any(name not in self.schema.raw_fields for name in self.index_fields):
            raise self._broken("its index is over fields that it does not have")

    def query(self, statement, values=()):
        """The rows that the index file answers with."""
        connection = sqlite3.connect(f"file:{quote_path(self.path)}.db?mode=ro", uri=True)
        try:
            cursor = connection.execute(statement, values)
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                yield from rows
        except sqlite3.Error as error:
            raise MRMOpenError(
                f"{self.owner}: the index file {self.path}.db cannot be read: {error}"
            ) from None
        finally:
            connection.close()

    def rows(self):
        """Number of rows."""
        return next(iter(self.query("SELECT COUNT(*) FROM INDEXES")))[0]

    def places(self, condition="", values=()) -> np.ndarray:
        """Positions of its rows, as an int64 array with one row each."""
        places = self.query(f"SELECT {', '.join(_PLACES)} FROM INDEXES {condition} ORDER BY ROW_ID", values)
        try:
            flat = np.fromiter((number for place in places for number in place), np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise MRMOpenError(f"{self.owner}: the index file {self.path}.db is broken: {error}") from None
        return flat.reshape(-1, len(_PLACES))


def quote_path(path):
    """A path as the URI of a database has it."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


class Shards:
    """The files of a dataset, which have one schema."""

    def __init__(self, owner, files):
        self.owner = owner
        self.files = files
        self.schema = files[0].schema
        self.index_fields = files[0].index_fields
        for file in files[1:]:
            if file.schema.fields != self.schema.fields:
                raise MRMOpenError(
                    f"{owner}: the files {files[0].path} and {file.path} hold different fields; need one schema"
                )

    @classmethod
    def open(cls, owner, names):
        """Opens the files of a list; or, for one name, that file and all files listed in it."""
        if isinstance(names, list):
            if not names:
                raise ParamValueError(f"{owner}: the list of files is empty; need one path or more")
            return cls(owner, [ShardFile(owner, require_path(owner, name)) for name in names])
        first = ShardFile(owner, require_path(owner, names))
        if os.path.basename(first.path) not in first.shard_names:
            return cls(owner, [first])
        folder = os.path.dirname(first.given)
        paths = (os.path.join(folder, os.path.basename(name)) for name in first.shard_names)
        return cls(owner, [first if path == first.given else ShardFile(owner, path) for path in paths])

    def index(self, condition="", values=()) -> np.ndarray:
        """File, and position in it, of each row: an int64 array with one line per row."""
        parts = []
        for number, file in enumerate(self.files):
            places = file.places(condition, values)
            parts.append(np.insert(places, 0, number, axis=1))
        return np.ascontiguousarray(np.concatenate(parts), np.int64)

    def values(self, field) -> list:
        """The values of an index field, in the order of the rows."""
        if field not in self.index_fields:
            raise MRMFetchDataError(
                f"{self.owner}: {field!r} is not in the index; need one of {', '.join(self.index_fields) or 'none'}"
            )
        statement = f"SELECT {quoted(field + '_0')} FROM INDEXES ORDER BY ROW_ID"
        return [row[0] for file in self.files for row in file.query(statement)]

    def check_columns(self, columns) -> list:
        """The names of columns, all of them for None; an unknown one is an error."""
        if columns is None:
            return list(self.schema.fields)
        for name in columns:
            if name not in self.schema.fields:
                fields = ", ".join(self.schema.fields)
                raise MRMFetchDataError(f"{self.owner}: there is no column {name!r}; need one of {fields}")
        return list(columns)

    @staticmethod
    def _read_as(field, exact):
        if exact and "shape" not in field:
            return {"float32": "float64", "bytes": "uint8"}.get(field["type"], field["type"])
        return field["type"]

    def source(self, columns, index=None, classes=None, padding=None, padded=0, exact: bool = False):
        """The native source of these columns. With `exact`, plain floats have all digits that are stored, and bytes
        are arrays of uint8, which do not lose zeros at their ends."""
        fields = [self.schema.fields[name] for name in columns]
        shapes = [field.get("shape") for field in fields]
        attributes = {
            "owner": self.owner,
            "files": [file.path for file in self.files],
            "header_sizes": [file.header_size for file in self.files],
            "page_sizes": [file.page_size for file in self.files],
            "columns": columns,
            "types": [self._read_as(field, exact) for field in fields],
            "ranks": [-1 if shape is None else len(shape) for shape in shapes],
            "sizes": [size for shape in shapes for size in shape or []],
            "blob_columns": self.schema.blob_fields,
            "packed_integers": self.schema.packs_integers,
            "index": self.index() if index is None else index,
            "classes": classes,
            "padded": padded,
            **{f"padding{i}": padding[name] for i, name in enumerate(columns) if padding},
        }
        return _core.data.open_source("mindrecords", attributes)
