"""Lowerings of operators that move and create data to nodes of ONNX."""

import math

from dyad import _core
from dyad._src.operators import arange as _arange
from dyad._src.operators import strided_view as _strided_view

_LAST = (1 << 63) - 1
_FIRST = -(1 << 63)


def _sliced(e, x, axes, starts, stops, steps, result):
    parts = [e.ints(part) for part in (starts, stops, axes, steps)]
    return e.call("Slice", [x, *parts], result)


def slice_view(e, results, x, starts, stops, steps):
    if any(not isinstance(step, int) for step in steps):
        return None
    stops = [_stop(*one) for one in zip(stops, steps, x.shape, strict=False)]
    return _sliced(e, x, list(range(len(starts))), list(starts), stops, list(steps), results[0])


def _stop(stop, step, size):
    """The end of a slice; negative numbers count from the end there, so one before the first is far below."""
    if step < 0 and isinstance(stop, int) and stop < 0:
        return _FIRST
    return _LAST if step > 0 and stop == size else stop


def strided_view(e, results, x, shape, strides, offset):
    """Elements by their offsets in row-major order."""
    known = (*x.shape, *shape, *strides, offset)
    if any(not isinstance(number, int) for number in known):
        return None
    count = math.prod(x.shape)
    places = _arange(0, count, 1, _core.int64).reshape(x.shape)
    places = _strided_view(places, list(shape), list(strides), offset).copy()
    return e.call("Gather", [e.reshape(x, (count,)), e.writer.constant(places)], results[0], axis=0)


def select_view(e, results, x, axis, position):
    if not isinstance(position, int):
        return None
    index = e.tensor(position, _core.int64)
    return e.call("Gather", [x, index], results[0], axis=axis % len(x.shape))


def select_at(e, results, x, axis, position, dimension=0):
    """One index of an axis, which is dynamic."""
    index = e.reshape(e.size(position[0]), ())
    return e.call("Gather", [x, index], results[0], axis=axis % len(x.shape))


def reshape(e, results, x, shape=None):
    return e.reshape(x, results[0][1])


def same(e, results, x, *rest):
    return x


def cast(e, results, x, *rest):
    dtype = results[0][0]
    if dtype.is_complex or x.dtype.is_complex:
        return None
    return e.cast(x, dtype)


def permute(e, results, x, axes):
    return e.transpose(x, [axis % len(axes) for axis in axes])


def broadcast_to(e, results, x, *rest):
    return e.expand(x, results[0][1])


def sum_to(e, results, x, like):
    dtype, shape = results[0]
    extra = len(x.shape) - len(shape)
    axes = [
        *range(extra),
        *(extra + place for place, size in enumerate(shape) if size == 1 and x.shape[extra + place] != 1),
    ]
    if not axes:
        return x
    kept = tuple(1 if place in axes else size for place, size in enumerate(x.shape))
    summed = e.call("ReduceSum", [x, e.ints(axes)], (dtype, kept), keepdims=1)
    return e.reshape(summed, shape)


def concat(e, results, tensors, axis=0):
    dtype, shape = results[0]
    given = [e.cast(member, dtype) for member in tensors if 0 not in member.shape or len(tensors) == 1]
    return e.call("Concat", given, results[0], axis=axis % len(shape)) if given else None


def stack(e, results, tensors, axis=0):
    dtype, shape = results[0]
    axis %= len(shape)
    given = [e.reshape(e.cast(member, dtype), (*shape[:axis], 1, *shape[axis + 1 :])) for member in tensors]
    return e.call("Concat", given, results[0], axis=axis)


def pad_constant(e, results, x, before, after, value=0):
    dtype, _ = results[0]
    # Sizes below zero cut, there as here.
    return e.call("Pad", [x, e.ints([*before, *after]), e.tensor(value, dtype)], results[0], mode="constant")


def full(e, results, shape, value, dtype=None):
    kind, sizes = results[0]
    return e.expand(e.tensor(value, kind), sizes)


def zeros(e, results, *rest):
    kind, sizes = results[0]
    return e.expand(e.tensor(0, kind), sizes)


def copy_into(e, results, x, value):
    dtype, shape = results[0]
    return e.expand(e.tensor(value, dtype), shape)


def arange(e, results, start=0, end=None, step=1, dtype=None):
    kind, _ = results[0]
    start, end = (0, start) if end is None else (start, end)
    return e.call("Range", [e.tensor(value, kind) for value in (start, end, step)], results[0])


def computed_now(name):
    """A tensor that depends on settings only: it is a constant of the file."""

    def lower(e, results, *given):
        if any(not isinstance(value, (int, float, bool, type(None), _core.DType)) for value in given):
            return None
        return e.writer.constant(_core.named_op(name)(*given))

    return lower


def tensor_of_ints(e, results, values, dtype=None):
    return e.cast(e.ints(list(values)), results[0][0])


def triangle(e, results, x, diagonal=0, upper=False):
    return e.call("Trilu", [x, e.tensor(diagonal, _core.int64)], results[0], upper=int(upper))


def diagonal(e, results, x, offset=0, dim1=0, dim2=1):
    """The diagonal, gathered from the two axes as one."""
    rank = len(x.shape)
    dim1, dim2 = dim1 % rank, dim2 % rank
    rows, columns = x.shape[dim1], x.shape[dim2]
    if not isinstance(rows, int) or not isinstance(columns, int) or not isinstance(offset, int):
        return None
    others = [axis for axis in range(rank) if axis not in (dim1, dim2)]
    moved = e.transpose(x, [*others, dim1, dim2])
    flat = e.reshape(moved, (*moved.shape[:-2], rows * columns))
    places = [row * columns + row + offset for row in range(rows) if 0 <= row + offset < columns]
    return e.call("Gather", [flat, e.ints(places)], results[0], axis=rank - 2)


def gather_elements(e, results, x, dim, index):
    return e.call("GatherElements", [x, index], results[0], axis=dim)


def index_gather(e, results, x, indices):
    """Gathering by Tensors of indices: along one axis, or along the first few."""
    used = [place for place, index in enumerate(indices) if index is not None]
    if not used or any(indices[place].dtype == _core.bool_ for place in used):
        return None
    if len(used) == 1:
        return e.call("Gather", [x, indices[used[0]]], results[0], axis=used[0])
    if used != list(range(len(used))):
        return None
    shape = results[0][1][: len(results[0][1]) - (len(x.shape) - len(used))]
    parts = [e.reshape(e.expand(e.cast(indices[place], _core.int64), shape), (*shape, 1)) for place in used]
    joined = e.call("Concat", parts, (_core.int64, (*shape, len(used))), axis=len(shape))
    return e.call("GatherND", [x, joined], results[0])


def one_hot(e, results, indices, depth, on_value=1, off_value=0, axis=-1):
    dtype, _ = results[0]
    if not isinstance(depth, int):
        return None
    numbers = [e.reshape(e.tensor(value, dtype), (1,)) for value in (off_value, on_value)]
    values = e.call("Concat", numbers, (dtype, (2,)), axis=0)
    # Negative indexes count from the end there and are out of range here.
    index = e.cast(indices, _core.int64)
    below = e.binary("Less", index, 0, (_core.bool_, index.shape))
    index = e.where(below, e.tensor(depth, _core.int64), index, (_core.int64, index.shape))
    return e.call("OneHot", [index, e.tensor(depth, _core.int64), values], results[0], axis=axis)


_REDUCTIONS = {
    "none": "none",
    "add": "add",
    "sum": "add",
    "mul": "mul",
    "prod": "mul",
    "amax": "max",
    "amin": "min",
}


def scatter_elements(e, results, x, axis, index, source, reduction="none"):
    if reduction not in _REDUCTIONS:
        return None
    source = e.expand(e.tensor(source, x.dtype), index.shape)
    kind = None if reduction == "none" else _REDUCTIONS[reduction]
    return e.call("ScatterElements", [x, index, source], results[0], axis=axis, reduction=kind)


def nonzero(e, results, x):
    rank = len(x.shape)
    found = e.call("NonZero", [x], (_core.int64, (rank, results[0][1][0])))
    return e.cast(e.transpose(found, [1, 0]), results[0][0])


def embed_slice(e, results, x, shape, starts, stops, steps):
    """Zeros around: the gradient of a slice."""
    sizes = results[0][1]
    if any(not isinstance(size, int) for size in (*sizes, *starts, *stops, *steps)) or set(steps) - {1}:
        return None
    rank = len(sizes)
    before = [*starts, *(0,) * (rank - len(starts))]
    after = [size - start - given for size, start, given in zip(sizes, before, x.shape, strict=True)]
    return pad_constant(e, results, x, before, after)


def written_through(e, base, value, window, views):
    """The base with a value in a window of it: the views are applied to the offsets of all elements."""
    if any(not isinstance(size, int) for size in base.shape):
        return None
    count = math.prod(base.shape)
    places = _arange(0, count, 1, _core.int64).reshape(base.shape)
    for view in views:
        settings = [list(one) if isinstance(one, tuple) else one for one in view.arguments[1:]]
        known = [member for one in settings for member in (one if isinstance(one, list) else [one])]
        if any(not isinstance(member, (int, type(None))) for member in known):
            return None
        places = _core.named_op(view.name)(places, *settings)
    index = e.writer.constant(places.reshape((-1,)).copy())
    source = e.reshape(e.expand(e.tensor(value, base.dtype), tuple(places.shape)), index.shape)
    flat = e.reshape(base, (count,))
    return e.reshape(
        e.call("ScatterElements", [flat, index, source], (base.dtype, (count,)), axis=0), base.shape
    )


LOWERINGS = {
    "arange": arange,
    "assign": copy_into,
    "broadcast_to": broadcast_to,
    "cast": cast,
    "concat": concat,
    "contiguous": same,
    "copy": same,
    "copy_into": copy_into,
    "diagonal": diagonal,
    "embed_slice": embed_slice,
    "empty": zeros,
    "eye": computed_now("eye"),
    "full": full,
    "gather_elements": gather_elements,
    "identity": same,
    "index_gather": index_gather,
    "linspace": computed_now("linspace"),
    "nonzero": nonzero,
    "one_hot": one_hot,
    "pad_constant": pad_constant,
    "permute": permute,
    "reshape": reshape,
    "scatter_elements": scatter_elements,
    "select_at": select_at,
    "select_view": select_view,
    "slice_view": slice_view,
    "stack": stack,
    "stop_gradient": same,
    "strided_view": strided_view,
    "sum_to": sum_to,
    "tensor_of_ints": tensor_of_ints,
    "triangle": triangle,
}
