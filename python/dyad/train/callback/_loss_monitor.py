"""`LossMonitor`: prints the loss during training."""

import math

from dyad._src.base.argument_checks import require_int
from dyad.train.callback._callback import Callback
from dyad.train.callback._run_context import loss_of, step_in_epoch


class LossMonitor(Callback):
    """Prints the loss every `per_print_times` steps (never for 0), and the results of evaluations in `Model.fit`.

    A loss that is infinite or NaN ends the run with ValueError.
    """

    def __init__(self, per_print_times=1):
        self._per_print_times = require_int("LossMonitor", "per_print_times", per_print_times, low=0)
        self._last_print_time = 0

    def step_end(self, run_context):
        """Prints the loss if it is due."""
        run = run_context.original_args()
        loss, where = loss_of(run["net_outputs"]), (run.get("cur_epoch_num", 1), step_in_epoch(run))
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                "LossMonitor: epoch: {} step: {}, the loss is {}; need a finite number to go on".format(
                    *where, loss
                )
            )
        step = run["cur_step_num"]
        if step <= self._last_print_time:  # another run has started
            self._last_print_time = 0
        if self._per_print_times and step - self._last_print_time >= self._per_print_times:
            self._last_print_time = step
            print("epoch: {} step: {}, loss is {}".format(*where, loss), flush=True)

    def on_train_epoch_end(self, run_context):
        """Prints the metrics if `Model.fit` evaluated."""
        run = run_context.original_args()
        if run.get("metrics"):
            print(f"Eval result: epoch {run['cur_epoch_num']}, metrics: {run['metrics']}")
