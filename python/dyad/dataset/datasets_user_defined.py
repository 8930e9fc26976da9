"""`GeneratorDataset`: rows that a program's own object or function makes."""

import itertools
import threading
import types

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.error_owner import warn_user
from dyad.dataset import _generator_rows, _workers, samplers
from dyad.dataset._error_text import explained
from dyad.dataset._mappable import MappableDataset, check_row_arguments
from dyad.dataset._mapping import check_max_rowsize
from dyad.dataset._selecting import column_list

_native = _core.data
_OWNER = "GeneratorDataset"


class GeneratorDataset(MappableDataset):
    """Rows of a user-defined source: an object with `__getitem__` and `__len__`, an iterable, or a generator
    function.

    Args:
        source: the object or function. A row is a value, or a tuple or list of one value per column.
        column_names (str, list): names of the columns. Default: None, those of `schema`.
        column_types (list): dtypes that the columns must have.
        schema (Schema): names, types and shapes, instead of `column_names` and `column_types`.
        num_samples (int): maximum number of rows.
        num_parallel_workers (int): workers that read rows; with 1 rows are read one after another, in order.
        shuffle (bool): whether the order is random. Default: True for a source with random access.
        sampler: selects the rows of a source with random access.
        num_shards, shard_id (int): number of shards, and the index of this one.
        python_multiprocessing (bool): whether several workers are processes, not threads.
        max_rowsize: no effect; shared memory grows with the rows.
        batch_sampler: yields lists of indexes of rows; each becomes a batch.
        collate_fn (callable): converts a list of values per column to the columns of such a batch.
    """

    def __init__(
        self,
        source,
        column_names: str | list | None = None,
        column_types: list | None = None,
        schema=None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        python_multiprocessing: bool = True,
        max_rowsize=None,
        batch_sampler=None,
        collate_fn=None,
    ) -> None:
        super().__init__(num_parallel_workers=num_parallel_workers)
        self.source = source
        self.random_access = _has_random_access(source)
        self._rows = _generator_rows.RowCheck(_OWNER, *_described_columns(column_names, column_types, schema))
        self.python_multiprocessing = require_bool(_OWNER, "python_multiprocessing", python_multiprocessing)
        check_max_rowsize(_OWNER, max_rowsize)
        chosen = (num_samples, shuffle, sampler, num_shards, shard_id)
        self._set_sampler(*chosen)
        self._set_batches(batch_sampler, collate_fn, chosen)
        self._spent = False

    def _set_sampler(self, num_samples, shuffle, sampler, num_shards, shard_id):
        check_row_arguments(_OWNER, num_samples, shuffle, sampler, num_shards, shard_id)
        if not self.random_access:
            for name, value in (("sampler", sampler), ("num_shards", num_shards)):
                if value is not None:
                    raise ValueError(
                        f"{_OWNER}: {name} is {value!r}, but the source has no random access; it needs __getitem__ "
                        "and __len__"
                    )
            if shuffle:
                warn_user(f"{_OWNER}: shuffle=True changes nothing, the source has no random access")
                shuffle = False
        if isinstance(sampler, samplers.PKSampler):
            raise ValueError(
                f"{_OWNER}: sampler is a PKSampler, but the source does not tell the classes of its rows"
            )
        if num_samples is not None:
            require_int(_OWNER, "num_samples", num_samples, 0)
        self.num_samples = num_samples or 0
        self.sampler = samplers.chosen_sampler(
            _OWNER, num_samples, sampler, shuffle, num_shards, shard_id, shuffles=self.random_access
        )

    def _set_batches(self, batch_sampler, collate_fn, chosen):
        self.batch_sampler, self.collate_fn = batch_sampler, collate_fn
        if batch_sampler is None:
            if collate_fn is not None:
                raise ValueError(f"{_OWNER}: collate_fn is given without batch_sampler; need both or none")
            return
        if any(value is not None for value in chosen):
            raise ValueError(
                f"{_OWNER}: batch_sampler excludes num_samples, shuffle, sampler, num_shards and shard_id; need None"
            )
        if not self.random_access:
            raise ValueError(f"{_OWNER}: batch_sampler needs a source with __getitem__ and __len__")
        if not hasattr(batch_sampler, "__iter__"):
            raise TypeError(
                f"{_OWNER}: batch_sampler is {batch_sampler!r}; need an iterable of lists of ints"
            )
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"{_OWNER}: collate_fn is {collate_fn!r}; need a function")

    @property
    def can_choose_rows(self):  # type: ignore[override]  # read-only in place of the class attribute
        return self.random_access and self.batch_sampler is None

    def columns(self):
        return self._rows.names

    @property
    def column_names(self) -> list:
        """Names of the columns."""
        return list(self._rows.names)

    def source_size(self) -> int:
        size = len(self.source)
        if size < 1:
            raise RuntimeError(f"{_OWNER}: the source has {size} rows; need one or more")
        return size

    def count_rows(self, endless):
        if self.batch_sampler is not None:
            return len(self.batch_sampler) if hasattr(self.batch_sampler, "__len__") else None
        if self.random_access:
            return super().count_rows(endless)
        if not hasattr(self.source, "__len__"):
            return None
        return min(len(self.source), self.num_samples) if self.num_samples else len(self.source)

    def rows_in_batch(self):
        return 1 if self.batch_sampler is None else -1

    def read_source(self, index) -> tuple:
        """Row number `index` of the source."""
        return tuple(np.asarray(value) for value in self._rows(self.source[index]))

    def read_row(self, index):
        return super().read_row(index) if self.can_choose_rows else self._run_to(index)

    def _run_to(self, index):
        for row in itertools.islice(self.create_tuple_iterator(num_epochs=1, output_numpy=True), index, None):
            return tuple(row)
        raise IndexError(f"{_OWNER}: there is no row {index}")

    def reads_in_python(self):
        return self.num_parallel_workers == 1

    def build(self, run):
        if self.batch_sampler is not None:
            return self._build_batches(run)
        if not self.random_access:
            return _native.iterated(self._start, explained(f"{_OWNER}: the source"))
        choose = self._chooser(run)
        if self.num_parallel_workers > 1:
            order = _native.python_order(lambda _epoch: choose(), explained(f"{_OWNER}: the source"))
            return _native.sampled(self.open_rows(run), order)
        return self._build_in_order(choose)

    def _chooser(self, run):
        """A function that returns the indexes of an epoch's rows, for any number of workers that read them."""
        order, size, seed, epochs = self.order(), self.source_size(), run.seed, itertools.count()

        def choose():
            epoch = next(epochs)
            return order.choose(size, _native.mix_keys(seed, epoch), epoch)

        return choose

    def open_rows(self, run):
        read = self._reader(run, _generator_rows.ReadRows(self.source, self._rows))
        stacked = read if self.num_parallel_workers > 1 else None
        return _native.python_source(read, self.source_size(), explained(f"{_OWNER}: the source"), stacked)

    def _reader(self, run, read):
        """The function itself, or one that hands its calls to processes."""
        if self.num_parallel_workers < 2 or not self.python_multiprocessing:
            return _alone(read) if self.num_parallel_workers < 2 else read
        pool = _workers.WorkerPool(read, self.num_parallel_workers, f"{_OWNER}: the source")
        run.on_close(pool.close)
        return pool

    def _build_in_order(self, choose):
        """Rows one after another: a source may keep state, and draw from Python's and NumPy's random numbers."""
        read = _generator_rows.ReadRows(self.source, self._rows)
        return _native.iterated(lambda: map(read, choose()), explained(f"{_OWNER}: the source"))

    def _build_batches(self, run):
        read = _generator_rows.ReadBatch(self.source, self._rows, self.collate_fn)
        explain = explained(f"{_OWNER}: the source")
        if self.num_parallel_workers < 2:
            return _native.iterated(lambda: map(read, iter(self.batch_sampler)), explain)
        stage = _native.iterated(lambda: ([_index_array(batch)] for batch in self.batch_sampler), explain)
        reader = self._reader(run, read.of_columns)
        return _native.mapped(stage, [_native.python_transform(reader, explain)], [0])

    def _start(self):
        """The rows of an epoch, of a source without random access."""
        rows = (
            self.source() if callable(self.source) and not hasattr(self.source, "__iter__") else self.source
        )
        if isinstance(rows, types.GeneratorType) and rows is self.source:
            if self._spent:
                raise RuntimeError(
                    "the source is a generator, which is used up; give the function that makes it"
                )
            self._spent = True
        return map(self._rows, itertools.islice(rows, self.num_samples or None))


def _index_array(batch):
    return np.asarray(list(batch), dtype=np.int64)


def _alone(read):
    """The function, called by one thread at a time."""
    lock = threading.Lock()

    def read_alone(index):
        with lock:
            return read(index)

    return read_alone


def _has_random_access(source):
    if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
        return True
    if callable(source) or hasattr(source, "__iter__") or hasattr(source, "__next__"):
        return False
    raise TypeError(
        f"{_OWNER}: source is {source!r}; need an object with __getitem__ and __len__, an iterable, or a function "
        "that gives a generator"
    )


def _described_columns(column_names, column_types, schema):
    """Names and dtypes, from the arguments or the schema."""
    if schema is not None:
        if column_names is not None or column_types is not None:
            raise ValueError(f"{_OWNER}: schema is given with column_names or column_types; need one of them")
        return _generator_rows.columns_of_schema(schema)
    if column_names is None:
        raise ValueError(f"{_OWNER}: column_names is None; need names, or a schema")
    names = column_list(_OWNER, "column_names", column_names)
    if column_types is None:
        return names, None
    types_given = column_types if isinstance(column_types, (list, tuple)) else [column_types]
    if len(types_given) != len(names):
        raise ValueError(f"{_OWNER}: column_types has {len(types_given)} types for {len(names)} columns")
    return names, [_generator_rows.numpy_type(_OWNER, kind) for kind in types_given]
