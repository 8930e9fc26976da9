"""Histogram of the elements of an array."""

import dataclasses

from dyad._src.base import lazy_numpy as numpy

__all__ = ["Histogram", "bucket_count", "histogram_of"]

_MOST_BUCKETS = 90
_LARGEST = 1e307  # beyond it the width of an interval is not a number
_LEAST_WIDTH = 1e-30  # below it the inverse of a width is not a number of float32
_PIECE = 1 << 15
_IN_A_BUCKET = 10  # elements, on average, while there are few


@dataclasses.dataclass(frozen=True)
class Histogram:
    """Counts between limits: bucket i holds what is above limit i-1 and at most limit i.

    NaN and infinities are in no bucket: they are counted by themselves.
    """

    low: float
    high: float
    number: int
    sum: float
    sum_squares: float
    limits: list
    counts: list
    nans: int = 0
    positive_infinities: int = 0
    negative_infinities: int = 0


def histogram_of(array):
    """The histogram of an array, in at most 90 buckets of equal width."""
    values = numpy.asarray(array).reshape(-1)
    if values.dtype.kind == "c":
        values = numpy.abs(values)
    if values.dtype != numpy.float32:
        values = values.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        return _histogram_of_floats(values)


def _histogram_of_floats(values):
    total = float(values.sum(dtype=numpy.float64))
    left_out: tuple[int, ...] = (0, 0, 0)
    if not numpy.isfinite(total) or (values.size and max(-values.min(), values.max()) > _LARGEST):
        of_kind = (numpy.isnan(values), numpy.isposinf(values), numpy.isneginf(values))
        left_out = tuple(int(numpy.count_nonzero(each)) for each in of_kind)
        values = numpy.clip(values[numpy.isfinite(values)], -_LARGEST, _LARGEST)
        total = float(values.sum(dtype=numpy.float64))
    if not values.size:
        return Histogram(0.0, 0.0, 0, 0.0, 0.0, [0.0], [0], *left_out)
    low, high = float(values.min()), float(values.max())
    # An interval whose ends are equal needs a width that floats near it can represent.
    is_wide = high - low > max(_LEAST_WIDTH, 1e-6 * max(abs(low), abs(high)))
    margin = 0.0 if is_wide else max(0.5, abs(low) * 1e-3)
    buckets = bucket_count(values.size)
    limits = numpy.linspace(low - margin, high + margin, buckets + 1)[1:]
    counts = _counted(values, low - margin, high + margin, buckets)
    squares = float(numpy.dot(values, values))
    return Histogram(low, high, int(values.size), total, squares, limits.tolist(), counts.tolist(), *left_out)


def _counted(values, low, high, buckets):
    """Number of values in each of `buckets` parts of an interval; computed piece by piece, which stays in the cache."""
    low, scale = values.dtype.type(low), values.dtype.type(buckets / (high - low))
    counts = numpy.zeros(buckets + 1, numpy.int64)
    for start in range(0, values.size, _PIECE):
        places = (values[start : start + _PIECE] - low) * scale
        counts += numpy.bincount(places.astype(numpy.intp), minlength=buckets + 1)[: buckets + 1]
    counts[-2] += counts[-1]  # the largest value, and the rounding next to it
    return counts[:-1]


def bucket_count(number):
    """A suitable number of buckets for `number` elements."""
    if number <= _IN_A_BUCKET:
        return 1 + (number > 0) + (number > 5)
    return min(_MOST_BUCKETS, number // _IN_A_BUCKET + 1)


_calc_histogram_bins = bucket_count  # by this name programs ask how many buckets they will find
