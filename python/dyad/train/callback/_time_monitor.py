"""`TimeMonitor`: the durations of epochs and steps."""

import time

from dyad._src.base.argument_checks import require_bool, require_int
from dyad.train.callback._callback import Callback


class TimeMonitor(Callback):
    """Prints the duration of each epoch, and its mean per step.

    The number of steps is that of the run, or `data_size` if the run has none. With `data_time` it also prints the
    mean time that a training step waited for its batch.
    """

    def __init__(self, data_size=None, data_time=False):
        self.data_size = (
            data_size if data_size is None else require_int("TimeMonitor", "data_size", data_size, low=1)
        )
        self.data_time = require_bool("TimeMonitor", "data_time", data_time)
        self.epoch_time = time.perf_counter()
        self.data_time_sum = self.data_time_start = 0.0
        self._outer_time = self.epoch_time

    def epoch_begin(self, run_context):
        """Starts the clock."""
        self.epoch_time = self.data_time_start = time.perf_counter()
        self.data_time_sum = 0.0

    def on_train_step_begin(self, run_context):
        """Notes how long the batch took to come."""
        self.data_time_sum += time.perf_counter() - self.data_time_start

    def on_train_step_end(self, run_context):
        """From here on the run waits for its next batch."""
        self.data_time_start = time.perf_counter()

    def epoch_end(self, run_context):
        """Prints the time."""
        run = run_context.original_args()
        took = 1000 * (time.perf_counter() - self.epoch_time)
        steps = run.get("batch_num") or self.data_size
        if not steps:
            raise ValueError("TimeMonitor: the run does not tell its batch_num; need data_size")
        mode = run.get("mode", "")
        text = f"{mode.title()} epoch time: {took:5.3f} ms, per step time: {took / steps:5.3f} ms"
        if self.data_time and mode != "eval":
            text += f" (data time: {1000 * self.data_time_sum / steps:5.3f} ms)"
        print(text, flush=True)

    def on_eval_epoch_begin(self, run_context):
        """Starts another clock: evaluation may come within an epoch of training."""
        self._outer_time, self.epoch_time = self.epoch_time, time.perf_counter()

    def on_eval_epoch_end(self, run_context):
        """Prints the time, which does not count for the epoch of training."""
        self.epoch_end(run_context)
        self.epoch_time = self._outer_time + time.perf_counter() - self.epoch_time
