"""ReduceLROnPlateau: lowers the rates when a measure stops improving."""

import math

from dyad._core import Tensor, float32
from dyad._src.argument_checks import require_choice, require_fraction, require_int, require_number
from dyad.experimental.optim.lr_scheduler.scheduler import require_optimizer, write_rate

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau:
    """Multiplies the rates by `factor` when the measure has not improved for more than `patience` epochs.

    `step(metrics)` takes the measure, whose `mode` is 'min' or 'max'. It counts as better when it beats the best so
    far by `threshold`, as a share of it ('rel') or as it is ('abs'). After a reduction `cooldown` epochs pass before
    bad ones are counted again. Rates stay at or above `min_lr`, and changes below `eps` are not made.
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        owner = "ReduceLROnPlateau"
        self.optimizer = require_optimizer(owner, optimizer)
        self.mode = require_choice(owner, "mode", mode, ("min", "max"))
        self.factor = require_fraction(owner, "factor", factor, "[0, 1)")
        self.patience = require_int(owner, "patience", patience, 0)
        self.threshold = require_number(owner, "threshold", threshold)
        self.threshold_mode = require_choice(owner, "threshold_mode", threshold_mode, ("rel", "abs"))
        self.cooldown = require_int(owner, "cooldown", cooldown, 0)
        count = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (tuple, list)) else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(
                f"{owner}: min_lr has {len(self.min_lrs)} entries and there are {count} groups; need one for each"
            )
        for rate in self.min_lrs:
            require_number(owner, "min_lr", rate)
        self.eps = require_number(owner, "eps", eps)
        self.last_epoch = 0
        self.best = math.inf if mode == "min" else -math.inf
        self.wait = 0
        self.cooldown_counter = 0

    def step(self, metrics):
        """Take the measure of an epoch."""
        current = float(metrics)
        self.last_epoch += 1
        if self._improves(current):
            self.best = current
            self.wait = 0
        else:
            self.wait += 1
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.wait > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.wait = 0
        return True

    def in_cooldown(self):
        """Whether the scheduler still waits after its last reduction."""
        return self.cooldown_counter > 0

    def _improves(self, current):
        margin = self.threshold * self.best if self.threshold_mode == "rel" else self.threshold
        if math.isinf(self.best):
            margin = 0.0
        return current < self.best - margin if self.mode == "min" else current > self.best + margin

    def _reduce(self):
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            rate = float(group["lr"])
            lower = max(rate * self.factor, least)
            if rate - lower > self.eps:
                write_rate(group, lower)

    def get_last_lr(self):
        """The rates at present, as a list of Tensors."""
        return [Tensor(float(group["lr"]), float32) for group in self.optimizer.param_groups]
