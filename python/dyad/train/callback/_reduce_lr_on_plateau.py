"""`ReduceLROnPlateau`: smaller steps when larger ones do not help any more."""

from dyad._src.base.argument_checks import require_bool, require_fraction, require_int, require_number
from dyad.train.callback._callback import Callback
from dyad.train.callback._lr_scheduler_callback import fixed_learning_rate, set_learning_rate
from dyad.train.callback._monitored import Monitored


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` when `monitor` was not better for `patience` epochs.

    `monitor`, `mode` and `min_delta` are as in `EarlyStopping`. After that it waits for `cooldown` epochs before it
    counts again; the rate does not fall below `min_lr`.
    """

    def __init__(
        self,
        monitor="eval_loss",
        factor=0.1,
        patience=10,
        verbose=False,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ):
        owner = "ReduceLROnPlateau"
        self._monitored = Monitored(owner, monitor, mode, min_delta)
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self.factor = require_fraction(owner, "factor", factor, "(0, 1)")
        self.patience = require_int(owner, "patience", patience, low=0)
        self.verbose = require_bool(owner, "verbose", verbose)
        self.cooldown = require_int(owner, "cooldown", cooldown, low=0)
        self.min_lr = require_number(owner, "min_lr", min_lr)
        self.on_train_begin(None)

    def on_train_begin(self, run_context):
        """Forgets earlier runs."""
        self.cooldown_counter = self.wait = 0
        self.best = self._monitored.worst

    def on_train_epoch_end(self, run_context):
        """Compares the epoch with the best one, and reduces the rate after too many without an improvement."""
        run = run_context.original_args()
        rate = fixed_learning_rate("ReduceLROnPlateau", run["optimizer"])
        value = self._monitored.value(run)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._monitored.improves(value, self.best):
            self.best = value
            self.wait = 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(run, rate)

    def _reduce(self, run, rate):
        self.cooldown_counter = self.cooldown
        self.wait = 0
        old = float(rate.item())
        if old <= self.min_lr:
            return
        new = max(old * self.factor, self.min_lr)
        set_learning_rate(rate, new)
        if self.verbose:
            print(
                f"Epoch {run['cur_epoch_num']:05d}: ReduceLROnPlateau reducing learning rate to {new}.",
                flush=True,
            )
