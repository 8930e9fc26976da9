"""Operators on sparse tensors in COO form: coordinates, values and dense shape.

Coordinates are converted to flat indexes in row-major order; equal ones are the same position.
"""

import itertools
import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    SettingError,
    require_bool,
    require_int,
    require_sequence,
    require_tensors,
)
from dyad._src.operators import (
    argsort,
    broadcast_to,
    cat,
    distinct,
    exp,
    gather,
    nonzero,
    scatter_nd,
    stack,
    stop_gradient,
    unsorted_segment_max,
    unsorted_segment_sum,
    where,
    zeros,
)
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings
from dyad.sparse import COOTensor

__all__ = [
    "SparseConcat",
    "SparseFillEmptyRows",
    "SparseReorder",
    "SparseReshape",
    "SparseSlice",
    "SparseSoftmax",
    "SparseToDense",
    "SparseToDenseV2",
    "coo_concat",
]

_LARGEST = {_core.int32: 2**31 - 1, _core.int64: 2**63 - 1}


def sizes_of(owner, shape):
    """Converts a shape, a Tensor, tuple or list, to a tuple of ints."""
    if isinstance(shape, Tensor) and shape.ndim != 1:
        raise SettingError(f"{owner}: the shape is a Tensor of shape {shape.shape}; need one of 1 dimension")
    sizes = tuple(shape.tolist()) if isinstance(shape, Tensor) else require_sequence(owner, "shape", shape)
    if not all(type(size) is int for size in sizes):
        raise TypeError(f"{owner}: the shape is {sizes}; need ints")
    return sizes


def as_shape(sizes, like):
    """Converts a shape to the type of another one."""
    return Tensor(list(sizes), like.dtype) if isinstance(like, Tensor) else tuple(sizes)


def require_places(owner, indices, values, sizes) -> None:
    require_tensors(owner, indices=indices, values=values)
    if indices.ndim != 2 or values.ndim != 1 or indices.shape != (values.shape[0], len(sizes)):
        raise ValueError(
            f"{owner}: indices and values have the shapes {indices.shape} and {values.shape}; "
            f"need (n, {len(sizes)}) and (n,) for the shape {sizes}"
        )
    require_inside(owner, indices, sizes)


def require_inside(owner, indices, sizes, error=IndexError) -> None:
    """Raises an error for coordinates outside of a tensor of these sizes."""
    outside = (indices < 0) | (indices >= Tensor(list(sizes), _core.int64))
    if outside.any():
        raise error(f"{owner}: indices name places outside of the shape {sizes}")


def numbers_of(owner, indices, sizes):
    """Flat index of each row of coordinates, in row-major order, as int64."""
    if math.prod(sizes) > _LARGEST[_core.int64]:
        raise ValueError(
            f"{owner}: the shape {sizes} has {math.prod(sizes)} elements; need at most {_LARGEST[_core.int64]}"
        )
    wide = indices.astype(_core.int64)
    flat = wide[:, 0]
    for place in range(1, len(sizes)):
        flat = flat * sizes[place] + wide[:, place]
    return flat


def require_sayable(owner, sizes, dtype) -> None:
    """Raises an error if this dtype cannot index every element of a tensor of these sizes."""
    if dtype in _LARGEST and max(sizes, default=0) - 1 > _LARGEST[dtype]:
        raise ValueError(
            f"{owner}: indices are of {dtype}; need int64 to name every place of the shape {tuple(sizes)}"
        )


def coordinates_of(numbers, sizes, dtype):
    """Coordinates of flat indexes, in a dtype."""
    columns = []
    for size in reversed(sizes):
        columns.append((numbers % size).astype(dtype))
        numbers = numbers // size
    columns.reverse()
    return stack(columns, 1)


def sum_of_groups(values, which, count):
    """Sum of the values of each group; empty without groups."""
    return unsorted_segment_sum(values, which, count) if count else values


def merged(owner, indices, values, sizes):
    """Sorted unique flat indexes, and the sum of the values at each."""
    numbers, which, _ = distinct(numbers_of(owner, indices, sizes), True)
    return coordinates_of(numbers, sizes, indices.dtype), sum_of_groups(values, which, numbers.shape[0])


def in_order(owner, indices, values, sizes):
    """Sorts flat indexes and their values."""
    order = argsort(numbers_of(owner, indices, sizes))
    return gather(indices, order, 0), gather(values, order, 0)


def _reorder(indices, values, shape):
    """Sorts coordinates and their values in row-major order.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, values = ops.SparseReorder()(Tensor([[1, 0], [0, 1]]), Tensor([1.0, 2.0]), (2, 2))
        >>> print(places, values)
        [[0 1]
         [1 0]] [2. 1.]
    """
    sizes = sizes_of("SparseReorder", shape)
    require_places("SparseReorder", indices, values, sizes)
    return in_order("SparseReorder", indices, values, sizes)


def _reshape(indices, shape, new_shape):
    """Reshapes a sparse tensor; one size may be -1. Returns coordinates and the shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, shape = ops.SparseReshape()(Tensor([[1, 2]]), Tensor([2, 3]), Tensor([3, -1]))
        >>> print(places, shape)
        [[2 1]] [3 2]
    """
    require_tensors("SparseReshape", indices=indices)
    old, new = sizes_of("SparseReshape", shape), list(sizes_of("SparseReshape", new_shape))
    if indices.ndim != 2 or indices.shape[1] != len(old):
        raise ValueError(
            f"SparseReshape: indices has shape {indices.shape}; need (n, {len(old)}) for the shape {old}"
        )
    require_inside("SparseReshape", indices, old)
    count = 1
    for size in old:
        count *= size
    known = 1
    for size in new:
        known *= size if size != -1 else 1
    if new.count(-1) == 1 and known > 0 and count % known == 0:
        new[new.index(-1)] = count // known
    elif known != count or -1 in new:
        raise ValueError(
            f"SparseReshape: {count} elements of the shape {old} do not make the shape {tuple(new)}"
        )
    require_sayable("SparseReshape", new, indices.dtype)
    moved = coordinates_of(numbers_of("SparseReshape", indices, old), new, indices.dtype)
    return moved, as_shape(new, new_shape)


def _to_dense(indices, values, sparse_shape):
    """Converts to a dense tensor; values with the same coordinates are added.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.SparseToDense()(Tensor([[0, 1]]), Tensor([5.0]), (2, 2)))
        [[0. 5.]
         [0. 0.]]
    """
    sizes = sizes_of("SparseToDense", sparse_shape)
    require_places("SparseToDense", indices, values, sizes)
    return scatter_nd(indices, values, sizes)


def _to_dense_over(indices, output_shape, values, default_value, *, validate_indices=True):
    """Dense tensor with values, or one value, at the given coordinates, and a default elsewhere.

    With `validate_indices` coordinates must be ascending and unique.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.SparseToDenseV2()(Tensor([[1], [2]]), Tensor([4]), Tensor(1.0), Tensor(-1.0)))
        [-1.  1.  1. -1.]
    """
    require_tensors("SparseToDenseV2", indices=indices, values=values, default_value=default_value)
    sizes = sizes_of("SparseToDenseV2", output_shape)
    places = indices.reshape(-1, len(sizes))
    require_inside("SparseToDenseV2", places, sizes)
    numbers = numbers_of("SparseToDenseV2", places, sizes).tolist() if validate_indices else []
    if any(a >= b for a, b in itertools.pairwise(numbers)):
        raise ValueError(f"SparseToDenseV2: indices are {indices.tolist()}; need ascending places, each once")
    spread = broadcast_to(values, (places.shape[0],))
    given = scatter_nd(places, broadcast_to(Tensor(1), (places.shape[0],)), sizes) > 0
    return where(given, scatter_nd(places, spread, sizes), default_value)


def _cut(indices, values, shape, start, size):
    """Slice of a sparse tensor: coordinates, values and shape of the elements within a box.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1], [1, 2]]), Tensor([5.0, 6.0]), Tensor([2, 3])
        >>> print(*ops.SparseSlice()(*x, Tensor([1, 1]), Tensor([1, 2])))
        [[0 1]] [6.] [1 2]
    """
    sizes = sizes_of("SparseSlice", shape)
    require_places("SparseSlice", indices, values, sizes)
    first, extent = sizes_of("SparseSlice", start), sizes_of("SparseSlice", size)
    if not len(first) == len(extent) == len(sizes):
        raise ValueError(
            f"SparseSlice: start is {first} and size {extent}; need a number per dimension of {sizes}"
        )
    left = tuple(max(min(e, s - f), 0) for f, e, s in zip(first, extent, sizes, strict=True))
    moved = indices - Tensor(list(first), indices.dtype)
    inside = ((moved >= 0) & (moved < Tensor(list(left), indices.dtype))).all(1)
    kept = nonzero(inside).reshape(-1)
    return gather(moved, kept, 0), gather(values, kept, 0), as_shape(left, shape)


def _softmax(indices, values, shape):
    """Softmax of the values along the last dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> places = Tensor([[0, 0], [0, 2], [1, 1]])
        >>> print(ops.SparseSoftmax()(places, Tensor([1.0, 1.0, 3.0]), Tensor([2, 3])))
        [0.5 0.5 1. ]
    """
    sizes = sizes_of("SparseSoftmax", shape)
    require_places("SparseSoftmax", indices, values, sizes)
    if len(sizes) < 2:
        raise ValueError(f"SparseSoftmax: the shape is {sizes}; need two dimensions or more")
    if values.shape[0] == 0:
        return values
    lines, which, _ = distinct(numbers_of("SparseSoftmax", indices[:, :-1], sizes[:-1]), True)
    return softmax_of_groups(values, which, lines.shape[0])


def softmax_of_groups(values, which, count):
    """Softmax over the values of the same group."""
    largest = stop_gradient(unsorted_segment_max(values, which, count))
    shares = exp(values - gather(largest, which, 0))
    return shares / gather(unsorted_segment_sum(shares, which, count), which, 0)


def _fill_empty_rows(indices, values, dense_shape, default_value):
    """Fills each empty row with a default in the first column: coordinates, values, flags of empty rows, and positions
    of the given values.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[1, 0]]), Tensor([5.0]), Tensor([2, 3])
        >>> places, values, empty, moved = ops.SparseFillEmptyRows()(*x, Tensor(9.0))
        >>> print(values, empty, moved)
        [9. 5.] [ True False] [1]
    """
    sizes = sizes_of("SparseFillEmptyRows", dense_shape)
    require_places("SparseFillEmptyRows", indices, values, sizes)
    require_tensors("SparseFillEmptyRows", default_value=default_value)
    present = unsorted_segment_sum(indices[:, 0] * 0 + 1, indices[:, 0], sizes[0])
    empty = present == 0
    rows = nonzero(empty).astype(indices.dtype)
    added = cat([rows, zeros((rows.shape[0], len(sizes) - 1), indices.dtype)], 1)
    whole = cat([indices, added], 0)
    filled = cat([values, broadcast_to(default_value.reshape(-1)[0].astype(values.dtype), (rows.shape[0],))])
    order = argsort(whole[:, 0])
    moved = argsort(order)[: indices.shape[0]].astype(indices.dtype)
    return gather(whole, order, 0), gather(filled, order, 0), empty, moved


def _concat(sp_input_indices, sp_input_values, sp_input_shapes, *, concat_dim=0):
    """Concatenates sparse tensors along a dimension: sorted coordinates, values and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, shape = Tensor([[0, 1]]), Tensor([1, 2])
        >>> print(*ops.SparseConcat()((places, places), (Tensor([1.0]), Tensor([2.0])), (shape, shape)))
        [[0 1]
         [1 1]] [1. 2.] [2 2]
    """
    parts = list(zip(sp_input_indices, sp_input_values, sp_input_shapes, strict=True))
    if len(parts) < 2:
        raise ValueError(f"SparseConcat: {len(parts)} sparse tensors are given; need two or more")
    all_sizes = [sizes_of("SparseConcat", shape) for shape in sp_input_shapes]
    rank = len(all_sizes[0])
    if not -rank <= concat_dim < rank:
        raise IndexError(f"SparseConcat: concat_dim is {concat_dim}; need one in [{-rank}, {rank})")
    axis = concat_dim % rank
    whole = list(all_sizes[0])
    whole[axis] = sum(sizes[axis] for sizes in all_sizes)
    moved, offset = [], 0
    for (indices, values, _), sizes in zip(parts, all_sizes, strict=True):
        require_places("SparseConcat", indices, values, sizes)
        if [*sizes[:axis], *sizes[axis + 1 :]] != [*whole[:axis], *whole[axis + 1 :]]:
            raise RuntimeError(f"SparseConcat: the shapes {all_sizes} differ in other dimensions than {axis}")
        if values.dtype != sp_input_values[0].dtype:
            raise TypeError(
                f"SparseConcat: values are of {values.dtype} and {sp_input_values[0].dtype}; need one dtype"
            )
        require_sayable("SparseConcat", whole, indices.dtype)
        step = [offset if place == axis else 0 for place in range(rank)]
        moved.append(indices + Tensor(step, indices.dtype))
        offset += sizes[axis]
    places, values = in_order("SparseConcat", cat(moved), cat(list(sp_input_values)), tuple(whole))
    return places, values, as_shape(whole, sp_input_shapes[0])


def coo_concat(sp_input, concat_dim=0) -> COOTensor:
    """Concatenates COOTensors along a dimension.

    Example:
        >>> from dyad import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2))
        >>> print(ops.coo_concat((x, x)).to_dense())
        [[0. 2.]
         [0. 2.]]
    """
    if not isinstance(sp_input, (tuple, list)) or not all(isinstance(x, COOTensor) for x in sp_input):
        raise TypeError(f"coo_concat: sp_input is {sp_input!r}; need a tuple of COOTensors")
    if type(concat_dim) is not int:
        raise TypeError(f"coo_concat: concat_dim is {concat_dim!r}; need an int")
    lists = ([x.indices for x in sp_input], [x.values for x in sp_input], [x.shape for x in sp_input])
    return COOTensor(*_concat(*lists, concat_dim=concat_dim))


coo_concat.__dict__["_is_program"] = True  # what it reads of a sparse tensor is guarded


def _check_axis(name, settings):
    require_int(name, "concat_dim", settings["concat_dim"])


def _check_validation(name, settings):
    require_bool(name, "validate_indices", settings["validate_indices"])


SparseConcat = primitive_with_settings("SparseConcat", _concat, _check_axis)
SparseFillEmptyRows = primitive_of("SparseFillEmptyRows", _fill_empty_rows)
SparseReorder = primitive_of("SparseReorder", _reorder)
SparseReshape = primitive_of("SparseReshape", _reshape)
SparseSlice = primitive_of("SparseSlice", _cut)
SparseSoftmax = primitive_of("SparseSoftmax", _softmax)
SparseToDense = primitive_of("SparseToDense", _to_dense)
SparseToDenseV2 = primitive_with_settings("SparseToDenseV2", _to_dense_over, _check_validation)
