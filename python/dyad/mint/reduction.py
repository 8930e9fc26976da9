"""Reductions, comparisons, distances and sorting, with PyTorch's results."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_flag
from dyad._src.operators import argmin as _argmin
from dyad._src.operators import bincount as _bincount
from dyad._src.operators import select_extremes
from dyad._src.operators import sort as _sort

__all__ = [
    "allclose",
    "amax",
    "amin",
    "any",
    "argmin",
    "argsort",
    "bincount",
    "cdist",
    "count_nonzero",
    "equal",
    "item",
    "max",
    "mean",
    "median",
    "min",
    "norm",
    "softmax",
    "sort",
    "std",
    "std_mean",
    "topk",
    "var",
    "var_mean",
]

_DISTANCES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def _require_tensor(owner, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    return value


def mean(input, dim=None, keepdim: bool = False, *, dtype=None):
    """Mean of the elements over the given dimensions, or over all of them."""
    return _require_tensor("mean", "input", input).mean(dim, keepdim, dtype=dtype)


def argmin(input, dim=None, keepdim: bool = False):
    """Index of the first minimum along a dimension, or in the flattened tensor."""
    return _argmin(input, dim, keepdim, _core.int64)


def bincount(input, weights=None, minlength=0):
    """Counts of each number from 0 on, or sums of its weights."""
    return _bincount(input, weights, minlength, _core.int64)


def any(input, dim=None, keepdim: bool = False) -> Tensor:
    """Returns whether any element along a dimension, or of all, is true."""
    return ops.any(input, dim, keepdim)


def amax(input, dim=(), keepdim: bool = False) -> Tensor:
    """Maximum over the given dimensions, or over all of them."""
    return ops.amax(input, None if dim == () else dim, keepdim)


def amin(input, dim=(), keepdim: bool = False) -> Tensor:
    """Minimum over the given dimensions, or over all of them."""
    return ops.amin(input, None if dim == () else dim, keepdim)


def max(input, dim=None, keepdim: bool = False, *, other=None):
    """Maximum of all elements; with a dimension, the maximum along it and its index.

    With another Tensor as the second argument, the elementwise maximum.
    """
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return ops.maximum(input, other)
    keepdim = require_flag("max", "keepdim", keepdim)
    _require_tensor("max", "input", input)
    return input.max() if dim is None else input.max(dim, keepdim)


def min(input, dim=None, keepdim: bool = False, *, other=None):
    """Minimum of all elements; with a dimension, the minimum along it and its index.

    With another Tensor as the second argument, the elementwise minimum.
    """
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return ops.minimum(input, other)
    keepdim = require_flag("min", "keepdim", keepdim)
    _require_tensor("min", "input", input)
    return input.min() if dim is None else input.min(dim, keepdim)


def median(input, dim=None, keepdim: bool = False) -> tuple | Tensor:
    """Median of all elements; with a dimension, the medians along it and their indexes."""
    if dim is None:
        require_flag("median", "keepdim", keepdim)
        return ops.median(_require_tensor("median", "input", input).reshape(-1), 0)[0]
    return ops.median(input, dim, keepdim)


def sort(input, *, dim=-1, descending: bool = False, stable: bool = False):
    """Sorted elements along a dimension, and their indexes. The sort is always stable."""
    require_flag("sort", "stable", stable)
    return _sort(input, dim, descending, _core.int64)


def argsort(input, dim=-1, descending: bool = False, stable: bool = False):
    """Indexes that sort the elements along a dimension."""
    require_flag("argsort", "stable", stable)
    return sort(input, dim=dim, descending=descending)[1]


def topk(input, k, dim=-1, largest: bool = True, sorted: bool = True):
    """The `k` largest, or smallest, elements along a dimension, and their indexes."""
    return select_extremes(input, k, dim, largest, sorted, _core.int64)


def var(input, dim=None, *, correction=1, keepdim: bool = False) -> Tensor:
    """Variance over the given dimensions; the divisor is the number of elements less `correction`."""
    return ops.var(input, dim, correction, keepdim)


def std(input, dim=None, *, correction=1, keepdim: bool = False) -> Tensor:
    """Standard deviation over the given dimensions."""
    return ops.std(input, dim, correction, keepdim)


def var_mean(input, dim=None, *, correction=1, keepdim: bool = False) -> tuple:
    """Variance and mean over the given dimensions."""
    return ops.var_mean(input, dim, correction, keepdim)


def std_mean(input, dim=None, *, correction=1, keepdim: bool = False) -> tuple:
    """Standard deviation and mean over the given dimensions."""
    return ops.std_mean(input, dim, correction, keepdim)


def count_nonzero(input, dim=None) -> Tensor:
    """Number of nonzero elements."""
    return ops.count_nonzero(input, () if dim is None else dim, dtype=_core.int64)


def norm(input, p="fro", dim=None, keepdim: bool = False, *, dtype=None) -> Tensor:
    """Norm of order `p` of the elements over the given dimensions, seen as one vector; 'fro' is order 2."""
    if p == "nuc":
        return ops.norm(input, p, dim, keepdim, dtype=dtype)
    order = 2 if p in ("fro", None) else p
    return ops.vector_norm(input, order, dim, keepdim, dtype=dtype)


def softmax(input, dim, *, dtype=None) -> Tensor:
    """Softmax, exp(x) / Σ exp(x) along a dimension."""
    return ops.softmax(input, dim, dtype=dtype)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan: bool = False) -> bool:
    """Returns whether all elements are within a tolerance of those of `other`."""
    return bool(ops.isclose(input, other, rtol, atol, equal_nan).all())


def equal(input, other):
    """Returns whether two tensors have the same shape and the same elements."""
    _require_tensor("equal", "input", input)
    _require_tensor("equal", "other", other)
    return input.shape == other.shape and bool(ops.equal(input, other).all())


def item(input):
    """The only element, as a number of Python."""
    return input.item()


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Pairwise distances of order `p` between the rows of `x1` and those of `x2`; `compute_mode` is a hint."""
    if compute_mode not in _DISTANCES:
        raise ValueError(f"cdist: compute_mode is {compute_mode!r}; need one of {', '.join(_DISTANCES)}")
    return ops.cdist(x1, x2, p)
