"""Lowerings of operators that move data to the Primitives of files."""

from dyad import _core
from dyad._src.interchange.mindir.writer import Written

_ALL = (1 << 31) - 1


def slices(e, x, axis, start, stop):
    """Indexes `start` (included) to `stop` (excluded) of one axis."""
    rank = len(x.shape)
    starts = tuple(start if place == axis else 0 for place in range(rank))
    stops = tuple(stop if place == axis else _ALL for place in range(rank))
    shape = (*x.shape[:axis], stop - start, *x.shape[axis + 1 :])
    return strided(e, x, starts, stops, (1,) * rank, (x.dtype, shape))


def strided(e, x, starts, stops, steps, result, shrink=0):
    """`StridedSlice` with sizes that are known or not."""
    whole = sum(1 << place for place, stop in enumerate(stops) if stop == _ALL)
    dtype, shape = result
    return e.call(
        "StridedSlice",
        x,
        tuple(starts),
        tuple(stops),
        tuple(steps),
        0,
        whole,
        0,
        0,
        shrink,
        dtype=dtype,
        shape=shape,
    )


def select_view(e, results, x, axis, position):
    rank = len(x.shape)
    axis %= rank
    starts = tuple(position if place == axis else 0 for place in range(rank))
    last = _ALL if position == -1 else position + 1
    stops = tuple(last if place == axis else _ALL for place in range(rank))
    return strided(e, x, starts, stops, (1,) * rank, results[0], 1 << axis)


def slice_view(e, results, x, starts, stops, steps):
    given = list(zip(x.shape, starts, stops, steps, strict=False))
    reversed_axes = tuple(axis for axis, part in enumerate(given) if _is_reversal(*part))
    if reversed_axes:
        x = e.call("ReverseV2", x, reversed_axes, dtype=x.dtype, shape=x.shape)
        if len(reversed_axes) == len(given):
            return Written(x.name, *results[0])
        starts, stops, steps = (list(bounds) for bounds in (starts, stops, steps))
        for axis in reversed_axes:
            starts[axis], stops[axis], steps[axis] = 0, x.shape[axis], 1
    if any(not isinstance(step, int) or step < 1 for step in steps):
        return None
    stops = [_ALL if stop == size else stop for stop, size in zip(stops, x.shape, strict=False)]
    return strided(e, x, starts, stops, steps, results[0])


def _is_reversal(size, start, stop, step):
    """Returns whether a slice is a whole dimension from its end to its start."""
    return isinstance(size, int) and (start, stop, step) == (size - 1, -1, -1)


def reshape(e, results, x, shape):
    if not isinstance(shape, list):
        return None
    if _keeps_rows(x.shape, results[0][1]):
        # The reader infers sizes again, so that a file accepts batches of any size.
        return e.call("Flatten", x, dtype=x.dtype, shape=results[0][1])
    made = e.reshape(x, shape) if -1 not in shape else e.call("Reshape", x, tuple(shape))
    return Written(made.name, *results[0])


def _keeps_rows(given, made):
    """Returns whether a shape becomes two dimensions, of which the first is its own first."""
    return len(given) > 2 and len(made) == 2 and isinstance(made[0], int) and 0 < made[0] == given[0]


def same(e, results, x, *rest):
    return x


def copy_into(e, results, x, value):
    dtype, shape = results[0]
    return e.broadcast(e.tensor(value, dtype), shape)


def zero_into(e, results, x):
    dtype, shape = results[0]
    return e.broadcast(e.tensor(0, dtype), shape)


def permute(e, results, x, axes):
    axes = tuple(axis % len(axes) for axis in axes)
    return e.call("Transpose", x, axes, dtype=x.dtype, shape=results[0][1])


def pad_constant(e, results, x, before, after, value):
    """Padding with zeros by `Pad`; other values fill the complement of a mask."""
    if any(not isinstance(size, int) or size < 0 for size in (*before, *after)):
        return None
    paddings = tuple(zip(before, after, strict=True))
    dtype, shape = results[0]
    padded = e.with_attributes("Pad", [x], {"paddings": paddings}, dtype, shape)
    if value == 0:
        return padded
    ones = e.broadcast(e.tensor(1, _core.float32), x.shape)
    inside = e.with_attributes("Pad", [ones], {"paddings": paddings}, _core.float32, shape)
    mask = e.call("Greater", inside, e.tensor(0, _core.float32), dtype=_core.bool_, shape=shape)
    return e.call(
        "Select", mask, padded, e.broadcast(e.tensor(value, dtype), shape), dtype=dtype, shape=shape
    )


def stack(e, results, tensors, axis):
    dtype, shape = results[0]
    given = e.tuple_of([e.cast(member, dtype) for member in tensors])
    return e.with_attributes("Stack", [given], {"axis": axis}, dtype, shape)


def full(e, results, shape, value, dtype=None):
    kind, sizes = results[0]
    return e.broadcast(e.tensor(value, kind), sizes)


def index_gather(e, results, x, indices):
    """Gathering by one Tensor of indices along the first axis is `Gather`."""
    if len(indices) != 1 or indices[0] is None or indices[0].dtype == _core.bool_:
        return None
    size, dtype = x.shape[0], indices[0].dtype
    if not isinstance(size, int):
        return None
    index = indices[0]
    below = e.call("Less", index, e.tensor(0, dtype), dtype=_core.bool_, shape=index.shape)
    moved = e.call("Add", index, e.tensor(size, dtype), dtype=dtype, shape=index.shape)
    index = e.call("Select", below, moved, index, dtype=dtype, shape=index.shape)
    return e.call("Gather", x, index, 0, 0, dtype=x.dtype, shape=results[0][1])


def sum_to(e, results, x, like):
    """Sums over the axes along which a Tensor of that shape would be repeated."""
    dtype, shape = results[0]
    extra = len(x.shape) - len(shape)
    axes = (
        *range(extra),
        *(extra + place for place, size in enumerate(shape) if size == 1 and x.shape[extra + place] != 1),
    )
    if not axes:
        return x
    kept = [1 if place in axes else size for place, size in enumerate(x.shape)]
    summed = e.call("ReduceSum", x, axes, True, False, dtype=dtype, shape=tuple(kept))
    return e.reshape(summed, shape)


def embed_slice(e, results, x, shape, starts, stops, steps):
    """Zeros around: the gradient of a slice."""
    sizes = results[0][1]
    known = (*sizes, *starts, *stops, *steps)
    if any(not isinstance(size, int) for size in known) or set(steps) - {1}:
        return None
    rest = len(sizes) - len(starts)
    before = [*starts, *(0,) * rest]
    after = [size - stop for size, stop in zip(sizes, stops, strict=False)] + [0] * rest
    return pad_constant(e, results, x, before, after, 0)


LOWERINGS = {
    "assign": copy_into,
    "contiguous": same,
    "copy": same,
    "copy_into": copy_into,
    "embed_slice": embed_slice,
    "full": full,
    "index_gather": index_gather,
    "pad_constant": pad_constant,
    "permute": permute,
    "reshape": reshape,
    "select_view": select_view,
    "slice_view": slice_view,
    "stack": stack,
    "stop_gradient": same,
    "sum_to": sum_to,
    "zero_into": zero_into,
}
