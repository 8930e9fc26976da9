"""Callbacks of `map`: called at the beginning and the end of runs, epochs and rows."""

import threading

from dyad._src.base.argument_checks import require_int
from dyad.dataset import config
from dyad.train.callback import Callback

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["DSCallback", "DSRunContext", "WaitedDSCallback"]

_LARGEST = (1 << 31) - 1


class DSRunContext:
    """The position of a `map`: the epoch and the step, from 1, and the step over all epochs."""

    def __init__(self):
        self.cur_epoch_num = 0
        self.cur_step_num_in_epoch = 0
        self.cur_step_num = 0


class DSCallback:
    """Base class of callbacks for `map`. A subclass overrides methods; each receives the position in the run.

    Args:
        step_size (int): steps between two calls of `ds_step_begin` and `ds_step_end`.
    """

    def __init__(self, step_size: int = 1) -> None:
        if require_int("DSCallback", "step_size", step_size, 1) > _LARGEST:
            raise ValueError(f"DSCallback: step_size is {step_size}; need an int in [1, {_LARGEST}]")
        self.step_size = step_size

    def ds_begin(self, ds_run_context):
        """Called once, before the first row."""

    def ds_epoch_begin(self, ds_run_context):
        """Called before the first row of an epoch."""

    def ds_epoch_end(self, ds_run_context):
        """Called after the last row of an epoch."""

    def ds_step_begin(self, ds_run_context):
        """Called before a row is mapped."""

    def ds_step_end(self, ds_run_context):
        """Called after a row was mapped."""


class WaitedDSCallback(Callback, DSCallback):
    """A callback of `map` that waits for training: an epoch or a step of the pipeline starts after that of training.

    Pass it to `map` and to `Model.train`, and override `sync_epoch_begin` or `sync_step_begin`.

    Args:
        step_size (int): steps of training between two calls; the batch size, for batches.
    """

    def __init__(self, step_size: int = 1) -> None:
        super().__init__()
        DSCallback.__init__(self, step_size)
        self._changed = threading.Condition()
        self._ended = {"epoch": 0, "step": 0}
        self._training = None
        self._over = False

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        """Called before an epoch of the pipeline, once training has ended the epoch before."""

    def sync_step_begin(self, train_run_context, ds_run_context):
        """Called before a step of the pipeline, once training has ended the step before."""

    def ds_epoch_begin(self, ds_run_context) -> None:
        """Waits for training, then calls `sync_epoch_begin`."""
        if (
            type(self).sync_epoch_begin is not WaitedDSCallback.sync_epoch_begin
            and ds_run_context.cur_epoch_num > 1
        ):
            self._wait("epoch", ds_run_context.cur_epoch_num - 1)
            self.sync_epoch_begin(self._training, ds_run_context)

    def ds_step_begin(self, ds_run_context) -> None:
        """Waits for training, then calls `sync_step_begin`."""
        if type(self).sync_step_begin is not WaitedDSCallback.sync_step_begin:
            steps = (ds_run_context.cur_step_num - 1) // self.step_size
            if steps > 0:
                self._wait("step", steps)
                self.sync_step_begin(self._training, ds_run_context)

    def _wait(self, what, count):
        limit = config.get_callback_timeout()
        with self._changed:
            if not self._changed.wait_for(lambda: self._over or self._ended[what] >= count, limit):
                raise RuntimeError(
                    f"{type(self).__name__}: training has not ended {what} {count} in {limit} seconds; is the callback "
                    "given to Model.train, too? (config.set_callback_timeout)"
                )

    def _tell(self, what, run_context):
        with self._changed:
            self._training = run_context
            self._ended[what] += 1
            self._changed.notify_all()

    def epoch_end(self, run_context) -> None:
        """Reports the end of an epoch of training to the pipeline."""
        self._tell("epoch", run_context)

    def step_end(self, run_context) -> None:
        """Reports the end of a step of training to the pipeline."""
        self._tell("step", run_context)

    def end(self, run_context) -> None:
        """Releases the pipeline at the end of training."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
