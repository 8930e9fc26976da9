"""`sync_wait`: rows that wait until the program lets them pass."""

import threading

from dyad._src.argument_checks import require_int
from dyad.dataset import _inner, config
from dyad.dataset._dataset import Dataset


class Gate:
    """Lets so many rows pass, and more when it is told to. Closed for good, it lets none pass any more."""

    def __init__(self, name, rows, callback):
        self.name, self.rows, self.callback = name, rows, callback
        self._left = rows
        self._open = False
        self._changed = threading.Condition()

    def release(self, rows=None, data=None):
        """Lets `rows` more pass, after the callback was called with `data`."""
        if self.callback is not None and data is not None:
            self.callback(data)
        with self._changed:
            self._left = (
                self.rows if rows is None else self._left + require_int("sync_update", "num_batch", rows, 1)
            )
            self._changed.notify_all()

    def start(self):
        """A new run: as many rows as at first may pass."""
        with self._changed:
            self._left = self.rows

    def pass_one(self, run):
        """Waits until a row may pass; an error if that takes too long or the run is closed."""
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
        """Whoever waits looks again."""
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
        self.gate.start()
        run.on_close(self.gate.wake)

        def rows_of(epoch, rows):
            for row in rows:
                self.gate.pass_one(run)
                yield row

        return _inner.in_python(self.children[0], run, rows_of, f"sync_wait: {self.gate.name}")
