"""Base class of losses: reduces a loss per element to the loss of a batch."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice
from dyad.nn.cell import Cell

__all__ = ["LossBase"]

REDUCTIONS = ("none", "mean", "sum")


def require_tensor(owner, name, value, optional: bool = False) -> Tensor | None:
    """`value`, which must be a Tensor, or None where that is allowed."""
    if not isinstance(value, _core.Tensor) and not (optional and value is None):
        wanted = "a Tensor or None" if optional else "a Tensor"
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need {wanted}")
    return value


class LossBase(Cell):
    """Base class of losses; a subclass computes a loss per element in `construct` and passes it to `get_loss`.

    `reduction` is 'mean', 'sum' or 'none' (no reduction); any other value raises ValueError.
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = require_choice(type(self).__name__, "reduction", reduction, REDUCTIONS)
        # Subclasses written for other reductions set these two.
        self.reduce = reduction != "none"
        self.average = reduction != "sum"
        # Operators that losses of users find on `self`.
        self.mul = ops.Mul()
        self.cast = ops.Cast()
        self.reduce_mean = ops.ReduceMean()
        self.reduce_sum = ops.ReduceSum()

    def get_axis(self, x) -> tuple:
        """All axes of a tensor."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0) -> Tensor:
        """The weighted loss per element, reduced; computed in float32 or wider, returned in the dtype of `x`."""
        wide = x if x.dtype == _core.float64 else ops.cast(x, _core.float32)
        loss = wide * weights
        if self.reduce:
            loss = loss.mean() if self.average else loss.sum()
        return ops.cast(loss, x.dtype)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"reduction={self.reduction!r}"
