"""Rows of a program's own source: read, checked and, for batches, stacked."""

import numpy as np

from dyad import dtype as dtypes
from dyad.dataset.schema import Schema

_TEXTS = ("string", "bytes")


def numpy_type(owner, kind):
    """The NumPy dtype of a dtype of the framework, of NumPy or a name."""
    if isinstance(kind, np.dtype):
        return kind
    try:
        if isinstance(kind, str) or (isinstance(kind, type) and issubclass(kind, np.generic)):
            return np.dtype(kind)
        return np.dtype(dtypes.dtype_to_nptype(kind))
    except (TypeError, ValueError, KeyError):
        raise TypeError(f"{owner}: column_types has {kind!r}; need element types such as float32") from None


def columns_of_schema(schema):
    """Names and dtypes of a Schema, or of the path of its file."""
    schema = Schema(schema) if isinstance(schema, str) else schema
    if not isinstance(schema, Schema):
        raise TypeError(f"GeneratorDataset: schema is {schema!r}; need a Schema or the path of its file")
    types = [None if column["type"] in _TEXTS else np.dtype(column["type"]) for column in schema.columns]
    return [column["name"] for column in schema.columns], types


class RowCheck:
    """Checks and converts a row of a source to one value per column."""

    def __init__(self, owner, names, types):
        self.owner, self.names, self.types = owner, names, types

    def __call__(self, row):
        values = row if isinstance(row, (tuple, list)) else (row,)
        if len(values) != len(self.names):
            raise ValueError(f"the source gave {len(values)} values; need {len(self.names)}, one per column")
        for name, value in zip(self.names, values, strict=True):
            if value is None:
                raise TypeError(
                    f"the source gave None for the column {name!r}; need an array, a number or a text"
                )
        return values if self.types is None else list(map(self._typed, self.names, values, self.types))

    @staticmethod
    def _typed(name, value, wanted):
        if wanted is None:
            return value
        array = np.asarray(value)
        is_array = isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "asnumpy")
        if array.dtype != wanted and (is_array or not _holds(wanted, array)):
            raise TypeError(
                f"the source gave {array.dtype} for the column {name!r}; column_types says {wanted}"
            )
        return array.astype(wanted, copy=False)


def _holds(wanted, array):
    """Returns whether a dtype holds the Python numbers, or strings, from which NumPy made an array."""
    if wanted.kind in "iu" and array.dtype.kind in "iu" and array.size:
        return np.iinfo(wanted).min <= array.min() and array.max() <= np.iinfo(wanted).max
    return np.can_cast(array.dtype, wanted, casting="same_kind")


class ReadRows:
    """Reads a row by its number, or the columns of several rows by a list of numbers."""

    def __init__(self, source, check):
        self.source, self.check = source, check

    def __call__(self, index):
        if not isinstance(index, list):
            return self.check(self.source[index])
        rows = [self.check(self.source[number]) for number in index]
        columns = [
            stacked_if_alike([np.asarray(row[at]) for row in rows]) for at in range(len(self.check.names))
        ]
        return None if any(column is None for column in columns) else columns


def stacked_if_alike(arrays):
    """An array of all of them; None if shapes or types differ, or if they are not arrays of numbers or strings."""
    first = arrays[0]
    if any(array.shape != first.shape or array.dtype.kind != first.dtype.kind for array in arrays):
        return None
    is_text = first.dtype.kind in "US"
    alike = is_text or all(array.dtype == first.dtype for array in arrays)
    return np.stack(arrays) if alike and first.dtype.kind in "biufcUS" else None


class ReadBatch:
    """Reads the rows of a batch and makes columns of them."""

    def __init__(self, source, check, collate):
        self.source, self.check, self.collate = source, check, collate

    def __call__(self, indices):
        rows = [self.check(self.source[int(index)]) for index in indices]
        columns = [[np.asarray(row[at]) for row in rows] for at in range(len(self.check.names))]
        made = columns if self.collate is None else self.collate(*columns)
        made = made if isinstance(made, (tuple, list)) else (made,)
        if len(made) != len(self.check.names):
            raise ValueError(f"collate_fn gave {len(made)} columns; need {len(self.check.names)}")
        return list(map(stacked, self.check.names, made))

    def of_columns(self, columns, key):
        """The same as a transform of one column, the numbers of the rows."""
        return self(columns[0])


def stacked(name, column):
    """An array of the values of a column, of dicts one per key; what is not a list is one already."""
    if not isinstance(column, (list, tuple)):
        return column
    if column and all(isinstance(value, dict) for value in column):
        if any(value.keys() != column[0].keys() for value in column):
            raise ValueError(f"column {name!r} has dicts of different keys; need the same in each row")
        return {key: stacked(f"{name}[{key!r}]", [value[key] for value in column]) for key in column[0]}
    arrays = [np.asarray(value) for value in column]
    made = stacked_if_alike(arrays) if arrays else np.array([])
    if made is None:
        kinds = sorted({f"{array.dtype} {array.shape}" for array in arrays})
        raise ValueError(f"column {name!r} has rows of {' and '.join(kinds)}; need the same dtype and shape")
    return made
