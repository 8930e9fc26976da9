"""Enlarging arrays at their sides."""

from numbers import Integral

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_choice
from dyad.numpy.operand import as_tensor

__all__ = ["pad"]

_BY_POSITION = ("edge", "reflect", "symmetric", "wrap")


def pad(
    arr,
    pad_width,
    mode: str = "constant",
    stat_length=None,
    constant_values=0,
    end_values=0,
    reflect_type: str = "even",
):
    """The array enlarged along each axis by a number of elements before and after it.

    What is put there depends on the mode: `constant_values` (constant), zeros (empty), elements of the array (edge,
    reflect, symmetric, wrap), a statistic of the `stat_length` elements next to it (maximum, minimum, mean, median), or
    steps that lead to `end_values` (linear_ramp). With the `reflect_type` "odd", what is reflected is turned upside
    down about the element at the edge. Widths, lengths and values are one number for all sides, a pair for all axes, or
    a pair for each axis.
    """
    arr = as_tensor(arr)
    if isinstance(pad_width, Tensor):
        pad_width = pad_width.tolist()
    widths = _pairs("pad_width", pad_width, arr.ndim)
    if any(
        isinstance(width, bool) or not isinstance(width, Integral) or width < 0
        for pair in widths
        for width in pair
    ):
        raise SettingError(f"pad: pad_width is {pad_width!r}; need ints that are not negative")
    require_choice("pad", "reflect_type", reflect_type, ("even", "odd"))
    if not isinstance(mode, str):
        raise SettingError(f"pad: mode is {mode!r} of type {type(mode).__name__}; need a str")
    odd = reflect_type == "odd" and mode in ("reflect", "symmetric")
    make = _makers(mode, arr.ndim, stat_length, constant_values, end_values)
    for axis, pair in enumerate(widths):
        if any(pair):
            arr = _turned(arr, axis, pair, mode) if odd else _along(arr, axis, pair, mode, make)
    return arr if any(map(any, widths)) else arr.copy()


def _pairs(name, value, ndim):
    """A pair for each axis."""
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * ndim
    nested = [tuple(part) if isinstance(part, (tuple, list)) else part for part in value]
    if not any(isinstance(part, tuple) for part in nested):
        nested = [tuple(nested * 2 if len(nested) == 1 else nested)]
    pairs = [part * 2 if isinstance(part, tuple) and len(part) == 1 else part for part in nested]
    pairs = pairs * ndim if len(pairs) == 1 else pairs
    if len(pairs) != ndim or any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise SettingError(
            f"pad: {name} is {value!r}; need a number, a pair, or a pair for each of {ndim} axes"
        )
    return pairs


def _makers(mode, ndim, stat_length, constant_values, end_values):
    """The function for the elements of one side: a function of the array, the axis, the side and the width."""
    if mode in ("constant", "empty"):
        values = _pairs("constant_values", 0 if mode == "empty" else constant_values, ndim)
        return lambda arr, axis, side, width: _filled(arr, axis, width, values[axis][side])
    if mode in _STATISTICS:
        lengths = _pairs("stat_length", stat_length, ndim)
        return lambda arr, axis, side, width: _statistic(arr, axis, side, width, mode, lengths[axis][side])
    if mode == "linear_ramp":
        ends = _pairs("end_values", end_values, ndim)
        return lambda arr, axis, side, width: _ramp(arr, axis, side, width, ends[axis][side])
    if mode not in _BY_POSITION:
        known = ("constant", "empty", "linear_ramp", *_BY_POSITION, *_STATISTICS)
        raise ValueError(f"pad: mode is {mode!r}; need one of {', '.join(known)}")
    return None


def _along(arr, axis, pair, mode, make):
    if make is None:
        import numpy

        places = numpy.pad(numpy.arange(arr.shape[axis]), pair, mode=mode)
        return ops.gather(arr, Tensor(places), axis)
    sides = [make(arr, axis, side, width) for side, width in enumerate(pair)]
    return ops.concat((sides[0], arr, sides[1]), axis)


def _turned(arr, axis, pair, mode):
    """Reflections about both edges in turn: one pads before the array, the other after it."""
    size, shared, width = arr.shape[axis], int(mode == "symmetric"), max(pair)
    if size + shared == 1:
        return _along(arr, axis, pair, "edge", None)
    first, last = (_edge(arr, axis, side, 1) for side in (0, 1))
    before = after = 0
    while before < width:
        wanted = min(width, size - 1 + after + shared)
        chunk = ops.narrow(arr, axis, 2 * before + 1 - shared, wanted - before)
        arr, before = ops.concat((2 * first - ops.flip(chunk, (axis,)), arr), axis), wanted
        chunk = ops.narrow(arr, axis, size - 1 + shared, wanted - after)
        arr, after = ops.concat((arr, 2 * last - ops.flip(chunk, (axis,))), axis), wanted
    return ops.narrow(arr, axis, width - pair[0], pair[0] + size + pair[1])


def _filled(arr, axis, width, value):
    shape = (*arr.shape[:axis], width, *arr.shape[axis + 1 :])
    return ops.full(shape, value, dtype=arr.dtype)


def _edge(arr, axis, side, length):
    return ops.narrow(arr, axis, arr.shape[axis] - length if side else 0, length)


_STATISTICS = {
    "maximum": lambda x, axis: ops.amax(x, axis, True),
    "mean": lambda x, axis: ops.mean(x, axis, True),
    "median": lambda x, axis: _median(x, axis),
    "minimum": lambda x, axis: ops.amin(x, axis, True),
}


def _median(x, axis):
    """The middle of the elements in order, or the mean of the two in the middle."""
    size = x.shape[axis]
    middle = ops.narrow(ops.sort(x, axis)[0], axis, (size - 1) // 2, 2 - size % 2)
    return ops.mean(middle, axis, True)


def _statistic(arr, axis, side, width, mode, length):
    size = arr.shape[axis]
    length = size if length is None else min(length, size)
    if length < 1:
        raise ValueError(f"pad: stat_length is {length}; need 1 or more")
    values = _edge(arr, axis, side, length)
    if arr.dtype.is_floating_point or mode in ("maximum", "minimum"):
        value = _STATISTICS[mode](values, axis)
    else:
        value = ops.round(_STATISTICS[mode](values.astype(_core.float64), axis)).astype(arr.dtype)
    return ops.repeat_interleave(value, width, axis)


def _ramp(arr, axis, side, width, end):
    """Even steps from `end`, outermost, towards the element at the edge."""
    steps = ops.arange(width).astype(_core.float32).reshape([-1 if i == axis else 1 for i in range(arr.ndim)])
    shares = (steps + 1 if side else width - steps) / max(width, 1)
    edge = _edge(arr, axis, side, 1)
    return (edge + (end - edge) * shares).astype(arr.dtype)
