"""Writes to a part of a tensor, as a whole tensor: for each kind of view the base with another value in its window."""

from collections.abc import Callable

from dyad._src.interchange.mindir.lowerings_shape import slices


def _select(emission, base, value, axis, position):
    axis %= len(base.shape)
    widened = emission.reshape(value, (*base.shape[:axis], 1, *base.shape[axis + 1 :]))
    return _between(emission, base, widened, axis, position % base.shape[axis], 1)


def _slice(emission, base, value, starts, stops, steps):
    for axis, (start, step) in enumerate(zip(starts, steps, strict=True)):
        if step != 1:
            return emission.foreign(
                "slice_scatter", [base, value, axis, start, stops[axis], step], [_type(base)]
            )[0]
    return _nested(emission, base, value, starts, stops, 0)


def _nested(emission, base, value, starts, stops, axis):
    """Writes the value into the window of the axes from one on."""
    while axis < len(starts) and starts[axis] == 0 and stops[axis] == base.shape[axis]:
        axis += 1
    if axis == len(starts):
        return value
    length = stops[axis] - starts[axis]
    part = slices(emission, base, axis, starts[axis], stops[axis])
    return _between(
        emission, base, _nested(emission, part, value, starts, stops, axis + 1), axis, starts[axis], length
    )


def _between(emission, base, value, axis, start, length):
    """The base with `length` indexes of an axis replaced."""
    size = base.shape[axis]
    parts = []
    if start > 0:
        parts.append(slices(emission, base, axis, 0, start))
    parts.append(emission.cast(value, base.dtype))
    if start + length < size:
        parts.append(slices(emission, base, axis, start + length, size))
    if len(parts) == 1:
        return parts[0]
    return emission.call("Concat", emission.tuple_of(parts), axis, dtype=base.dtype, shape=base.shape)


def _reshape(emission, base, value, shape):
    return emission.reshape(value, base.shape)


def _permute(emission, base, value, axes):
    axes = [axis % len(axes) for axis in axes]
    back = tuple(axes.index(axis) for axis in range(len(axes)))
    return emission.call("Transpose", value, back, dtype=value.dtype, shape=base.shape)


def _type(value):
    return value.dtype, value.shape


WRITES: dict[str, Callable] = {
    "select_view": _select,
    "slice_view": _slice,
    "reshape": _reshape,
    "permute": _permute,
}
