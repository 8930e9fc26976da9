"""Datasets of TFRecord files."""

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_bool
from dyad.dataset._row_files import RowFilesDataset, find_files
from dyad.dataset._shuffle import Shuffle
from dyad.dataset.schema import Schema

_COMPRESSIONS = ("", "GZIP", "ZLIB")


def _column_list(owner, columns_list):
    """Names of columns, each once; None where the user named none."""
    if columns_list is None:
        return None
    if not isinstance(columns_list, list) or any(not isinstance(name, str) for name in columns_list):
        raise TypeError(f"{owner}: columns_list is {columns_list!r}; need a list of str")
    if len(set(columns_list)) < len(columns_list):
        raise ValueError(f"{owner}: columns_list is {columns_list}; duplicate column names are not allowed")
    return columns_list or None


class TFRecordDataset(RowFilesDataset):
    """Examples (`tf.train.Example`) in TFRecord files.

    Without a schema the columns are those of the first example, by name: bytes as uint8, float32 and int64, each with
    one dimension.

    Args:
        dataset_files: path or pattern, or a list of them.
        schema: a `Schema`, or the path of a JSON file with one: types and shapes of the columns.
        columns_list: names of the columns to read. Default: None, all.
        num_samples: maximum number of rows. Default: None, that of the schema, or all.
        num_parallel_workers: number of threads that compute rows.
        shuffle: a bool, or `Shuffle.GLOBAL` for rows and `Shuffle.FILES` for files.
        num_shards, shard_id: number of shards, and the index of this one.
        shard_equal_rows: whether shards have equally many rows; otherwise each has whole files.
        cache: only None is supported.
        compression_type: "GZIP" or "ZLIB" if files are compressed; None and "" if not.
    """

    def __init__(self, dataset_files, schema: str | Schema | None = None, columns_list=None, num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 shard_equal_rows: bool = False, cache=None, compression_type=None) -> None:  # fmt: skip
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        owner = "TFRecordDataset"
        self.dataset_files = find_files(owner, dataset_files)
        if schema is not None and not isinstance(schema, (str, Schema)):
            raise TypeError(
                f"{owner}: schema is {schema!r} of type {type(schema).__name__}; need a str or a Schema"
            )
        self.schema = Schema(schema) if isinstance(schema, str) else schema
        self.columns_list = _column_list(owner, columns_list)
        self.shard_equal_rows = require_bool(owner, "shard_equal_rows", shard_equal_rows)
        if compression_type is not None and compression_type not in _COMPRESSIONS:
            raise ValueError(
                f"{owner}: compression_type is {compression_type!r}; need None, '', 'GZIP' or 'ZLIB'"
            )
        self.compression_type = compression_type or ""
        if num_samples is None and self.schema is not None:
            self.num_samples = self.schema.num_rows or 0
        if num_shards is not None and not shard_equal_rows and len(self.dataset_files) < num_shards:
            raise ValueError(
                f"{owner}: there are {len(self.dataset_files)} files for {num_shards} shards; need a file for each, "
                "or shard_equal_rows=True"
            )

    def _declared(self):
        """The columns to read, as a schema has them; none for those of the first example."""
        if self.schema is None:
            return [{"name": name, "type": ""} for name in self.columns_list or []]
        declared = {column["name"]: column for column in self.schema.columns}
        for name in self.columns_list or []:
            if name not in declared:
                names = ", ".join(declared)
                raise RuntimeError(f"TFRecordDataset: the schema has no column {name!r}; need one of {names}")
        return [declared[name] for name in self.columns_list or declared]

    def open_source(self):
        columns = self._declared()
        shapes = [column.get("shape") for column in columns]
        attributes = {
            "owner": "TFRecordDataset",
            "files": self.dataset_files,
            "compression": self.compression_type,
            "columns": [column["name"] for column in columns],
            "types": [column["type"] for column in columns],
            "ranks": [-1 if shape is None else len(shape) for shape in shapes],
            "sizes": [size for shape in shapes for size in shape or []],
        }
        return _core.data.open_source("tfrecords", attributes)

    def shard_rows(self, count):
        if self.num_shards is None or self.shard_equal_rows:
            return super().shard_rows(count)
        counts = self.source.rows_per_file
        numbers = np.repeat(np.arange(len(counts)), counts)
        return np.flatnonzero(numbers % self.num_shards == self.shard_id)
