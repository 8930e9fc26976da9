"""`FlopsUtilizationCollector`: the share of a machine's peak arithmetic that a run uses."""

import math
import time

from dyad._src.base.argument_checks import require_above, require_bool, require_int
from dyad._src.observe.profile.recording import Recording
from dyad.train.callback._callback import Callback


def _percentage(share):
    return f"{math.floor(share * 1e4) / 100:.2f}%"


class FlopsUtilizationCollector(Callback):
    """Counts the floating-point operations of the first step, and prints for each step the used share of
    `computility`.

    `computility` is the machine's peak per second. Operations are counted as the definitions of the operators that
    ran count them, in both forms, so model utilization (mfu) and hardware utilization (hfu) are the same number.
    Without `full_flops` nothing is printed; `full_model_flops` has the count. `data_size` is the number of steps of
    an epoch.
    """

    def __init__(self, data_size, computility=1, full_flops=True, enable_ma_collector=False):
        owner = "FlopsUtilizationCollector"
        self.data_size = require_int(owner, "data_size", data_size, low=1)
        self.computility = require_above(owner, "computility", computility, 0)
        self.verbose = require_bool(owner, "full_flops", full_flops)
        if require_bool(owner, "enable_ma_collector", enable_ma_collector):
            raise ValueError(
                f"{owner}: enable_ma_collector is True; need False, there is no ModelArts to report to"
            )
        self.full_model_flops = None
        self._recording = None
        self.step_time = time.perf_counter()

    def __exit__(self, *error):
        self._stop_recording()

    def step_begin(self, run_context):
        """Starts the clock, and in the first step the count."""
        if self.full_model_flops is None:
            self._recording = Recording()
            self._recording.start()
        self.step_time = time.perf_counter()

    def step_end(self, run_context):
        """Prints the utilization."""
        seconds = time.perf_counter() - self.step_time
        if self._recording is not None:
            self._take_count()
        if self.verbose:
            used = _percentage(self.full_model_flops / self.computility / seconds)
            mode = run_context.original_args()["mode"].title()
            print(f"{mode} per step time: {1000 * seconds:5.3f} ms mfu:{used} hfu:{used}", flush=True)

    def _take_count(self):
        count = self.full_model_flops = int(sum(run.flop for run in self._stop_recording()))
        if self.verbose:
            print(
                f"Full model flops is {count}, Full hardware flops is {count}, "
                f"Shard model flops is {count}, Shard hardware flops is {count}.",
                flush=True,
            )

    def _stop_recording(self):
        """The operators that ran during the recording, if there was one."""
        recording, self._recording = self._recording, None
        if recording is None:
            return []
        recording.stop()
        return recording.runs
