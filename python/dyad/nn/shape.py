"""Layers that move or select elements and compute nothing."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int, require_number
from dyad.nn.cell import Cell

__all__ = ["Flatten", "Identity", "OneHot", "Roll", "Tril", "Triu", "Unflatten"]


class Identity(Cell):
    """Returns its input; arguments of the constructor are ignored, so that it can replace any layer."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def construct(self, input: Tensor) -> Tensor:
        """`input`, the same object."""
        return input


class Flatten(Cell):
    """Joins the dimensions from `start_dim` to `end_dim` into one; by default all but the batch dimension."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = require_int("Flatten", "start_dim", start_dim)
        self.end_dim = require_int("Flatten", "end_dim", end_dim)

    def construct(self, x: Tensor) -> Tensor:
        """The elements of `x` in the same order, in fewer dimensions."""
        if not -x.ndim <= self.start_dim < x.ndim:
            raise ValueError(
                f"Flatten: x has shape {x.shape}; need a dimension {self.start_dim} to start from"
            )
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """Splits the dimension `axis` into the sizes `unflattened_size`."""

    def __init__(self, axis: int, unflattened_size: tuple | list) -> None:
        super().__init__()
        self.axis = require_int("Unflatten", "axis", axis)
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"Unflatten: unflattened_size is {unflattened_size!r}; need a tuple or list of ints"
            )
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input_x: Tensor) -> Tensor:
        """The elements of `input_x` in the same order, in more dimensions."""
        axis = self.axis + input_x.ndim if self.axis < 0 else self.axis
        return input_x.reshape(input_x.shape[:axis] + self.unflattened_size + input_x.shape[axis + 1 :])


class OneHot(Cell):
    """`on_value` at the index along a new dimension `axis` of size `depth`, `off_value` elsewhere."""

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=_core.float32):
        super().__init__()
        self.axis = axis
        self.depth = depth
        self.on_value = Tensor(_require_value("on_value", on_value), dtype)
        self.off_value = Tensor(_require_value("off_value", off_value), dtype)

    def construct(self, indices) -> Tensor:
        """Returns one more dimension than `indices` has, of size `depth`, in the requested dtype."""
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)


def _require_value(name, value):
    return value if isinstance(value, (Tensor, bool)) else require_number("OneHot", name, value)


class Roll(Cell):
    """Rolls elements by `shift` along `axis`; elements beyond the end reenter at the start."""

    def __init__(self, shift, axis):
        super().__init__()
        self.shift = shift
        self.axis = axis

    def construct(self, input_x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `input_x`."""
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """The lower triangle up to diagonal `k`, zeros above."""

    def construct(self, x: Tensor, k=0) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle from diagonal `k`, zeros below."""

    def construct(self, x: Tensor, k=0) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`."""
        return ops.triu(x, k)
