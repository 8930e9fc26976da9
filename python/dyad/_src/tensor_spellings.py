"""Methods of Tensor that programs know by these names, made of other methods."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.host_only import host_only

_searchsorted = _core.op_functions()["searchsorted"]


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to their partners, as a bool."""
    return bool(self.isclose(other, rtol, atol, equal_nan).all())


allclose.__dict__["_is_program"] = True


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a number on the main diagonal, in place; see `fill_diagonal`."""
    return self.copy_(self.fill_diagonal(fill_value, wrap))


fill_diagonal_.__dict__["_writes"] = (0,)


_tile = Tensor.tile


def repeat(self, *repeats, **keywords):
    """The tensor repeated as a whole along each dimension.

    With the keyword `axis`, as older programs write it, each slice along that axis is repeated in place; see
    `repeat_interleave`.
    """
    if "axis" in keywords:
        return self.repeat_interleave(*repeats, **keywords)
    return _tile(self, *repeats, **keywords)


repeat.__dict__["_is_program"] = True


def searchsorted(self, v, side="left", sorter=None):
    """Places, as int32, at which the values `v` can be inserted into this sorted array and leave it sorted."""
    sequence = self if sorter is None else self[sorter if isinstance(sorter, Tensor) else Tensor(sorter)]
    values = v if isinstance(v, Tensor) else Tensor(v)
    common = (sequence[:1] + values.reshape(-1)[:1]).dtype
    places = _searchsorted(sequence.astype(common), values.astype(common).reshape(-1), side=side)
    return places.reshape(values.shape).astype(_core.int32)


@host_only
def set_dtype(self, dtype):
    """Converts the tensor itself, for all its holders, and returns the dtype; a Parameter keeps its name."""
    return _core.set_dtype(self, dtype)


METHODS = (allclose, fill_diagonal_, repeat, searchsorted, set_dtype)
