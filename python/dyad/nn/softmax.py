"""Softmax layers. Each keeps its operator under the attribute name that subclasses use."""

import numbers

from dyad import ops
from dyad._core import Tensor
from dyad.nn.cell import Cell

__all__ = ["LogSoftmax", "Softmax", "Softmax2d", "Softmin"]


def _axis(owner, axis):
    if isinstance(axis, bool) or not isinstance(axis, numbers.Integral):
        raise TypeError(f"{owner}: axis is {axis!r} of type {type(axis).__name__}; need an int")
    return axis


class Softmax(Cell):
    """Softmax, exp(x) / Σ exp(x) along `axis`."""

    axis: int

    def __init__(self, axis=-1):
        super().__init__()
        self.softmax = ops.Softmax(axis)
        (self.axis,) = vars(self.softmax)["axis"]

    def construct(self, input: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input`."""
        return ops.softmax(input, self.axis)


class LogSoftmax(Cell):
    """Log-softmax, log(softmax(x)) along `axis`."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = _axis("LogSoftmax", axis)
        self.log_softmax = ops.LogSoftmax(self.axis)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.log_softmax(x, self.axis)


class Softmin(Cell):
    """Softmin, softmax(-x) along `axis`."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = _axis("Softmin", axis)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.softmin(x, self.axis)


class Softmax2d(Cell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def __init__(self):
        super().__init__()
        self.softmax = ops.Softmax(-3)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        if x.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: x has shape {x.shape}; need 3 or 4 dimensions")
        return ops.softmax(x, -3)
