"""`sync_wait`: rows that wait until the program releases them."""

import threading

from dyad._src.base.argument_checks import require_int
from dyad.dataset import _python_stages, config
from dyad.dataset._dataset import Dataset


class Gate:
    """Admits a number of batches, and more after `release`. Once closed, it admits none.

    A batch is a row, or the rows that are stacked after the gate.
    """

    def __init__(self, name, batches, callback):
        self.name, self.batches, self.callback = name, batches, callback
        self._rows_per_batch = 1
        self._left = batches
        self._open = False
        self._changed = threading.Condition()

    def release(self, batches=None, data=None):
        """Admits `batches` more, after the callback was called with `data`."""
        if self.callback is not None and data is not None:
            self.callback(data)
        with self._changed:
            if batches is None:
                self._left = self.batches * self._rows_per_batch
            else:
                more = require_int("sync_update", "num_batch", batches, 1)
                self._left += more * self._rows_per_batch
            self._changed.notify_all()

    def start(self, rows_per_batch):
        """A new run: as many batches as at first may pass."""
        with self._changed:
            self._rows_per_batch = rows_per_batch
            self._left = self.batches * rows_per_batch

    def pass_one(self, run):
        """Waits until a row is admitted; an error if that takes too long or the run is closed."""
        with self._changed:
            limit = config.get_callback_timeout()
            if not self._changed.wait_for(lambda: self._open or run.closed or self._left > 0, limit):
                raise RuntimeError(
                    f"no sync_update of {self.name!r} has come for {limit} seconds (config.set_callback_timeout)"
                )
            if run.closed:
                raise RuntimeError("the iterator was closed")
            self._left -= 1

    def open(self):
        """All rows may pass from now on."""
        with self._changed:
            self._open = True
            self._changed.notify_all()

    def wake(self):
        """Makes waiting threads check again."""
        with self._changed:
            self._changed.notify_all()


class SyncWaitDataset(Dataset, method="sync_wait"):
    """Rows that pass a gate."""

    def __init__(self, input_dataset, condition_name, num_batch=1, callback=None):
        super().__init__([input_dataset])
        if not isinstance(condition_name, str):
            raise TypeError(f"sync_wait: condition_name is {condition_name!r}; need a str")
        if condition_name in input_dataset.get_sync_notifiers():
            raise RuntimeError(
                f"sync_wait: condition_name {condition_name!r} is in use below; need another one"
            )
        if callback is not None and not callable(callback):
            raise TypeError(f"sync_wait: callback is {callback!r}; need a function")
        self.gate = Gate(condition_name, require_int("sync_wait", "num_batch", num_batch, 1), callback)

    def get_sync_notifiers(self):
        return {**self.children[0].get_sync_notifiers(), self.gate.name: self.gate.release}

    def disable_sync(self):
        self.gate.open()
        super().disable_sync()

    def build(self, run):
        self.gate.start(run.rows_per_batch)
        run.on_close(self.gate.wake)

        def rows_of(epoch, rows):
            for row in rows:
                self.gate.pass_one(run)
                yield row

        return _python_stages.in_python(self.children[0], run, rows_of, f"sync_wait: {self.gate.name}")
