"""Learning rate schedules: Cells that an optimizer calls with its step counter."""

import math

from dyad import _core, ops
from dyad._src.base.argument_checks import (
    require_at_least_zero,
    require_bool,
    require_int,
    require_number,
    require_positive,
)
from dyad.nn.cell import Cell

__all__ = [
    "CosineDecayLR",
    "ExponentialDecayLR",
    "InverseDecayLR",
    "LearningRateSchedule",
    "NaturalExpDecayLR",
    "PolynomialDecayLR",
    "WarmUpLR",
]


def _as_step(global_step):
    """The step as a float32 Tensor, from a Tensor or a number."""
    if isinstance(global_step, _core.Tensor):
        return ops.cast(global_step, _core.float32)
    if not isinstance(global_step, (int, float)):
        require_number("LearningRateSchedule", "global_step", global_step)
    return _core.Tensor(global_step, _core.float32)


class LearningRateSchedule(Cell):
    """Base of schedules; a subclass returns the learning rate of a step from `construct(global_step)`."""


class _Decay(LearningRateSchedule):
    """A rate that shrinks with step / decay_steps, in steps of `decay_steps` if `is_stair`."""

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.learning_rate = require_positive(owner, "learning_rate", learning_rate)
        self.decay_rate = require_positive(owner, "decay_rate", decay_rate)
        self.decay_steps = require_int(owner, "decay_steps", decay_steps, low=1)
        self.is_stair = require_bool(owner, "is_stair", is_stair)

    def _progress(self, global_step):
        progress = _as_step(global_step) / self.decay_steps
        return ops.floor(progress) if self.is_stair else progress


class ExponentialDecayLR(_Decay):
    """learning_rate * decay_rate ^ (step / decay_steps)."""

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        return self.learning_rate * self.decay_rate ** self._progress(global_step)


class NaturalExpDecayLR(_Decay):
    """learning_rate * e ^ (-decay_rate * step); stairs round the step down to a multiple of decay_steps."""

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        step = self._progress(global_step) * self.decay_steps if self.is_stair else _as_step(global_step)
        return self.learning_rate * ops.exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps)."""

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        return self.learning_rate / (1 + self.decay_rate * self._progress(global_step))


class CosineDecayLR(LearningRateSchedule):
    """From max_lr to min_lr along half a period of the cosine, in decay_steps steps; min_lr afterwards."""

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr = require_at_least_zero("CosineDecayLR", "min_lr", min_lr)
        self.max_lr = require_positive("CosineDecayLR", "max_lr", max_lr)
        self.decay_steps = require_int("CosineDecayLR", "decay_steps", decay_steps, low=1)
        if min_lr >= max_lr:
            raise ValueError(f"CosineDecayLR: min_lr is {min_lr} and max_lr {max_lr}; need min_lr < max_lr")

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        progress = ops.minimum(_as_step(global_step), self.decay_steps) / self.decay_steps
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * (1 + ops.cos(math.pi * progress))


class PolynomialDecayLR(LearningRateSchedule):
    """From learning_rate to end_learning_rate as (1 - step / decay_steps) ^ power.

    With `update_decay_steps` the decay restarts, over a multiple of decay_steps, whenever it has ended.
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        owner = "PolynomialDecayLR"
        self.learning_rate = require_positive(owner, "learning_rate", learning_rate)
        self.end_learning_rate = require_at_least_zero(owner, "end_learning_rate", end_learning_rate)
        self.decay_steps = require_int(owner, "decay_steps", decay_steps, low=1)
        self.power = require_positive(owner, "power", power)
        self.update_decay_steps = require_bool(owner, "update_decay_steps", update_decay_steps)

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        step = _as_step(global_step)
        if self.update_decay_steps:
            span = self.decay_steps * ops.maximum(ops.ceil(step / self.decay_steps), 1.0)
        else:
            span = self.decay_steps
            step = ops.minimum(step, span)
        left = (1 - step / span) ** self.power
        return (self.learning_rate - self.end_learning_rate) * left + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """From 0 to learning_rate in equal steps; learning_rate from step warmup_steps on."""

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = require_at_least_zero("WarmUpLR", "learning_rate", learning_rate)
        self.warmup_steps = require_int("WarmUpLR", "warmup_steps", warmup_steps, low=1)

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        return self.learning_rate * (
            ops.minimum(_as_step(global_step), self.warmup_steps) / self.warmup_steps
        )
