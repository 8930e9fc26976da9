"""ReduceLROnPlateau: lowers the rates when a measure stops improving."""

import math

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice, require_fraction, require_int, require_number
from dyad.mint.optim.lr_scheduler.scheduler import require_optimizer
from dyad.mint.optim.lr_scheduler.state import (
    KeepsState,
    choose,
    counter,
    measure,
    rates_of,
    wide,
    write,
    write_rate,
)

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(KeepsState):
    """Multiplies the rates by `factor` when the measure has not improved for more than `patience` epochs.

    `step(metrics)` takes the measure, whose `mode` is 'min' or 'max'. It counts as better when it beats the best so
    far by `threshold`, as a share of it ('rel') or as it is ('abs'). After a reduction `cooldown` epochs pass before
    bad ones are counted again. Rates stay at or above `min_lr`, and changes below `eps` are not made.
    """

    def __init__(
        self,
        optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr=0,
        eps: float = 1e-8,
    ) -> None:
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
        self.last_epoch = counter(0)
        self.best = measure(math.inf if mode == "min" else -math.inf)
        self.wait = counter(0)
        self.cooldown_counter = counter(0)

    def step(self, metrics) -> bool:
        """Take the measure of an epoch."""
        current = wide(metrics)
        write(self.last_epoch, self.last_epoch + 1)
        better, cooling = self._improves(current), self.in_cooldown()
        wait = choose(ops.logical_or(better, cooling), 0, self.wait + 1)
        due = wait > self.patience
        self._reduce(due)
        write(self.best, choose(better, current, self.best))
        remaining = choose(cooling, self.cooldown_counter - 1, self.cooldown_counter)
        write(self.cooldown_counter, choose(due, self.cooldown, remaining))
        write(self.wait, choose(due, 0, wait))
        return True

    def in_cooldown(self) -> Tensor:
        """Whether the scheduler still waits after its last reduction."""
        return self.cooldown_counter > 0

    def _improves(self, current):
        if self.mode == "min":
            bound = (
                self.best * (1 - self.threshold)
                if self.threshold_mode == "rel"
                else self.best - self.threshold
            )
            return current < bound
        bound = (
            self.best * (1 + self.threshold) if self.threshold_mode == "rel" else self.best + self.threshold
        )
        return current > bound

    def _reduce(self, due):
        """Lower the rates where it is due, and by more than `eps`."""
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            rate = wide(group["lr"])
            lower = ops.maximum(rate * self.factor, wide(least))
            write_rate(group, choose(ops.logical_and(due, rate - lower > self.eps), lower, rate))

    def get_last_lr(self) -> list:
        """The rates at present, as a list of Tensors."""
        return rates_of(self.optimizer.param_groups)
