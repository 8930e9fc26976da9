"""How the elements of an array are spread."""

import dataclasses

from dyad._src import lazy_numpy as numpy

_MOST_BUCKETS = 90
_LARGEST = 1e307  # beyond it the width of an interval is no number
_IN_A_BUCKET = 10  # elements, on average, while there are few


@dataclasses.dataclass(frozen=True)
class Histogram:
    """Counts between limits: bucket i holds what is above limit i-1 and at most limit i.

    NaN and infinities are left out.
    """

    low: float
    high: float
    number: int
    sum: float
    sum_squares: float
    limits: list
    counts: list


def histogram_of(array):
    """The histogram of an array, in at most 90 buckets of equal width."""
    values = numpy.asarray(array).reshape(-1)
    values = values.astype(numpy.float64) if values.dtype.kind != "c" else numpy.abs(values)
    values = values[numpy.isfinite(values)]
    if not values.size:
        return Histogram(0.0, 0.0, 0, 0.0, 0.0, [0.0], [0])
    values = numpy.clip(values, -_LARGEST, _LARGEST)
    low, high = float(values.min()), float(values.max())
    # An interval with nothing between its ends still needs a width, and one that the numbers there can tell.
    is_wide = high - low > max(1e-300, 1e-12 * max(abs(low), abs(high)))
    margin = 0.0 if is_wide else max(0.5, abs(low) * 1e-6)
    ends = (low - margin, high + margin)
    counts, edges = numpy.histogram(values, bins=bucket_count(values.size), range=ends)
    with numpy.errstate(over="ignore"):
        sums = float(values.sum()), float(numpy.square(values).sum())
    return Histogram(low, high, int(values.size), *sums, edges[1:].tolist(), counts.tolist())


def bucket_count(number):
    """How many buckets show so many elements well."""
    if number <= _IN_A_BUCKET:
        return 1 + (number > 0) + (number > 5)
    return min(_MOST_BUCKETS, number // _IN_A_BUCKET + 1)
