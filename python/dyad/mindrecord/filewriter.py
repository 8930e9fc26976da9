"""Writing MindRecord files."""

import os
from typing import Any

from dyad.mindrecord.common.exceptions import (
    MRMAddSchemaError,
    MRMInvalidHeaderSizeError,
    MRMInvalidPageSizeError,
    MRMOpenError,
    MRMWriteDatasetError,
    ParamTypeError,
    ParamValueError,
)
from dyad.mindrecord.encrypted_files import encrypt_file
from dyad.mindrecord.record_schema import RecordSchema, check_schema
from dyad.mindrecord.shard_files import Shards, require_path
from dyad.mindrecord.shard_writer import ShardWriter

_MOST_SHARDS = 1000
_HEADER_SIZES = (1 << 14, 1 << 27)
_PAGE_SIZES = (1 << 15, 1 << 28)


def _check_size(name, size, limits, error):
    if isinstance(size, bool) or not isinstance(size, int):
        raise ParamTypeError(f"{name}: the size is {size!r} of type {type(size).__name__}; need an int")
    low, high = limits
    if not low <= size <= high or size % 4:
        raise error(f"{name}: the size is {size}; need a multiple of 4 in [{low}, {high}]")
    return size


class FileWriter:
    """Writes rows to MindRecord files, each with an index file next to it that ends in ".db".

    Args:
        file_name: path of the file; with several shards a number is appended.
        shard_num: number of files, from 1 to 1000.
        overwrite: whether existing files are replaced; otherwise they are an error.

    The order of calls: `add_schema`, optionally `add_index`, `write_raw_data` any number of times, `commit`.
    """

    def __init__(self, file_name, shard_num=1, overwrite: bool = False) -> None:
        require_path("FileWriter", file_name)
        if isinstance(shard_num, bool) or not isinstance(shard_num, int):
            raise ParamTypeError(f"FileWriter: shard_num is {shard_num!r}; need an int")
        if not 1 <= shard_num <= _MOST_SHARDS:
            raise ParamValueError(f"FileWriter: shard_num is {shard_num}; need an int in [1, {_MOST_SHARDS}]")
        if not isinstance(overwrite, bool):
            raise ParamTypeError(f"FileWriter: overwrite is {overwrite!r}; need a bool")
        width = len(str(shard_num - 1))
        self._paths = (
            [f"{file_name}{i:0{width}d}" for i in range(shard_num)] if shard_num > 1 else [file_name]
        )
        self._overwrite = overwrite
        self._header_size, self._page_size = 1 << 24, 1 << 25
        self._schema: Any = None
        self._index_fields: Any = None
        self._shards: Any = None
        self._saved = 0
        self._rows = 0
        self._committed = False

    @classmethod
    def open_for_append(cls, file_name):
        """A writer that adds rows to files that are complete; `file_name` is the first of them."""
        files = Shards.open("open_for_append", file_name)
        writer = cls(file_name)
        writer.init_append(file_name, files)
        return writer

    def init_append(self, file_name, header) -> None:
        """Continues the files described by `header`, which `open_for_append` has read."""
        first = header.files[0]
        self._paths = [file.path for file in header.files]
        self._header_size, self._page_size = first.header_size, first.page_size
        self._schema = header.schema
        self._index_fields = header.index_fields
        self._saved = first.header.get("compression_size", 0)
        self._rows = sum(file.rows() for file in header.files)
        self._shards = [
            ShardWriter(
                file.path, number, file.header_size, file.page_size, self._schema, self._index_fields,
                file.header["page"], file.rows(),
            )
            for number, file in enumerate(header.files)
        ]  # fmt: skip

    def add_schema(self, content, desc: str | None = None) -> None:
        """Says what rows hold.

        Args:
            content: a dict from names of fields to `{"type": ...}`, with `"shape"` for arrays. Types are int32, int64,
                float32, float64, string and bytes; a size of -1, once in a shape, is any.
            desc: a description.
        """
        check_schema(content)
        if desc is not None and not isinstance(desc, str):
            raise ParamTypeError(f"add_schema: desc is {desc!r}; need a str")
        if self._schema is not None:
            raise MRMAddSchemaError("add_schema: there is a schema already; a file has one")
        self._schema = RecordSchema(content, desc or "")

    def add_index(self, index_fields) -> None:
        """Names the plain fields that the index files hold; without it they hold all."""
        if not isinstance(index_fields, list) or not index_fields:
            raise ParamTypeError(f"add_index: index_fields is {index_fields!r}; need a list of names")
        for name in index_fields:
            if not isinstance(name, str):
                raise ParamTypeError(f"add_index: index_fields has {name!r}; need str")
        self._require_schema("add_index").check_index(index_fields)
        self._index_fields = list(index_fields)

    def set_header_size(self, header_size) -> None:
        """Sets the bytes that the header may have: a multiple of 4 from 16 KB to 128 MB."""
        limits = (_HEADER_SIZES, MRMInvalidHeaderSizeError)
        self._header_size = _check_size("set_header_size", header_size, *limits)

    def set_page_size(self, page_size) -> None:
        """Sets the bytes of a page, and so of the largest row: a multiple of 4 from 32 KB to 256 MB."""
        self._page_size = _check_size("set_page_size", page_size, _PAGE_SIZES, MRMInvalidPageSizeError)

    def write_raw_data(self, raw_data, parallel_writer: bool = False) -> None:
        """Writes rows, spread evenly over the shards.

        Args:
            raw_data: a list of dicts from names of fields to values. Fields that the schema does not have are left out.
            parallel_writer: accepted for other frameworks' programs; rows are always written by the caller.
        """
        if not isinstance(parallel_writer, bool):
            raise ParamTypeError(f"write_raw_data: parallel_writer is {parallel_writer!r}; need a bool")
        schema = self._require_schema("write_raw_data")
        self._require_open("write_raw_data")
        if not isinstance(raw_data, list) or any(not isinstance(row, dict) for row in raw_data):
            raise ParamTypeError("write_raw_data: raw_data is no list of dicts; need one dict per row")
        if not raw_data:
            raise MRMWriteDatasetError("write_raw_data: raw_data is empty; need one row or more")
        encoded = [schema.encode(row, self._rows + number) for number, row in enumerate(raw_data)]
        self._check_sizes(encoded)
        self._saved += sum(row[2] for row in encoded)
        self._rows += len(encoded)
        shards = self._open_shards()
        begin = 0
        for number, shard in enumerate(shards):
            end = begin + len(encoded) // len(shards) + (number < len(encoded) % len(shards))
            shard.write(encoded[begin:end])
            begin = end

    def commit(self) -> None:
        """Completes the files. Nothing can be written after it."""
        self._require_schema("commit")
        self._require_open("commit")
        addresses = [os.path.basename(path) for path in self._paths]
        for shard in self._open_shards():
            shard.commit(addresses, self._saved)
            encrypt_file(shard.path)
            encrypt_file(f"{shard.path}.db")
        self._committed = True

    def _require_schema(self, caller):
        if self._schema is None:
            raise MRMWriteDatasetError(f"{caller}: there is no schema; call add_schema first")
        return self._schema

    def _require_open(self, caller):
        if self._committed:
            raise MRMWriteDatasetError(
                f"Not allowed to call {caller} after commit; FileWriter.open_for_append adds rows to complete files"
            )

    def _check_sizes(self, encoded):
        """A part of a row, with its length, must fit into a page."""
        largest = max(max(len(raw), len(blob)) for raw, blob, _, _ in encoded) + 8
        if largest > self._page_size:
            raise MRMWriteDatasetError(
                f"write_raw_data: a row has {largest} bytes; pages have {self._page_size}, "
                "which set_page_size makes larger"
            )

    def _open_shards(self):
        if self._shards is None:
            self._remove_files()
            fields = self._schema.raw_fields if self._index_fields is None else self._index_fields
            self._shards = [
                ShardWriter(path, number, self._header_size, self._page_size, self._schema, fields)
                for number, path in enumerate(self._paths)
            ]
        return self._shards

    def _remove_files(self):
        for path in (name for stem in self._paths for name in (stem, f"{stem}.db")):
            if not os.path.exists(path):
                continue
            if not self._overwrite:
                raise MRMOpenError(f"FileWriter: the file {path} exists; overwrite=True replaces it")
            os.remove(path)
