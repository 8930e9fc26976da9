"""Layers that enlarge a tensor at its borders."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import SettingError, require_choice, require_int, require_number
from dyad.nn.cell import Cell

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Pad",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad2d",
]


class Pad(Cell):
    """Enlarges each dimension by the pair (before, after) that `paddings` has for it.

    The border is 0 (CONSTANT), mirrored without the edge (REFLECT) or with it (SYMMETRIC).
    """

    def __init__(self, paddings, mode: str = "CONSTANT") -> None:
        super().__init__()
        self.mode = require_choice("Pad", "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        self.paddings = _require_pairs(paddings)

    def construct(self, x: Tensor) -> Tensor:
        """Returns as many dimensions as `x` has, each enlarged; ValueError unless there is a pair for each."""
        if len(self.paddings) != x.ndim:
            raise ValueError(
                f"Pad: paddings has {len(self.paddings)} pairs and x has shape {x.shape}; need a pair each"
            )
        if self.mode == "CONSTANT":
            return ops.pad(x, [size for pair in reversed(self.paddings) for size in pair])
        for axis, (before, after) in enumerate(self.paddings):
            if before or after:
                x = ops.gather(x, self._mirror(x.shape[axis], before, after, axis), axis)
        return x

    def _mirror(self, size, before, after, axis):
        """Index of the input element at each position of the padded dimension."""
        longest = size - 1 if self.mode == "REFLECT" else size
        if max(before, after) > longest:
            raise ValueError(
                f"Pad: paddings for dimension {axis} are {(before, after)} and its size is {size}; "
                f"need at most {longest} for {self.mode}"
            )
        index = numpy.pad(numpy.arange(size), (before, after), mode=self.mode.lower())
        return Tensor(index.astype(numpy.int64))


def _require_pairs(paddings):
    if not isinstance(paddings, (tuple, list)) or not all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in paddings
    ):
        raise SettingError(f"Pad: paddings is {paddings!r}; need a pair (before, after) for each dimension")
    return tuple(tuple(require_int("Pad", "paddings", size, low=0) for size in pair) for pair in paddings)


class _BorderPad(Cell):
    """Enlarges the last `_spatial` dimensions; `padding` is one int or (before, after) per dimension, last first."""

    _spatial = 1
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        owner, count = type(self).__name__, 2 * self._spatial
        if isinstance(padding, (tuple, list)):
            if len(padding) != count:
                raise SettingError(f"{owner}: padding is {tuple(padding)}; need an int or {count} ints")
            self.padding = tuple(require_int(owner, "padding", size) for size in padding)
        else:
            self.padding = (require_int(owner, "padding", padding),) * count

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim not in (self._spatial + 1, self._spatial + 2):
            accepted = f"{self._spatial + 1} or {self._spatial + 2}"
            raise ValueError(f"{type(self).__name__}: x has shape {x.shape}; need {accepted} dimensions")
        return ops.pad(x, list(self.padding), self._mode)


class _ConstantPad(_BorderPad):
    """Fills the border with `value`."""

    def __init__(self, padding, value: float) -> None:
        super().__init__(padding)
        self.value = require_number(type(self).__name__, "value", value)

    def construct(self, x: Tensor) -> Tensor:
        return ops.pad(x, list(self.padding), "constant", self.value)


class ConstantPad1d(_ConstantPad):
    """Fills the border of the last dimension with `value`; a negative padding cuts."""


class ConstantPad2d(_ConstantPad):
    """Fills the border of the last two dimensions with `value`; a negative padding cuts."""

    _spatial = 2


class ConstantPad3d(_ConstantPad):
    """Fills the border of the last three dimensions with `value`; a negative padding cuts."""

    _spatial = 3


class ZeroPad2d(_ConstantPad):
    """Fills the border of the last two dimensions with 0."""

    _spatial = 2

    def __init__(self, padding):
        super().__init__(padding, 0)


class _ReflectionPad(_BorderPad):
    """Mirrors the inside at the border, without repeating the edge."""

    _mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """Mirrors the inside of the last dimension at the border, without repeating the edge."""


class ReflectionPad2d(_ReflectionPad):
    """Mirrors the inside of the last two dimensions at the border, without repeating the edge."""

    _spatial = 2


class ReflectionPad3d(_ReflectionPad):
    """Mirrors the inside of the last three dimensions at the border, without repeating the edge."""

    _spatial = 3


class _ReplicationPad(_BorderPad):
    """Repeats the edge."""

    _mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """Repeats the edge of the last dimension."""


class ReplicationPad2d(_ReplicationPad):
    """Repeats the edge of the last two dimensions."""

    _spatial = 2


class ReplicationPad3d(_ReplicationPad):
    """Repeats the edge of the last three dimensions."""

    _spatial = 3
