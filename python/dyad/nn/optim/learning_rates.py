"""The `learning_rate` argument of optimizers and its two stored forms: a Parameter, or a Cell of the step."""

import math
import numbers
from collections.abc import Iterable

from dyad._core import Tensor, float32
from dyad._src.base import lazy_numpy as np
from dyad._src.base.argument_checks import require_at_least, require_finite
from dyad._src.operators import rate_of_step
from dyad._src.tensor.parameter import Parameter
from dyad.nn.cell import Cell


class _ListedLearningRate(Cell):
    """A learning rate for each step; the last one holds for all later steps, and -1 is the last one."""

    def __init__(self, rates, name, owner):
        super().__init__(auto_prefix=False)
        self.learning_rate = Parameter(rates, name, requires_grad=False)
        self._owner = owner

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        return rate_of_step(self.learning_rate, global_step, self._owner)


class FixedLearningRate(Cell):
    """A rate that does not change by itself, where other groups have rates that do."""

    def __init__(self, learning_rate):
        super().__init__(auto_prefix=False)
        self.learning_rate = learning_rate

    def construct(self, global_step):
        """The rate at this step, a Tensor of one number."""
        return self.learning_rate


def read_learning_rate(owner, learning_rate, name):
    """A Parameter called `name` for a fixed rate, a Cell to be called with the step for a changing one."""
    if isinstance(learning_rate, Cell):
        return learning_rate
    if isinstance(learning_rate, numbers.Real) and not isinstance(learning_rate, bool):
        rate = require_finite(
            owner, "learning_rate", require_at_least(owner, "learning_rate", learning_rate, 0)
        )
        return Parameter(Tensor(rate, float32), name, requires_grad=False)
    rates = _rates_from(owner, learning_rate)
    if rates.size == 0:
        raise ValueError(f"{owner}: learning_rate is empty; need at least one rate")
    wrong = [rate for rate in rates.reshape(-1).tolist() if not 0 <= rate < math.inf]
    if wrong:
        raise ValueError(f"{owner}: learning_rate has the entry {wrong[0]}; need finite rates of at least 0")
    if rates.ndim == 0:
        return Parameter(rates, name, requires_grad=False)
    return _ListedLearningRate(rates, name, owner)


def require_one_length(owner, rates) -> None:
    """Raises ValueError where groups have lists of rates for different numbers of steps."""
    counts = {rate.learning_rate.size for rate in rates if isinstance(rate, _ListedLearningRate)}
    if len(counts) > 1:
        raise ValueError(
            f"{owner}: the groups have lists of {', '.join(map(str, sorted(counts)))} learning rates; need one length"
        )


def _rates_from(owner, learning_rate):
    if isinstance(learning_rate, np.ndarray):
        learning_rate = Tensor(learning_rate)
    if isinstance(learning_rate, Tensor):
        if learning_rate.ndim > 1:
            raise ValueError(
                f"{owner}: learning_rate has shape {tuple(learning_rate.shape)}; need a Tensor of 0 or 1 dimensions"
            )
        return learning_rate.astype(float32)
    if isinstance(learning_rate, Iterable) and not isinstance(learning_rate, (str, bytes, dict)):
        return Tensor(
            [require_at_least(owner, "an entry of learning_rate", rate, 0) for rate in learning_rate], float32
        )
    raise TypeError(
        f"{owner}: learning_rate is {learning_rate!r} of type {type(learning_rate).__name__}; "
        "need a number, a Tensor, a list of numbers or a LearningRateSchedule"
    )
