"""Stages that Python runs row by row, in order, on the rows of a pipeline."""

import itertools

from dyad import _core
from dyad.dataset._error_text import explained


def in_python(dataset, run, rows_of, stage):
    """A native stage of the rows that `rows_of(epoch, rows)` yields from an iterator over the rows of `dataset`."""
    epochs = itertools.count()

    def start():
        epoch = next(epochs)
        return rows_of(epoch, _rows(dataset, run, epoch))

    return _core.data.iterated(start, explained(stage))


def _rows(dataset, run, epoch):
    """The rows of one epoch, as lists of arrays."""
    inner = run.child(epoch)
    try:
        inner.start(dataset.build(inner), 1)
        while (row := inner.next(False)) is not None:
            yield row
    finally:
        inner.close()
        run.forget(inner.close)
