"""Factors by which a loss is multiplied before, and gradients divided after, differentiation."""

import math
from abc import ABC, abstractmethod

from dyad import ops
from dyad._core import Tensor, float32, int32
from dyad._src.base.argument_checks import require_int, require_number
from dyad._src.operators import all_finite as _all_finite
from dyad._src.operators import scale_all
from dyad._src.tensor.parameter import Parameter

__all__ = ["DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite"]


def all_finite(inputs):
    """Returns whether no element of a Tensor, or of the Tensors in a tuple or list, is infinite or NaN: a bool
    Tensor.
    """
    tensors = [inputs] if isinstance(inputs, Tensor) else inputs
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"all_finite: inputs is of type {type(inputs).__name__}; need a tuple or list of Tensors"
        )
    return _all_finite(list(tensors))


def scaled(owner, inputs, factor):
    """`inputs`, a Tensor or a tuple or list of them, times a 0-d Tensor; each keeps its dtype."""
    if isinstance(inputs, Tensor):
        return scale_all([inputs], factor)[0]
    if not isinstance(inputs, (tuple, list)):
        raise TypeError(
            f"{owner}: inputs is of type {type(inputs).__name__}; need a Tensor or a tuple or list of Tensors"
        )
    return type(inputs)(scale_all(list(inputs), factor)) if inputs else inputs


def _require_scale(owner, scale_value):
    if not 1 <= require_number(owner, "scale_value", scale_value) < math.inf:
        raise ValueError(f"{owner}: scale_value is {scale_value}; need a finite number of 1 or more")
    return float(scale_value)


class LossScaler(ABC):
    """Base class of loss scalers: `scale` multiplies a loss, `unscale` divides gradients, `adjust` updates
    the scale.
    """

    @abstractmethod
    def scale(self, inputs):
        """The loss, or a tuple of them, times the scale."""

    @abstractmethod
    def unscale(self, inputs):
        """The gradients divided by the scale."""

    @abstractmethod
    def adjust(self, grads_finite):
        """Records whether the gradients were finite; returns whether the scale may have changed."""


class StaticLossScaler(LossScaler):
    """A constant scale."""

    def __init__(self, scale_value):
        self.scale_value = Parameter(
            Tensor(_require_scale("StaticLossScaler", scale_value), float32),
            "scale_value",
            requires_grad=False,
        )

    def scale(self, inputs):
        """A Tensor, or a tuple or list of them, times the scale; each keeps its dtype."""
        return scaled("StaticLossScaler", inputs, self.scale_value.value())

    def unscale(self, inputs):
        """A Tensor, or a tuple or list of them, over the scale; each keeps its dtype."""
        return scaled("StaticLossScaler", inputs, 1 / self.scale_value.value())

    def adjust(self, grads_finite) -> bool:
        """Changes nothing and returns False."""
        return False


class DynamicLossScaler(LossScaler):
    """A scale that grows while gradients are finite and shrinks when they are not.

    After `scale_window` finite steps in a row it is multiplied by `scale_factor`, unless that would overflow; after a
    step that is not finite it is divided by it, but not below 1.
    """

    def __init__(self, scale_value, scale_factor: float, scale_window: int) -> None:
        owner = "DynamicLossScaler"
        self.scale_value = Parameter(
            Tensor(_require_scale(owner, scale_value), float32), "scale_value", requires_grad=False
        )
        if not 0 < require_number(owner, "scale_factor", scale_factor) < math.inf:
            raise ValueError(f"{owner}: scale_factor is {scale_factor}; need a finite number above 0")
        self.scale_factor = scale_factor
        self.scale_window = require_int(owner, "scale_window", scale_window, low=1)
        self.counter = Parameter(Tensor(0, int32), "counter", requires_grad=False)

    def scale(self, inputs):
        """A Tensor, or a tuple or list of them, times the scale; each keeps its dtype."""
        return scaled("DynamicLossScaler", inputs, self.scale_value.value())

    def unscale(self, inputs):
        """A Tensor, or a tuple or list of them, over the scale; each keeps its dtype."""
        return scaled("DynamicLossScaler", inputs, 1 / self.scale_value.value())

    def adjust(self, grads_finite: bool | Tensor) -> bool:
        """Accepts a bool or a bool Tensor, as `all_finite` returns; the state is changed without leaving tensors."""
        if not isinstance(grads_finite, (bool, Tensor)):
            raise TypeError(
                f"DynamicLossScaler: grads_finite is of type {type(grads_finite).__name__}; "
                "need a bool or a bool Tensor"
            )
        finite = grads_finite if isinstance(grads_finite, Tensor) else Tensor(grads_finite)
        scale, counter = self.scale_value, self.counter
        larger = scale * self.scale_factor
        smaller = ops.maximum(scale / self.scale_factor, 1.0)
        full = ops.logical_and(counter == self.scale_window - 1, ops.isfinite(larger))
        ops.assign(scale, ops.where(finite, ops.where(full, larger, scale), smaller))
        ops.assign(counter, ops.where(finite, (counter + 1) % self.scale_window, 0))
        return True
