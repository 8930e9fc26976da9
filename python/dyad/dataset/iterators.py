"""Iterators: a dataset at work."""

import copy
import threading
import weakref
from collections.abc import Callable
from typing import Self

import numpy as np

from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.dataset import _run, config


class Iterator:
    """Returns the rows of a dataset. Threads compute them ahead until the iterator is closed or deleted.

    One `for` over it is one epoch. After the last of `num_epochs` epochs it is exhausted: to continue is an error.
    """

    _row: Callable

    _columns: list[str] | None = None

    def __init__(
        self, dataset, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> None:
        owner = type(self).__name__
        require_int(owner, "num_epochs", num_epochs)
        if num_epochs != -1 and num_epochs < 1:
            raise ValueError(f"{owner}: num_epochs is {num_epochs}; need -1 or an int of at least 1")
        self._as_tensors = not require_bool(owner, "output_numpy", output_numpy)
        self._do_copy = require_bool(owner, "do_copy", do_copy) or config.get_iterator_mode()["do_copy"]
        self.dataset = dataset
        self._names = dataset.get_col_names()
        self._epochs, self._epoch = num_epochs, 0
        self._rows = 0  # of the epoch under way
        self._run = _run.start(self._projected(dataset), num_epochs)
        self._finalizer = weakref.finalize(self, _close_elsewhere, self._run)

    def _projected(self, dataset):
        return dataset

    def get_col_names(self) -> list:
        """Names of the columns, in the order of the rows."""
        return list(self._names)

    def __iter__(self):
        return self

    def __next__(self):
        if self._run.closed:
            raise RuntimeError(self._ended())
        try:
            row = self._run.next(self._as_tensors)
        except StopIteration:
            row = None
        except BaseException:
            self.stop()
            raise
        if row is None:
            self._end_epoch()
            raise StopIteration
        self._rows += 1
        if any(type(value) is dict for value in row):
            row = [_of_object(value, self._as_tensors) if type(value) is dict else value for value in row]
        return self._row(copy.deepcopy(row) if self._do_copy else row)

    def _end_epoch(self):
        self.dataset.note_size(self._rows)
        self._epoch, self._rows = self._epoch + 1, 0
        if self._epoch == self._epochs:
            self.stop()

    def _ended(self):
        if self._epoch == self._epochs:
            return (
                f"{type(self).__name__}: all of num_epochs={self._epochs} epochs have been read; "
                "make a new iterator, or give a larger num_epochs"
            )
        return f"{type(self).__name__}: the iterator was stopped; make a new one"

    def stop(self) -> None:
        """Ends the threads and processes of the iterator."""
        self._run.close()

    release = terminate = close = stop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error):
        self.stop()

    def __deepcopy__(self, memo):
        return self


class TupleIterator(Iterator):
    """Returns rows as lists, of the named columns only where names are given."""

    def __init__(
        self, dataset, columns=None, num_epochs=-1, output_numpy: bool = False, do_copy: bool = False
    ) -> None:
        if columns is not None:
            columns = [columns] if isinstance(columns, str) else columns
            if not isinstance(columns, (list, tuple)) or not all(isinstance(name, str) for name in columns):
                raise TypeError(f"TupleIterator: columns is {columns!r}; need a str or a list of str")
            self._columns = list(columns)
        super().__init__(dataset, num_epochs, output_numpy, do_copy)

    def _projected(self, dataset):
        if self._columns is None:
            return dataset
        self._names = self._columns
        return dataset.project(self._columns)

    def _row(self, row):
        return row


class DictIterator(Iterator):
    """Returns rows as dicts from names to values."""

    def _row(self, row):
        return dict(zip(self._names, row, strict=True))


def _of_object(value, as_tensors):
    """A column that is a dict, with its leaves as the values of other columns; what holds them keeps its kind."""
    if isinstance(value, dict):
        return {key: _of_object(item, as_tensors) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_of_object(item, as_tensors) for item in value)
    if value is None or isinstance(value, bytes):
        return value
    array = np.asarray(value)
    if array.dtype.kind == "O":  # an object of the program's own
        return value
    return Tensor(array) if as_tensors and array.dtype.kind in "biufc" else array


def _close_elsewhere(run):
    """Closes the run of an iterator that was deleted.

    The current thread may belong to the run, and cannot wait for its own end; so another thread does.
    """
    if run.closed:
        return
    if threading.current_thread() is threading.main_thread():
        run.close()
    else:
        threading.Thread(target=run.close, daemon=True).start()
