"""Schedulers that multiply the rates: by steps, by a power, by a function, or along a line."""

from collections import Counter

from dyad import ops
from dyad._src.base.argument_checks import require_fraction, require_int, require_number
from dyad.mint.optim.lr_scheduler.scheduler import LRScheduler
from dyad.mint.optim.lr_scheduler.state import choose, wide

__all__ = [
    "ConstantLR",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "StepLR",
]


class _FactorLR(LRScheduler):
    """Multiplies the present rates by a factor that depends on the epoch, so that schedulers can be combined."""

    def _factor(self):
        raise AttributeError(f"{type(self).__name__}: _factor is not defined")

    def get_lr(self) -> list:
        factor = self._factor()
        return [rate * factor for rate in self._rates_now()]


class StepLR(_FactorLR):
    """Every `step_size` epochs the rates are multiplied by `gamma`."""

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1, last_epoch=-1) -> None:
        self.step_size = require_int("StepLR", "step_size", step_size, 1)
        self.gamma = require_number("StepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        due = ops.logical_and(self.last_epoch > 0, self.last_epoch % self.step_size == 0)
        return choose(due, self.gamma, 1.0)

    def _closed_form(self):
        factor = self.gamma ** wide(self.last_epoch // self.step_size)
        return [rate * factor for rate in self.base_lrs]


class MultiStepLR(_FactorLR):
    """At each epoch in `milestones` the rates are multiplied by `gamma`, as often as it is listed."""

    def __init__(self, optimizer, milestones: tuple | list, gamma: float = 0.1, last_epoch=-1) -> None:
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(
                f"MultiStepLR: milestones is of type {type(milestones).__name__}; need a list of ints"
            )
        self.milestones = Counter(
            require_int("MultiStepLR", "an entry of milestones", epoch, 0) for epoch in milestones
        )
        self._listed = tuple(self.milestones.elements())
        self.gamma = require_number("MultiStepLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma ** self._times(lambda epoch: self.last_epoch == epoch)

    def _closed_form(self):
        factor = self.gamma ** self._times(lambda epoch: self.last_epoch >= epoch)
        return [rate * factor for rate in self.base_lrs]

    def _times(self, counts):
        """How many milestones count at the present epoch."""
        times = wide(0)
        for epoch in self._listed:
            times = times + wide(counts(epoch))
        return times


class ExponentialLR(_FactorLR):
    """Every epoch the rates are multiplied by `gamma`."""

    def __init__(self, optimizer, gamma: float, last_epoch=-1) -> None:
        self.gamma = require_number("ExponentialLR", "gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return choose(self.last_epoch > 0, self.gamma, 1.0)

    def _closed_form(self):
        factor = self.gamma ** wide(self.last_epoch)
        return [rate * factor for rate in self.base_lrs]


class ConstantLR(_FactorLR):
    """The rates are multiplied by `factor` until epoch `total_iters`."""

    def __init__(self, optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch=-1) -> None:
        self.factor = require_fraction("ConstantLR", "factor", factor, "(0, 1]")
        self.total_iters = require_int("ConstantLR", "total_iters", total_iters, 0)
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        afterwards = choose(self.last_epoch == self.total_iters, 1 / self.factor, 1.0)
        return choose(self.last_epoch == 0, self.factor, afterwards)

    def _closed_form(self):
        factor = choose(self.last_epoch < self.total_iters, self.factor, 1.0)
        return [rate * factor for rate in self.base_lrs]


class LinearLR(_FactorLR):
    """The factor of the rates goes from `start_factor` to `end_factor` within `total_iters` epochs."""

    def __init__(
        self,
        optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch=-1,
    ) -> None:
        self.start_factor = require_fraction("LinearLR", "start_factor", start_factor, "(0, 1]")
        self.end_factor = require_fraction("LinearLR", "end_factor", end_factor)
        self.total_iters = require_int("LinearLR", "total_iters", total_iters, 1)
        super().__init__(optimizer, last_epoch)

    def _at(self, epoch):
        share = ops.clamp(wide(epoch), 0, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share

    def _factor(self):
        before = self._at(self.last_epoch - 1)
        afterwards = choose(before == 0, 1.0, self._at(self.last_epoch) / choose(before == 0, 1.0, before))
        return choose(self.last_epoch == 0, self.start_factor, afterwards)

    def _closed_form(self):
        factor = self._at(self.last_epoch)
        return [rate * factor for rate in self.base_lrs]


class PolynomialLR(_FactorLR):
    """The rates fall to zero within `total_iters` epochs, as (1 - epoch / total_iters)^power."""

    def __init__(self, optimizer, total_iters: int = 5, power: float = 1.0, last_epoch=-1) -> None:
        self.total_iters = require_int("PolynomialLR", "total_iters", total_iters, 1)
        self.power = require_number("PolynomialLR", "power", power)
        if power < 0:
            raise ValueError(f"PolynomialLR: power is {power}; need a number of at least 0")
        super().__init__(optimizer, last_epoch)

    def _at(self, epoch):
        return (1 - ops.clamp(wide(epoch), 0, self.total_iters) / self.total_iters) ** self.power

    def _factor(self):
        constant = ops.logical_or(self.last_epoch == 0, self.last_epoch > self.total_iters)
        before = choose(constant, 1.0, self._at(self.last_epoch - 1))
        return choose(constant, 1.0, self._at(self.last_epoch) / before)

    def _closed_form(self):
        factor = self._at(self.last_epoch)
        return [rate * factor for rate in self.base_lrs]


def _functions(owner, optimizer, lr_lambda):
    functions = list(lr_lambda) if isinstance(lr_lambda, (tuple, list)) else None
    count = len(getattr(optimizer, "param_groups", ()))
    if functions is None:
        functions = [lr_lambda] * count
    elif len(functions) != count:
        raise ValueError(
            f"{owner}: lr_lambda has {len(functions)} functions and there are {count} groups; need one for each"
        )
    for function in functions:
        if not callable(function):
            raise TypeError(
                f"{owner}: lr_lambda is {function!r} of type {type(function).__name__}; need a function of the epoch"
            )
    return functions


class LambdaLR(LRScheduler):
    """The rates are those at the start times `lr_lambda(epoch)`; a list has one function per group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambdas = _functions("LambdaLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """One rate per group, for the present epoch."""
        return [
            rate * wide(function(self.last_epoch))
            for rate, function in zip(self.base_lrs, self.lr_lambdas, strict=True)
        ]


class MultiplicativeLR(LRScheduler):
    """Every epoch the rates are multiplied by `lr_lambda(epoch)`; a list has one function per group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.lr_lambdas = _functions("MultiplicativeLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """One rate per group, for the present epoch."""
        return [
            rate * choose(self.last_epoch > 0, function(self.last_epoch), 1.0)
            for rate, function in zip(self._rates_now(), self.lr_lambdas, strict=True)
        ]
