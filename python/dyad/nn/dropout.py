"""Dropout: zeroing parts of the input while training."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_fraction
from dyad.nn.cell import Cell

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class Dropout(Cell):
    """Dropout: while training, zeroes elements with probability `p` and scales the rest by 1 / (1 - p).

    Otherwise the identity. `keep_prob`, the probability to keep an element, is the older form of 1 - p.
    """

    def __init__(self, keep_prob=0.5, p: float | None = None, dtype=_core.float32) -> None:
        super().__init__()
        if p is None:
            self.p = 1 - require_fraction("Dropout", "keep_prob", keep_prob, ends="(0, 1]")
        else:
            self.p = require_fraction("Dropout", "p", p, ends="[0, 1)")
        self.keep_prob = 1 - self.p
        self._given = f"keep_prob={keep_prob}" if p is None else f"p={p}"
        self.dropout = ops.Dropout(self.keep_prob)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor with the shape and dtype of `x`; `x` itself when not training."""
        if not self.training or self.p == 0:
            return x
        return ops.dropout(x, self.p, training=True)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return self._given


class _ChannelDropout(Cell):
    """Base class of dropouts of whole channels."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = require_fraction(type(self).__name__, "p", p)

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """Zeroes whole channels of (N, C, L) or (C, L) with probability `p` while training."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor with the shape and dtype of `x`; `x` itself when not training."""
        return ops.dropout1d(x, self.p) if self.training and self.p else x


class Dropout2d(_ChannelDropout):
    """Zeroes whole channels of (N, C, H, W) with probability `p` while training."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor with the shape and dtype of `x`; `x` itself when not training."""
        return ops.dropout2d(x, self.p) if self.training and self.p else x


class Dropout3d(_ChannelDropout):
    """Zeroes whole channels of (N, C, D, H, W) with probability `p` while training."""

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor with the shape and dtype of `x`; `x` itself when not training."""
        return ops.dropout3d(x, self.p) if self.training and self.p else x
