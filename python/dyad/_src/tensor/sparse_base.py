"""Base class of sparse tensors."""

from collections.abc import Callable
from typing import Any

from dyad._core import Tensor
from dyad._src.operators import broadcast_to, gather_nd


class SparseTensorBase:
    """Base class of sparse tensors: the values, and the shape of the whole. Gradients are those of the values."""

    shape: tuple[int, ...]
    values: Any
    _places: tuple[str, ...]
    _with: Callable
    _positions: Callable

    @property
    def dtype(self):
        """The type of the elements."""
        return self.values.dtype

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self.values.itemsize

    @property
    def ndim(self):
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self):
        """Number of stored elements."""
        return self.values.size

    def abs(self):
        """The absolute values, at the same indexes."""
        return self._with(abs(self.values))

    def astype(self, dtype):
        """The same with elements of another type."""
        return self._with(self.values.astype(dtype))

    def __neg__(self):
        return self._with(-self.values)

    def __mul__(self, other):
        factor = self._partners("*", other)
        return NotImplemented if factor is NotImplemented else self._with(self.values * factor)

    __rmul__ = __mul__

    def __truediv__(self, other):
        divisor = self._partners("/", other)
        return NotImplemented if divisor is NotImplemented else self._with(self.values / divisor)

    def _partners(self, operator, other):
        """Elements of a dense Tensor, broadcast to the shape, at the indexes of the values; a number is returned
        unchanged.
        """
        if isinstance(other, (int, float, complex)):
            return other
        if not isinstance(other, Tensor):
            return NotImplemented
        if other.ndim > self.ndim:
            raise ValueError(
                f"{type(self).__name__} {operator} Tensor: the shapes are {self.shape} and {other.shape}; "
                "need one that broadcasts to the first"
            )
        return gather_nd(broadcast_to(other, self.shape), self._positions())

    def _require_like(self, operator, other):
        if self.shape != other.shape:
            raise ValueError(
                f"{type(self).__name__} {operator} {type(other).__name__}: the shapes are {self.shape} and "
                f"{other.shape}; need the same"
            )

    def __repr__(self):
        parts = ", ".join(f"{name}={_part(getattr(self, name))}" for name in (*self._places, "values"))
        return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}, {parts})"


def _part(tensor):
    """A tensor as part of another one: its elements without commas."""
    head, sign, elements = repr(tensor).partition("value=")
    return head + sign + elements.lstrip(" ").replace(",", "")
