"""Loss scale managers for `Model` and steps built on it."""

import math
from abc import ABC, abstractmethod

from dyad._src.base.argument_checks import require_bool, require_int, require_number
from dyad.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager(ABC):
    """Returns the loss scale and records overflows."""

    @abstractmethod
    def get_loss_scale(self):
        """The scale of the next step."""

    @abstractmethod
    def update_loss_scale(self, overflow):
        """Adjusts the scale after a step that overflowed or did not."""

    @abstractmethod
    def get_update_cell(self):
        """The Cell that does the same inside a training step; None where nothing has to be looked at."""


def _require_scale(owner, name, value):
    if not 1 <= require_number(owner, name, value) < math.inf:
        raise ValueError(f"{owner}: {name} is {value}; need a finite number of 1 or more")
    return float(value)


class FixedLossScaleManager(LossScaleManager):
    """A constant scale; with `drop_overflow_update` a step that overflows changes no weight."""

    def __init__(self, loss_scale=128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = _require_scale("FixedLossScaleManager", "loss_scale", loss_scale)
        self._drop_overflow_update = require_bool(
            "FixedLossScaleManager", "drop_overflow_update", drop_overflow_update
        )

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Returns whether steps that overflow are dropped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow):
        """Has no effect: the scale is constant."""

    def get_update_cell(self):
        """A Cell that detects overflows; None if they change nothing."""
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that an overflow divides by `scale_factor` and `scale_window` steps without one multiply by it."""

    def __init__(self, init_loss_scale=2**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        owner = "DynamicLossScaleManager"
        self.loss_scale = _require_scale(owner, "init_loss_scale", init_loss_scale)
        self.scale_factor = require_int(owner, "scale_factor", scale_factor, low=1)
        self.scale_window = require_int(owner, "scale_window", scale_window, low=1)
        self._good_steps = 0

    def get_loss_scale(self):
        """The scale of the next step."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Steps that overflow are dropped."""
        return True

    def update_loss_scale(self, overflow) -> None:
        """Divides the scale after an overflow, but not below 1; multiplies it after enough steps without one."""
        if overflow:
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1.0)
            self._good_steps = 0
            return
        self._good_steps += 1
        if self._good_steps == self.scale_window:
            self.loss_scale *= self.scale_factor
            self._good_steps = 0

    def get_update_cell(self):
        """A Cell that adjusts the scale in the same way, inside of the training step."""
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
