"""Pooling over windows of two neighbouring lengths, so that sizes shrink by a fraction; (N, H, W, C)."""

import itertools
import math
import random

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.operators import functions, gather, rand
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = ["FractionalAvgPool", "FractionalMaxPool"]

_amax = functions["amax"]


def _numbers(count, seed):
    """Numbers between 0 and 1: always the same ones of a seed, else those of the generator that programs seed."""
    if seed is None:
        return rand((count,)).tolist()
    generator = random.Random(seed)
    return [generator.random() for _ in range(count)]


def _shuffled(size, count, seed):
    """Bounds of `count` windows whose lengths, in random order, are the two nearest to size / count."""
    length = size // count
    longer = size - length * count
    drawn = _numbers(count, seed)
    order = sorted(range(count), key=drawn.__getitem__)
    bounds = [0]
    for place in order:
        bounds.append(bounds[-1] + length + (place < longer))
    return bounds


def _regular(size, count, seed):
    """Bounds at the multiples of size / count after one random shift, which keeps the lengths next to each other."""
    ratio = size / count
    length = int(ratio)
    most = min((length + 2) / ratio - 1, (size + 1 - length) / ratio - (count - 1))
    shift = _numbers(1, seed)[0] * most
    inner = [math.ceil(ratio * (place + shift)) - 1 for place in range(1, count)]
    return [0, *inner, size]


def _bounds(size, ratio, pseudo_random, seed):
    count = int(size / ratio)
    if count < 1:
        raise ValueError(f"a dimension of size {size} has no window at the ratio {ratio}")
    return (_regular if pseudo_random else _shuffled)(size, count, seed)


def _windows(bounds, size, overlapping):
    """Places (windows, longest) of the elements of each window, the last one again where it is shorter, and lengths."""
    pairs = itertools.pairwise(bounds)
    ends = [(start, min(end + overlapping, size)) for start, end in pairs]
    longest = max(end - start for start, end in ends)
    places = [[min(start + step, end - 1) for step in range(longest)] for start, end in ends]
    return places, [end - start for start, end in ends]


def _taken(x, axis, bounds, overlapping):
    places, lengths = _windows(bounds, x.shape[axis], overlapping)
    shape = (*x.shape[:axis], len(places), len(places[0]), *x.shape[axis + 1 :])
    flat = [place for window in places for place in window]
    return gather(x, Tensor(flat, _core.int64), axis).reshape(shape), lengths


def largest(x, rows, columns, overlapping):
    """The largest element of each window between the given bounds."""
    for axis, bounds in ((1, rows), (2, columns)):
        x = _amax(_taken(x, axis, bounds, overlapping)[0], axis + 1)
    return x


def mean(x, rows, columns, overlapping):
    """The mean of each window between the given bounds; integers are cut."""
    wide = x if x.dtype.is_floating_point else x.astype(_core.float64)
    for axis, bounds in ((1, rows), (2, columns)):
        windows, lengths = _taken(wide, axis, bounds, overlapping)
        longest = windows.shape[axis + 1]
        weights = [[1 / n if step < n else 0.0 for step in range(longest)] for n in lengths]
        shape = (len(lengths), longest, *[1] * (x.ndim - axis - 1))
        wide = (windows * Tensor(weights, wide.dtype).reshape(shape)).sum(axis + 1)
    return wide.astype(x.dtype)


def _pool(owner, combine, x, pooling_ratio, pseudo_random, overlapping, seed):
    if not isinstance(x, Tensor):
        raise TypeError(f"{owner}: x is of type {type(x).__name__}; need a Tensor")
    if x.ndim != 4:
        raise ValueError(f"{owner}: x has shape {x.shape}; need (N, H, W, C)")
    rows, columns = (_bounds(x.shape[axis], pooling_ratio[axis], pseudo_random, seed) for axis in (1, 2))
    whole = combine(x, rows, columns, overlapping)
    return whole, Tensor(rows, _core.int64), Tensor(columns, _core.int64)


def _check(name, settings):
    ratio = settings["pooling_ratio"]
    if not isinstance(ratio, (list, tuple)) or not all(isinstance(r, float) for r in ratio):
        raise TypeError(f"{name}: pooling_ratio is {ratio!r}; need a list of floats")
    if len(ratio) != 4 or ratio[0] != 1 or ratio[3] != 1 or min(ratio) < 1:
        raise ValueError(f"{name}: pooling_ratio is {ratio}; need [1.0, r, r, 1.0] with r of at least 1")
    for key in ("pseudo_random", "overlapping", "deterministic"):
        require_bool(name, key, settings[key])
    for key in ("seed", "seed2"):
        require_int(name, key, settings[key])


def _seed(deterministic, seed, seed2):
    """The given seed, a fixed one where a repeatable result is asked for, or none."""
    return seed * 31 + seed2 + 1 if deterministic or seed or seed2 else None


def _max_pool(
    x, *, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0
):
    """The largest elements of windows that shrink rows and columns by a fraction, and the bounds of both.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1))
        >>> y, rows, columns = ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x)
        >>> print(y.reshape(2, 2), rows)
        [[ 5.  7.]
         [13. 15.]] [0 2 4]
    """
    drawn = _seed(deterministic, seed, seed2)
    return _pool("FractionalMaxPool", largest, x, pooling_ratio, pseudo_random, overlapping, drawn)


def _avg_pool(
    x, *, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0
):
    """The means of windows that shrink rows and columns by a fraction, and the bounds of both.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1))
        >>> y, rows, columns = ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x)
        >>> print(y.reshape(2, 2), rows)
        [[ 2.5  4.5]
         [10.5 12.5]] [0 2 4]
    """
    drawn = _seed(deterministic, seed, seed2)
    return _pool("FractionalAvgPool", mean, x, pooling_ratio, pseudo_random, overlapping, drawn)


FractionalAvgPool = primitive_with_settings("FractionalAvgPool", _avg_pool, _check)
FractionalMaxPool = primitive_with_settings("FractionalMaxPool", _max_pool, _check)
