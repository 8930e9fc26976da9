"""Counts, histograms, covariances, sums that leave out NaN, and sets of elements."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, held_number, require_bool, require_int
from dyad.numpy import operand
from dyad.numpy.creation import linspace
from dyad.numpy.operand import as_flag, as_float, as_tensor, require_flag
from dyad.numpy.reduction import cumsum

__all__ = [
    "array_equal",
    "array_equiv",
    "bincount",
    "corrcoef",
    "cov",
    "digitize",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "in1d",
    "intersect1d",
    "isin",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanstd",
    "nansum",
    "nanvar",
    "searchsorted",
    "setdiff1d",
    "sometrue",
]


def array_equal(a1, a2, equal_nan: bool = False):
    """Returns whether two arrays have the same shape and elements; with `equal_nan`, NaN equals NaN."""
    a1, a2 = as_tensor(a1), as_tensor(a2)
    equal_nan = require_flag("array_equal", "equal_nan", equal_nan)
    if a1.shape != a2.shape:
        return Tensor(False)
    same = a1 == a2
    if equal_nan:
        same = same | (ops.isnan(a1) & ops.isnan(a2))
    return same.all()


def array_equiv(a1, a2):
    """Returns whether two arrays broadcast to one shape, and have the same elements there."""
    a1, a2 = as_tensor(a1), as_tensor(a2)
    sizes = zip(reversed(a1.shape), reversed(a2.shape), strict=False)
    if any(first != second and 1 not in (first, second) for first, second in sizes):
        return Tensor(False)
    return (a1 == a2).all()


def digitize(x, bins, right: bool = False) -> Tensor:
    """Index of the bin between monotonic edges that contains each element; 0 is the one before the first.

    A bin contains its left edge, or with `right` the right one.
    """
    x, bins = as_tensor(x), as_tensor(bins)
    if bins.ndim != 1:
        raise ValueError(f"digitize: bins has shape {bins.shape}; need 1 dimension")
    if bins.size == 0:
        return ops.zeros_like(x).astype(_core.int32)
    falls = bins[0] > bins[-1]
    rising = ops.where(falls, ops.flip(bins, (0,)), bins)
    passed = searchsorted(rising, x, side="left" if right else "right")
    return ops.where(falls, bins.size - passed, passed)


def bincount(x, weights=None, minlength=0, length=None) -> Tensor:
    """Counts of each number from 0 on, or sums of its weights; `length` cuts the result."""
    weights = None if weights is None else as_tensor(weights)
    counted = ops.bincount(as_tensor(x), weights, minlength)
    return counted if length is None else counted[: operand.require_int("bincount", "length", length, low=0)]


def cov(
    m, y=None, rowvar: bool = True, bias: bool = False, ddof=None, fweights=None, aweights=None, dtype=None
) -> Tensor:
    """Covariances of variables, which are the rows, or the columns if `rowvar` is False."""
    rowvar, bias = require_flag("cov", "rowvar", rowvar), require_flag("cov", "bias", bias)
    m = _variables(m, rowvar)
    if y is not None:
        m = ops.cat((m, _variables(y, rowvar)))
    weights = [None if w is None else as_tensor(w) for w in (fweights, aweights)]
    correction = ddof if ddof is not None else (0 if bias else 1)
    result = ops.cov(m, correction=correction, fweights=weights[0], aweights=weights[1])
    result = result.reshape(()) if m.shape[0] == 1 else result
    return result if dtype is None else result.astype(dtype)


def _variables(m, rowvar):
    m = as_float(m)
    m = m.reshape(1, -1) if m.ndim < 2 else m
    return m if rowvar or m.shape[0] == 1 else m.T


def corrcoef(x, y=None, rowvar: bool = True, dtype=None) -> Tensor:
    """Correlations of variables: their covariances over the products of their deviations."""
    covariance = cov(x, y, require_flag("corrcoef", "rowvar", rowvar))
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = ops.sqrt(ops.diagonal(covariance))
    result = ops.clamp(covariance / deviation.reshape(-1, 1) / deviation.reshape(1, -1), -1.0, 1.0)
    return result if dtype is None else result.astype(dtype)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Edges of equal intervals over a range, by default from the smallest to the largest element."""
    bins = held_number(bins) if getattr(bins, "ndim", None) == 0 else bins
    if not isinstance(bins, int):
        return _rising_edges(bins)
    a = as_tensor(a).reshape(-1)
    if weights is not None and as_tensor(weights).size != a.size:
        raise ValueError(
            f"histogram_bin_edges: {as_tensor(weights).size} weights meet {a.size} elements; need as many"
        )
    require_int("histogram_bin_edges", "bins", bins, low=1)
    if range is not None and (not isinstance(range, (tuple, list)) or len(range) != 2):
        raise SettingError(f"histogram_bin_edges: range is {range!r}; need a pair (low, high)")
    if range is None:
        low, high = (a.min().item(), a.max().item()) if a.size else (0, 1)
    else:
        low, high = range
        if low > high:
            raise ValueError(
                f"histogram_bin_edges: the range is {low} to {high}; need a range that does not fall"
            )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return linspace(low, high, bins + 1, dtype=_core.float64 if a.dtype == _core.float64 else None)


def _rising_edges(bins):
    edges = as_tensor(bins)
    if edges.ndim != 1:
        raise TypeError(f"histogram_bin_edges: bins is {bins!r}; need an int or a sequence of edges")
    return edges


def histogram(a, bins=10, range=None, weights=None, density: bool = False):
    """Counts of elements per interval, or sums of their weights, and the intervals' edges."""
    counts, (edges,) = _histogram("histogram", as_tensor(a).reshape(-1, 1), [bins], [range], weights, density)
    return counts, edges


def histogram2d(x, y, bins=10, range=None, weights=None, density: bool = False):
    """Counts of pairs per cell of a grid, and the edges along both axes."""
    sample = ops.stack((as_tensor(x), as_tensor(y)), 1)
    counts, (first, second) = _histogram("histogram2d", sample, bins, range, weights, density)
    return counts, first, second


def histogramdd(sample, bins=10, range=None, weights=None, density: bool = False):
    """Counts of rows per cell of a grid of as many axes as a row has numbers, and the edges along each axis."""
    return _histogram("histogramdd", sample, bins, range, weights, density)


def _histogram(caller, sample, bins, range, weights, density):
    if isinstance(sample, (list, tuple)):
        sample = ops.stack([as_tensor(column) for column in sample], 1)
    sample = as_float(sample)
    if sample.ndim != 2:
        raise SettingError(f"{caller}: sample has shape {sample.shape}; need 2 dimensions")
    axes = sample.shape[1]
    if isinstance(bins, Tensor) and bins.ndim == 2:
        bins = list(bins)
    per_axis = bins if isinstance(bins, (list, tuple)) else [bins] * axes
    ranges = [None] * axes if range is None else range
    for name, given in (("bins", per_axis), ("range", ranges)):
        if not isinstance(given, (list, tuple)) or len(given) != axes:
            raise SettingError(f"{caller}: {name} is {given!r}; need one for each of {axes} columns")
    edges = [
        histogram_bin_edges(column, *settings)
        for column, *settings in zip(sample.unbind(1), per_axis, ranges, strict=True)
    ]
    cell = ops.zeros(sample.shape[0], _core.int64)
    inside = ops.ones(sample.shape[0], _core.bool_)
    for column, along in zip(sample.unbind(1), edges, strict=True):
        along = along.astype(column.dtype)
        # The last interval holds its right edge as well.
        place = ops.searchsorted(along, column, right=True) - 1
        place = ops.where(column == along[-1], along.size - 2, place)
        inside = inside & (column >= along[0]) & (column <= along[-1])
        cell = cell * (along.size - 1) + place
    shape = tuple(along.size - 1 for along in edges)
    total = 1
    for size in shape:
        total *= size
    if weights is not None:
        weights = as_tensor(weights)
        if weights.size != inside.size:
            raise ValueError(
                f"{caller}: weights have shape {weights.shape}; need one for each of {inside.size}"
            )
        weights = weights.reshape(-1)[inside]
    if total == 0:
        return ops.zeros(shape, _core.float32), edges
    counts = ops.bincount(cell[inside], weights, total).reshape(shape)
    if density:
        counts = counts / counts.sum()
        for axis, along in enumerate(edges):
            counts = counts / ops.diff(along).reshape([-1 if i == axis else 1 for i, _ in enumerate(edges)])
    return counts, edges


def _without_nan(a, filler):
    a = as_tensor(a)
    return ops.where(ops.isnan(a), filler, a) if a.dtype.is_floating_point else a


def nansum(a, axis=None, dtype=None, keepdims: bool = False):
    """Sum in which NaN counts as 0."""
    result = _without_nan(a, 0.0).sum(axis, keepdims=as_flag(keepdims))
    return result if dtype is None else result.astype(dtype)


def nanmax(a, axis=None, dtype=None, keepdims: bool = False):
    """Largest element that is not NaN."""
    return _extreme(ops.amax, a, float("-inf"), axis, dtype, keepdims)


def nanmin(a, axis=None, dtype=None, keepdims: bool = False):
    """Smallest element that is not NaN."""
    return _extreme(ops.amin, a, float("inf"), axis, dtype, keepdims)


def _extreme(operator, a, filler, axis, dtype, keepdims):
    result = operator(_without_nan(a, filler), axis, as_flag(keepdims))
    return result if dtype is None else result.astype(dtype)


def nanmean(a, axis=None, dtype=None, keepdims: bool = False):
    """Mean of the elements that are not NaN."""
    result = nansum(as_float(a), axis, None, keepdims) / _numbers(a, axis, keepdims)
    return result if dtype is None else result.astype(dtype)


def _numbers(a, axis, keepdims):
    return (~ops.isnan(as_float(a))).astype(_core.float32).sum(axis, keepdims=as_flag(keepdims))


def nanvar(a, axis=None, dtype=None, ddof=0, keepdims: bool = False):
    """Variance of the elements that are not NaN."""
    a = as_float(a)
    wanted = a.dtype if dtype is None else dtype
    if a.dtype in (_core.float16, _core.bfloat16):
        a = a.astype(_core.float32)  # squares leave the range of a narrow float before their mean does
    mean = nansum(a, axis, None, True) / _numbers(a, axis, True)
    result = nansum((a - mean) ** 2, axis, None, keepdims) / (_numbers(a, axis, keepdims) - ddof)
    return result.astype(wanted)


def nanstd(a, axis=None, dtype=None, ddof=0, keepdims: bool = False) -> Tensor:
    """Standard deviation of the elements that are not NaN."""
    a = as_float(a)
    variance = nanvar(a, axis, _core.float64 if a.dtype == _core.float64 else _core.float32, ddof, keepdims)
    spread = variance != 0  # the square root of 0 has no derivative; its gradient is 0
    deviation = ops.where(spread, ops.sqrt(ops.where(spread, variance, 1.0)), 0.0)
    return deviation.astype(a.dtype if dtype is None else dtype)


def nancumsum(a, axis=None, dtype=None):
    """Running sum in which NaN counts as 0."""
    return cumsum(_without_nan(a, 0.0), axis, dtype)


def searchsorted(a, v, side="left", sorter=None):
    """Indexes at which elements can be inserted into a sorted array, before ('left') or after equal ones."""
    return as_tensor(a).searchsorted(as_tensor(v), side, None if sorter is None else as_tensor(sorter))


def in1d(ar1, ar2, invert: bool = False):
    """Returns whether each element of the first array occurs in the second, or, with `invert`, does not."""
    first, second = as_tensor(ar1).reshape(-1, 1), as_tensor(ar2).reshape(1, -1)
    found = (first == second).any(1)
    return ~found if invert else found


def isin(element, test_elements, invert: bool = False):
    """Returns whether each element occurs in the second array, or, with `invert`, does not; in the shape of the
    first.
    """
    return in1d(element, test_elements, invert).reshape(as_tensor(element).shape)


def intersect1d(ar1, ar2, assume_unique: bool = False, return_indices: bool = False) -> tuple | Tensor:
    """Elements that both arrays have, in ascending order; optionally the index of their first occurrence in each."""
    require_bool("intersect1d", "assume_unique", assume_unique)
    require_bool("intersect1d", "return_indices", return_indices)
    first, second = as_tensor(ar1).reshape(-1), as_tensor(ar2).reshape(-1)
    shared = ops.unique_consecutive(ops.sort(first[in1d(first, second)])[0])
    if not return_indices:
        return shared
    places = [
        ops.argmax((shared.reshape(-1, 1) == of.reshape(1, -1)).astype(_core.int32), 1)
        for of in (first, second)
    ]
    return (shared, *places)


def setdiff1d(ar1, ar2, assume_unique: bool = False):
    """Elements of the first array that the second lacks: ascending and once each, unless they are said to be unique."""
    require_bool("setdiff1d", "assume_unique", assume_unique)
    first = as_tensor(ar1).reshape(-1)
    kept = first[in1d(first, ar2, invert=True)]
    return kept if assume_unique else ops.unique_consecutive(ops.sort(kept)[0])


def sometrue(a, axis=None, keepdims: bool = False) -> Tensor:
    """Returns whether any element along an axis, or of all, is true."""
    return ops.any(as_tensor(a) != 0, axis, as_flag(keepdims))
