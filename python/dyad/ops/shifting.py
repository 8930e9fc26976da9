"""Moving elements along an axis and filling the places that they leave."""

from dyad._core import Tensor
from dyad._src.operators import concat, full, narrow
from dyad._src.primitive.primitive import Primitive

__all__ = ["Shift"]


class Shift(Primitive):
    """The elements moved on by `periods` along an axis, back if it is negative; `fill_value` comes after them.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Shift(1)(Tensor([1, 2, 3]), 0))
        [0 1 2]
    """

    _parameters = ("periods", "axis")

    def __init__(self, periods=1, axis=-1):
        super().__init__("Shift")
        for name, value in (("periods", periods), ("axis", axis)):
            if type(value) is not int:
                raise TypeError(f"Shift: {name} is {value!r}; need an int")
        self.periods = periods
        self.axis = axis

    def __call__(self, x, fill_value):
        if not isinstance(x, Tensor):
            raise TypeError(f"Shift: x is of type {type(x).__name__}; need a Tensor")
        if not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"Shift: axis is {self.axis} and x has shape {x.shape}; need an axis of it")
        axis, size = self.axis % x.ndim, x.shape[self.axis]
        moved = min(abs(self.periods), size)
        if moved == 0:
            return x.copy()
        filler = full((*x.shape[:axis], moved, *x.shape[axis + 1 :]), fill_value, x.dtype)
        if self.periods > 0:
            return concat((filler, narrow(x, axis, 0, size - moved)), axis)
        return concat((narrow(x, axis, moved, size - moved), filler), axis)

    def __reduce__(self):
        return type(self), (self.periods, self.axis)
