"""Datasets that stack rows into batches."""

import numbers
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.dataset import _callables, _workers, config
from dyad.dataset._dataset import Dataset, batches_of
from dyad.dataset._error_text import explained, name_of
from dyad.dataset._generator_rows import stacked
from dyad.dataset._mapping import MapDataset, arranged, check_max_rowsize
from dyad.dataset._selecting import column_list

_native = _core.data
_LARGEST = (1 << 31) - 1


class BatchInfo:
    """Number of the batch and of the epoch that a function is called for."""

    def __init__(self, epoch_num=0, batch_num=0):
        self._epoch_num, self._batch_num = int(epoch_num), int(batch_num)

    def get_batch_num(self):
        """The number of the batch in its epoch, from 0."""
        return self._batch_num

    def get_epoch_num(self):
        """The number of the epoch, from 0."""
        return self._epoch_num


def _batch_size(owner, batch_size):
    if isinstance(batch_size, bool) or not isinstance(batch_size, numbers.Integral):
        raise TypeError(
            f"{owner}: batch_size is {batch_size!r} of type {type(batch_size).__name__}; need an int"
        )
    if not 1 <= int(batch_size) <= _LARGEST:
        raise ValueError(f"{owner}: batch_size is {batch_size}; need an int in [1, {_LARGEST}]")
    return int(batch_size)


class BatchDataset(Dataset, method="batch"):
    """Rows of equal shapes, stacked; a function may change the columns of a batch before."""

    input_columns: list[str] | None
    output_columns: list[str] | None

    def __init__(
        self,
        input_dataset,
        batch_size,
        drop_remainder=False,
        num_parallel_workers=None,
        per_batch_map=None,
        input_columns=None,
        output_columns=None,
        python_multiprocessing=False,
        max_rowsize=None,
    ):
        super().__init__([input_dataset], num_parallel_workers)
        self.size = batch_size if callable(batch_size) else _batch_size("batch", batch_size)
        self.drop_remainder = require_bool("batch", "drop_remainder", drop_remainder)
        self.python_multiprocessing = require_bool("batch", "python_multiprocessing", python_multiprocessing)
        self.per_batch_map = per_batch_map
        self._check_map(per_batch_map, input_columns, output_columns)
        check_max_rowsize("batch", max_rowsize)

    def calls_functions(self):
        return self.per_batch_map is not None

    def _check_map(self, function, input_columns, output_columns):
        if function is not None and not callable(function):
            raise TypeError(f"batch: per_batch_map is {function!r}; need a function")
        for name, columns in (("input_columns", input_columns), ("output_columns", output_columns)):
            if columns is not None and function is None:
                raise ValueError(f"batch: {name} is {columns!r} without per_batch_map; need None")
            setattr(self, name, None if columns is None else column_list("batch", name, columns))

    def taken(self):
        """Names of the columns that `per_batch_map` gets."""
        return self.input_columns or self.children[0].columns()

    def _arranged(self):
        known, taken = self.children[0].columns(), self.taken()
        self.children[0].positions(taken, "batch")
        return arranged(known, taken, self.output_columns or taken)

    def find_columns(self):
        if self.per_batch_map is None:
            return self.children[0].columns()
        names, _ = self._arranged()
        if len(set(names)) < len(names):
            raise RuntimeError(f"batch: the columns would be {names}; need every name once")
        return names

    def count_rows(self, endless):
        if callable(self.size):
            return None
        return batches_of(self.children[0].count_rows(endless), self.size, self.drop_remainder)

    @property
    def batch_size(self):
        """Rows in a batch, or the function that returns them."""
        return self.size

    def rows_in_batch(self):
        return -1 if callable(self.size) else self.size

    def build(self, run):
        child = self.children[0]
        names = child.columns()
        size = self._size_of if callable(self.size) else self.size
        explain = explained("batch: the function batch_size")
        if self.per_batch_map is None and isinstance(child, MapDataset) and child.as_batches():
            with run.stacking(size):
                return child.build_batches(run, self._over_map(size, explain))
        with run.stacking(size):
            stage = child.build(run)
        if self.per_batch_map is None:
            return _native.batched(stage, size, self.drop_remainder, names=names, explain=explain)
        _, order = self._arranged()
        others = [name for name in names if name not in self.taken()]
        transform, take = self._transform(run), child.positions(self.taken(), "batch")
        return _native.batched(
            stage, size, self.drop_remainder, None, transform, take, order, names=others, explain=explain
        )

    def _over_map(self, size, explain):
        def batch(stage, transform, take, arrange, names):
            return _native.batched(
                stage, size, self.drop_remainder, None, transform, take, arrange, names=names, explain=explain
            )

        return batch

    def _size_of(self, epoch, batch):
        size = self.size(BatchInfo(epoch, batch))
        if isinstance(size, bool) or not isinstance(size, numbers.Integral):
            raise TypeError(f"batch_size gave {size!r}; need an int")
        if size < 1:
            raise ValueError(f"batch_size gave {size}; need an int of at least 1")
        return int(size)

    def _transform(self, run):
        step: Any = BatchStep(self.per_batch_map, self.output_columns or self.taken())
        stage = f"batch: the function {name_of(self.per_batch_map)}"
        if self.python_multiprocessing:
            count = self.num_parallel_workers or config.get_num_parallel_workers()
            step = _workers.WorkerPool(step, count, stage)
            run.on_close(step.close)
        return _native.python_transform(step, explained(stage))


class BatchStep:
    """A function of whole columns, as a transform; its results are stacked."""

    def __init__(self, function, names):
        self.function, self.names = function, names

    def __call__(self, columns, key):
        *lists, place = columns
        made = self.function(*lists, BatchInfo(*place))
        made = made if isinstance(made, tuple) else (made,)
        if len(made) != len(self.names):
            raise ValueError(f"per_batch_map gave {len(made)} columns; need {len(self.names)}")
        for name, column in zip(self.names, made, strict=True):
            if isinstance(column, list) and len(column) != len(lists[0]):
                raise ValueError(f"per_batch_map gave {len(column)} rows of {name!r}; need {len(lists[0])}")
        return tuple(map(stacked, self.names, made))


def paddings(owner, pad_info, columns):
    """(shape, value) per column for the native stage, None for a column that is not padded."""
    if pad_info is None:
        return None
    for name in pad_info:
        if name not in columns:
            raise RuntimeError(
                f"{owner}: pad_info has the column {name!r}; the columns are {', '.join(columns)}"
            )
    if not pad_info:
        return [(None, None)] * len(columns)
    return [_padding(*pad_info[name]) if name in pad_info else None for name in columns]


def _padding(shape, value):
    return (None if shape is None else [-1 if size is None else int(size) for size in shape], value)


def check_pad_info(owner, pad_info):
    """None, or a dict from columns to (shape, value); None instead of a pair is the largest, filled with zeros."""
    if pad_info is None:
        return None
    if not isinstance(pad_info, dict):
        raise TypeError(f"{owner}: pad_info is {pad_info!r}; need a dict from columns to (shape, value)")
    pad_info = {name: (None, None) if entry is None else entry for name, entry in pad_info.items()}
    for name, entry in pad_info.items():
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise TypeError(f"{owner}: pad_info[{name!r}] is {entry!r}; need a pair (shape, value)")
        shape, value = entry
        _check_pad_shape(owner, name, shape)
        if value is not None and not isinstance(value, (numbers.Real, str, bytes)):
            raise TypeError(
                f"{owner}: pad_info[{name!r}] has the value {value!r}; need a number, str or None"
            )
    return pad_info


def _check_pad_shape(owner, name, shape):
    if shape is not None and not isinstance(shape, (list, tuple)):
        raise TypeError(f"{owner}: pad_info[{name!r}] has the shape {shape!r}; need a list or None")
    for size in shape or ():
        if size is not None:
            require_int(owner, f"pad_info[{name!r}]", size, 1)


class PaddedBatchDataset(Dataset, method="padded_batch"):
    """Rows that are filled up to one shape and stacked."""

    def __init__(
        self, input_dataset, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None
    ):
        super().__init__([input_dataset], num_parallel_workers)
        self.size = batch_size if callable(batch_size) else _batch_size("padded_batch", batch_size)
        self.drop_remainder = require_bool("padded_batch", "drop_remainder", drop_remainder)
        self.pad_info = check_pad_info("padded_batch", pad_info)

    count_rows = BatchDataset.count_rows
    batch_size, rows_in_batch = BatchDataset.batch_size, BatchDataset.rows_in_batch
    _size_of: Callable = BatchDataset._size_of

    def build(self, run):
        names = self.children[0].columns()
        size = self._size_of if callable(self.size) else self.size
        pad = paddings("padded_batch", self.pad_info, names)
        explain = explained("padded_batch: the function batch_size")
        with run.stacking(size):
            stage = self.children[0].build(run)
        return _native.batched(stage, size, self.drop_remainder, pad, names=names, explain=explain)


class BucketBatchByLengthDataset(Dataset, method="bucket_batch_by_length"):
    """Batches of rows of similar length."""

    def __init__(
        self,
        input_dataset,
        column_names,
        bucket_boundaries,
        bucket_batch_sizes,
        element_length_function=None,
        pad_info=None,
        pad_to_bucket_boundary=False,
        drop_remainder=False,
    ):
        super().__init__([input_dataset])
        owner = "bucket_batch_by_length"
        self.column_names = column_list(owner, "column_names", column_names)
        self.bucket_boundaries = _increasing(owner, bucket_boundaries)
        self.bucket_batch_sizes = _sizes(owner, bucket_batch_sizes, len(bucket_boundaries) + 1)
        self.element_length_function = element_length_function
        if element_length_function is None and len(self.column_names) != 1:
            raise ValueError(
                f"{owner}: column_names is {self.column_names}; need one without element_length_function"
            )
        if element_length_function is not None and not callable(element_length_function):
            raise TypeError(
                f"{owner}: element_length_function is {element_length_function!r}; need a function"
            )
        self.pad_info = check_pad_info(owner, pad_info) or {}
        self.pad_to_bucket_boundary = require_bool(owner, "pad_to_bucket_boundary", pad_to_bucket_boundary)
        self.drop_remainder = require_bool(owner, "drop_remainder", drop_remainder)

    def count_rows(self, endless):
        return None

    def rows_in_batch(self):
        return -1

    def build(self, run):
        owner, child = "bucket_batch_by_length", self.children[0]
        names, function = child.columns(), self.element_length_function
        length = function and _callables.function_transform(
            function, f"{owner}: the function {name_of(function)}"
        )
        return _native.bucketed(
            child.build(run),
            self.bucket_boundaries,
            self.bucket_batch_sizes,
            length,
            child.positions(self.column_names, owner),
            paddings(owner, self.pad_info, names),
            self.drop_remainder,
            self.pad_to_bucket_boundary and bool(self.pad_info),
            names,
        )


def _increasing(owner, boundaries):
    if not isinstance(boundaries, list):
        raise TypeError(f"{owner}: bucket_boundaries is {boundaries!r}; need a list of ints")
    if not boundaries:
        raise ValueError(f"{owner}: bucket_boundaries is empty; need one boundary or more")
    for boundary in boundaries:
        require_int(owner, "bucket_boundaries", boundary, 1)
    if any(second <= first for first, second in pairwise(boundaries)):
        raise ValueError(f"{owner}: bucket_boundaries is {boundaries}; need each above the one before")
    return boundaries


def _sizes(owner, sizes, count):
    if not isinstance(sizes, list):
        raise TypeError(f"{owner}: bucket_batch_sizes is {sizes!r}; need a list of ints")
    if len(sizes) != count:
        raise ValueError(f"{owner}: bucket_batch_sizes has {len(sizes)} sizes; need {count}, one per bucket")
    return [require_int(owner, "bucket_batch_sizes", size, 1) for size in sizes]
