"""Sources that hold their rows in memory, or draw them."""

from typing import Any

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_int
from dyad.dataset import samplers
from dyad.dataset._dataset import Dataset
from dyad.dataset._mappable import MappableDataset, check_row_arguments
from dyad.dataset._selecting import column_list
from dyad.dataset.schema import Schema

_native = _core.data
_DEFAULT_ROWS = 100  # of a RandomDataset without a size
_DEFAULT_TYPES = ("uint8", "int32", "float32")
_TEXTS = ("string", "bytes")


class _ColumnsDataset(MappableDataset):
    """Whole columns in memory: arrays, or lists of rows of several shapes."""

    def __init__(
        self, owner, names, data, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
    ):
        super().__init__(num_parallel_workers=num_parallel_workers)
        self.names, self.data = names, data
        check_row_arguments(owner, num_samples, shuffle, sampler, num_shards, shard_id)
        self.sampler = samplers.chosen_sampler(owner, num_samples, sampler, shuffle, num_shards, shard_id)

    def columns(self):
        return self.names

    def source_size(self) -> int:
        return len(self.data[0])

    def open_rows(self, run):
        if all(isinstance(column, np.ndarray) and column.dtype != object for column in self.data):
            return _native.arrays_source(self.data)
        return _native.python_source(self.read_source, self.source_size())

    def read_source(self, index) -> tuple:
        return tuple(np.asarray(column[index]) for column in self.data)


class NumpySlicesDataset(_ColumnsDataset):
    """Slices of arrays along their first axis.

    Args:
        data: a list or array, which is one column; a tuple of them, a dict by name, or a pandas DataFrame.
        column_names (str, list): names of the columns. Default: None, the keys of a dict, or column_0, column_1 and
            so on.
        num_samples (int): maximum number of rows.
        num_parallel_workers (int): threads that read rows.
        shuffle (bool): whether the order is random. Default: True.
        sampler: selects the rows.
        num_shards, shard_id (int): number of shards, and the index of this one.
    """

    def __init__(
        self,
        data,
        column_names: str | list | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
        keys, columns = _columns_of(data)
        names = _slice_names(column_names, keys, len(columns))
        chosen = (num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id)
        super().__init__("NumpySlicesDataset", names, columns, *chosen)

    @property
    def column_names(self) -> list:
        """Names of the columns."""
        return list(self.names)


def _is_frame(data):
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _columns_of(data):
    """Names, or None, and the columns."""
    if _is_frame(data):
        data = {str(name): data[name].to_numpy() for name in data.columns}
    if not isinstance(data, (list, tuple, dict, np.ndarray)):
        raise TypeError(
            f"NumpySlicesDataset: data is {data!r} of type {type(data).__name__}; need a list, tuple, dict, "
            "NumPy array or DataFrame"
        )
    if len(data) == 0:
        raise ValueError("NumpySlicesDataset: data is empty; need one row or more")
    keys = list(data) if isinstance(data, dict) else None
    given = (
        list(data.values()) if isinstance(data, dict) else list(data) if isinstance(data, tuple) else [data]
    )
    columns = [_column(at, column) for at, column in enumerate(given)]
    if len({len(column) for column in columns}) > 1:
        lengths = [len(column) for column in columns]
        raise ValueError(f"NumpySlicesDataset: the columns have {lengths} rows; need equally many")
    return keys, columns


def _column(at, column):
    """An array where the rows have one shape, and a list of rows otherwise."""
    if isinstance(column, np.ndarray) and column.ndim and column.dtype != object:
        return column
    if isinstance(column, (str, bytes)) or not hasattr(column, "__len__"):
        raise TypeError(f"NumpySlicesDataset: column {at} is {column!r}; need a list or an array of rows")
    if len(column) == 0:
        raise ValueError(f"NumpySlicesDataset: column {at} has no rows; need one or more")
    try:
        array = np.asarray(list(column))
    except ValueError:
        return list(column)
    return list(column) if array.dtype == object else array


def _slice_names(column_names, keys, count):
    if column_names is None:
        return keys or [f"column_{at}" for at in range(count)]
    names = column_list("NumpySlicesDataset", "column_names", column_names)
    if len(names) != count:
        raise ValueError(f"NumpySlicesDataset: column_names has {len(names)} names for {count} columns")
    return names


class PaddedDataset(_ColumnsDataset):
    """Rows that fill up another dataset: concatenated with it, they make its size a multiple of the shards.

    Args:
        padded_samples (list): rows as dicts from columns to values.
    """

    def __init__(self, padded_samples: list) -> None:
        if not isinstance(padded_samples, list):
            raise TypeError(f"PaddedDataset: padded_samples is {padded_samples!r}; need a list of dicts")
        if not padded_samples:
            raise ValueError("PaddedDataset: padded_samples is empty; need one row or more")
        for row in padded_samples:
            if not isinstance(row, dict):
                raise TypeError(
                    f"PaddedDataset: padded_samples has {row!r}; need dicts from columns to values"
                )
            if list(row) != list(padded_samples[0]):
                raise ValueError(
                    f"PaddedDataset: rows have columns {list(padded_samples[0])} and {list(row)}"
                )
        names = list(padded_samples[0])
        data = [[np.asarray(row[name]) for row in padded_samples] for name in names]
        super().__init__("PaddedDataset", names, data, None, 1, False, None, None, None)


class RandomDataset(Dataset):
    """Rows of random values, for trying out a pipeline. With a seed they are the same in every run.

    Args:
        total_rows (int): number of rows. Default: None, that of the schema, or 100.
        schema (Schema, str): the columns, or the path of a file that describes them. Default: None, three columns.
        columns_list (list): names of the columns to use. Default: None, all.
        num_samples (int): maximum number of rows.
        num_parallel_workers (int): threads that compute rows.
        cache: None.
        shuffle (bool): no effect; random rows have no order.
        num_shards, shard_id (int): number of shards, and the index of this one.
    """

    def __init__(
        self,
        total_rows: int | None = None,
        schema=None,
        columns_list: list | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache=None,
        shuffle: bool | None = None,
        num_shards=None,
        shard_id=None,
    ) -> None:
        super().__init__(num_parallel_workers=num_parallel_workers, cache=cache)
        check_row_arguments("RandomDataset", num_samples, shuffle, None, num_shards, shard_id)
        schema = Schema(schema) if isinstance(schema, str) else schema
        if schema is not None and not isinstance(schema, Schema):
            raise TypeError(f"RandomDataset: schema is {schema!r}; need a Schema or the path of its file")
        self._described = _random_columns(schema, columns_list)
        rows = total_rows if total_rows is not None else (schema and schema.get_num_rows()) or _DEFAULT_ROWS
        self.total_rows = require_int("RandomDataset", "total_rows", rows, 1)
        self.sampler = samplers.chosen_sampler(
            "RandomDataset", num_samples, None, False, num_shards, shard_id
        )

    def columns(self) -> list:
        return [column["name"] for column in self._described]

    def count_rows(self, endless):
        return self.sampler.count_of(self.total_rows)

    def build(self, run):
        def read(index):
            generator = np.random.default_rng((run.seed, index))
            return [_random_value(generator, column) for column in self._described]

        return _native.sampled(
            _native.python_source(read, self.total_rows), self.sampler.order(self.total_rows)
        )


def _random_columns(schema, columns_list):
    described = schema.columns if schema is not None else _DEFAULT_COLUMNS
    if columns_list is None:
        return described
    names = column_list("RandomDataset", "columns_list", columns_list)
    by_name: dict[Any, Any] = {column["name"]: column for column in described}
    for name in names:
        if name not in by_name:
            raise ValueError(f"RandomDataset: columns_list has {name!r}; the schema has {', '.join(by_name)}")
    return [by_name[name] for name in names]


_DEFAULT_COLUMNS = [{"name": f"c{at}", "type": kind, "shape": [2]} for at, kind in enumerate(_DEFAULT_TYPES)]


def _random_value(generator, column):
    shape = [1 if size is None or size < 0 else size for size in column.get("shape") or []]
    if column["type"] in _TEXTS:
        return np.array(
            ["".join(map(chr, generator.integers(97, 123, 8)))] * max(1, int(np.prod(shape)))
        ).reshape(shape)
    dtype = np.dtype(column["type"])
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.asarray(generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True))
    return np.asarray(generator.random(shape), dtype=dtype)
