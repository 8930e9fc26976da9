"""Datasets that apply functions to the columns of each row."""

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.dataset import _callables, _watched_map, config
from dyad.dataset._dataset import Dataset
from dyad.dataset._selecting import RowByRow, column_list
from dyad.dataset.callback import DSCallback

_native = _core.data


def _optional_columns(owner, name, columns):
    return None if columns is None else column_list(owner, name, columns)


def arranged(known, taken, made):
    """Names and order of the columns after `made` have replaced `taken`.

    The order is that of (results, other columns). Results as many as the inputs keep their positions; otherwise
    results come first.
    """
    others = [name for name in known if name not in taken]
    row = [*made, *others]
    if len(taken) != len(made):
        return row, list(range(len(row)))
    place = {name: at for at, name in enumerate(taken)}
    rest = iter(range(len(made), len(row)))
    order = [place[name] if name in place else next(rest) for name in known]
    return [row[at] for at in order], order


class MapDataset(RowByRow, method="map"):
    """Operations on columns of every row."""

    def __init__(
        self,
        input_dataset,
        operations=None,
        input_columns=None,
        output_columns=None,
        num_parallel_workers=None,
        python_multiprocessing=False,
        cache=None,
        callbacks=None,
        max_rowsize=None,
        offload=None,
    ):
        super().__init__([input_dataset], num_parallel_workers, cache)
        self.operations = _callables.check_operations(operations)
        self.input_columns = _optional_columns("map", "input_columns", input_columns)
        self.output_columns = _optional_columns("map", "output_columns", output_columns)
        self.python_multiprocessing = require_bool("map", "python_multiprocessing", python_multiprocessing)
        self.callbacks = _checked_callbacks(callbacks)
        if offload is not None:
            require_bool("map", "offload", offload)
        check_max_rowsize("map", max_rowsize)

    def taken(self):
        """Names of the columns that the first operation gets."""
        return self.input_columns or self.children[0].columns()[:1]

    def _arranged(self):
        known, taken = self.children[0].columns(), self.taken()
        self.children[0].positions(taken, "map")
        return arranged(known, taken, self.output_columns or taken)

    def find_columns(self):
        names, order = self._arranged()
        return [names[at] for at in self._kept(names, order)]

    def _kept(self, names, order):
        """Indexes of the columns that remain: a result replaces another column of its name."""
        made = self.output_columns or self.taken()
        return [at for at, place in enumerate(order) if place < len(made) or names[at] not in made]

    def processes(self):
        """Number of processes that run the Python functions; 1 means this process."""
        workers = self.num_parallel_workers or config.get_num_parallel_workers()
        return workers if self.python_multiprocessing and self.calls_functions() else 1

    def calls_functions(self):
        return not all(map(_callables.is_native, self.operations))

    def works_natively(self):
        return any(map(_callables.is_native, self.operations))

    def as_batches(self):
        """Returns whether processes can receive whole batches: one message for a batch, not for a row."""
        names, order = self._arranged()
        plain = not any(map(_callables.is_native, self.operations)) and len(self._kept(names, order)) == len(
            names
        )
        return plain and self.processes() > 1 and not _watched_map.is_wanted(self.callbacks)

    def build_batches(self, run, batch):
        """The stage of a `batch` over this `map`; `batch(stage, transform, take, arrange, names)` builds it."""
        child, taken = self.children[0], self.taken()
        _, order = self._arranged()
        transform = _callables.batch_transform(
            self.operations, self.output_columns or taken, run, self.processes()
        )
        others = [name for name in child.columns() if name not in taken]
        return batch(child.build(run), transform, child.positions(taken, "map"), order, others)

    def build(self, run):
        names, order = self._arranged()
        take = self.children[0].positions(self.taken(), "map")
        transforms = _callables.transforms_of(self.operations, run, self.processes())
        if _watched_map.is_wanted(self.callbacks):
            stage = _watched_map.watched(self, run, transforms, take, order)
        else:
            stage = _native.mapped(self.children[0].build(run), transforms, take, order)
        keep = self._kept(names, order)
        return stage if len(keep) == len(names) else _native.projected(stage, keep)


def check_max_rowsize(owner, max_rowsize):
    """An int of -1 or more, or a list of one or two of them: accepted, since shared memory grows with the rows."""
    sizes = max_rowsize if isinstance(max_rowsize, list) else [] if max_rowsize is None else [max_rowsize]
    for size in sizes:
        require_int(owner, "max_rowsize", size, -1)


def _checked_callbacks(callbacks):
    callbacks = (
        [] if callbacks is None else callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    )
    for callback in callbacks:
        if not isinstance(callback, DSCallback):
            raise TypeError(f"map: callbacks has {callback!r}; need a DSCallback")
    return list(callbacks)


class FilterDataset(Dataset, method="filter"):
    """The rows that pass a test."""

    def __init__(self, input_dataset, predicate, input_columns=None, num_parallel_workers=None):
        super().__init__([input_dataset], num_parallel_workers)
        if not callable(predicate):
            raise TypeError(f"filter: predicate is {predicate!r}; need a function of columns")
        self.predicate = predicate
        self.input_columns = _optional_columns("filter", "input_columns", input_columns)

    def count_rows(self, endless):
        return None

    def build(self, run):
        child = self.children[0]
        take = child.positions(self.input_columns or child.columns(), "filter")
        stage = f"filter: the predicate {_callables.name_of(self.predicate)}"
        test = _callables.function_transform(self._passes, stage)
        return _native.filtered(child.build(run), test, take)

    def _passes(self, *columns):
        passes = self.predicate(*columns)
        if np.size(passes) != 1:
            raise ValueError(
                f"the predicate {_callables.name_of(self.predicate)} gave {passes!r}; need one truth value"
            )
        return bool(passes)
