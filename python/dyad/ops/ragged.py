"""Rows of unequal length, given by their elements one after another and where each row begins."""

import itertools
import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.primitive import primitive_with_settings
from dyad.ops.table import functions

__all__ = ["RaggedRange", "RaggedTensorToSparse", "RaggedTensorToTensor"]

_broadcast_to = functions["broadcast_to"]
_where = _core.named_op("where")
_scatter_nd = _core.named_op("scatter_nd")


def _ranges(starts, limits, deltas, *, Tsplits=_core.int64):
    """Numbers from each start to before its limit: where each row begins, and the end; and all numbers.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.RaggedRange()(Tensor([0, 5]), Tensor([3, 6]), Tensor([1, 1])))
        [0 3 4] [0 1 2 5]
    """
    owner = "RaggedRange"
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    for name, value in given.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    columns = [value.reshape(-1).tolist() for value in given.values()]
    count = max(len(column) for column in columns)
    if any(len(column) not in (1, count) for column in columns):
        raise ValueError(
            f"{owner}: {[len(column) for column in columns]} numbers are given; need one, or equally many"
        )
    columns = [column * count if len(column) == 1 else column for column in columns]
    numbers, splits = [], [0]
    for start, limit, delta in zip(*columns, strict=True):
        if delta == 0:
            raise ValueError(f"{owner}: a delta is 0; need another number")
        length = max(math.ceil((limit - start) / delta), 0)
        numbers += [start + step * delta for step in range(length)]
        splits.append(len(numbers))
    return Tensor(splits, Tsplits), Tensor(numbers, starts.dtype)


def _check_splits(name, settings):
    if settings["Tsplits"] not in (_core.int32, _core.int64):
        raise TypeError(f"{name}: Tsplits is {settings['Tsplits']!r}; need int32 or int64")


def _places(levels):
    """Coordinates of the elements of nested rows, whose bounds are given from the outermost level on."""
    paths = [[row] for row in range(len(levels[0]) - 1)]
    for bounds in levels:
        paths = [
            [*path, place]
            for path, start, end in zip(paths, bounds[:-1], bounds[1:], strict=True)
            for place in range(end - start)
        ]
    return paths


def _to_sparse(rt_nested_splits, rt_dense_values, *, Tsplits=_core.int64):
    """Coordinates, values and shape of nested rows.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, values, shape = ops.RaggedTensorToSparse()([Tensor([0, 2, 3])], Tensor([1.0, 2.0, 3.0]))
        >>> print(places.tolist(), shape)
        [[0, 0], [0, 1], [1, 0]] [2 2]
    """
    if not isinstance(rt_dense_values, Tensor):
        raise TypeError(f"RaggedTensorToSparse: rt_dense_values is {rt_dense_values!r}; need a Tensor")
    levels = [bounds.tolist() for bounds in rt_nested_splits]
    paths = _places(levels)
    if len(paths) != rt_dense_values.shape[0]:
        raise ValueError(f"RaggedTensorToSparse: rows hold {len(paths)} of {rt_dense_values.shape[0]} values")
    inner = rt_dense_values.shape[1:]
    shape = [len(levels[0]) - 1]
    shape += [max((end - start for start, end in itertools.pairwise(b)), default=0) for b in levels]
    for size in inner:
        paths = [[*path, place] for path in paths for place in range(size)]
    places = Tensor(paths, _core.int64).reshape(-1, len(shape) + len(inner))
    return places, rt_dense_values.reshape(-1), Tensor([*shape, *inner], _core.int64)


def _bounds_of(kind, tensor):
    """Where each row begins, and the end: as given, or from the row of each element."""
    numbers = tensor.reshape(-1).tolist()
    if kind == "ROW_SPLITS":
        return numbers
    counts = [0] * (max(numbers, default=-1) + 1)
    for row in numbers:
        counts[row] += 1
    bounds = [0]
    for count in counts:
        bounds.append(bounds[-1] + count)
    return bounds


def _to_dense(shape, values, default_value, row_partition_tensors, *, row_partition_types):
    """Nested rows as one tensor of `shape`, of which a size may be -1, with a default where a row is shorter.

    A level is ROW_SPLITS, where each row begins and the end, or VALUE_ROWIDS, the row of each element; the number of
    rows may come first, as FIRST_DIM_SIZE.

    Example:
        >>> from dyad import Tensor, ops
        >>> rows = (Tensor([0, 2, 3]),)
        >>> dense = ops.RaggedTensorToTensor(row_partition_types=["ROW_SPLITS"])
        >>> print(dense(Tensor([-1, -1]), Tensor([1.0, 2.0, 3.0]), Tensor(9.0), rows))
        [[1. 2.]
         [3. 9.]]
    """
    owner = "RaggedTensorToTensor"
    pairs = list(zip(row_partition_types, row_partition_tensors, strict=True))
    levels = [_bounds_of(kind, tensor) for kind, tensor in pairs if kind != "FIRST_DIM_SIZE"]
    if pairs[0][0] == "FIRST_DIM_SIZE":
        first = int(pairs[0][1].reshape(-1)[0])
        levels[0] += [levels[0][-1]] * (first + 1 - len(levels[0]))
    for outer, inner in itertools.pairwise(levels):
        inner += [inner[-1]] * (outer[-1] + 1 - len(inner))
    wanted = shape.reshape(-1).tolist() if isinstance(shape, Tensor) else list(shape)
    own = [len(levels[0]) - 1]
    own += [max((b - a for a, b in itertools.pairwise(x)), default=0) for x in levels]
    own += list(values.shape[1:])
    wanted = wanted if len(wanted) == len(own) else [-1] * len(own)
    sizes = [size if asked < 0 else asked for asked, size in zip(wanted, own, strict=True)]
    paths = _places(levels)
    inside = [i for i, path in enumerate(paths) if all(p < s for p, s in zip(path, sizes, strict=False))]
    if len(paths) > values.shape[0]:
        raise ValueError(f"{owner}: rows hold {len(paths)} elements; values has {values.shape[0]}")
    depth = len(levels) + 1
    places = Tensor([paths[i] for i in inside], _core.int64).reshape(-1, depth)
    taken = _core.named_op("gather")(values, Tensor(inside, _core.int64), 0)
    given = _scatter_nd(places, functions["ones_like"](taken), tuple(sizes)) > 0
    whole = _broadcast_to(default_value.astype(values.dtype), tuple(sizes))
    return _where(given, _scatter_nd(places, taken, tuple(sizes)), whole)


def _check_types(name, settings):
    kinds = settings["row_partition_types"]
    accepted = ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS")
    if not isinstance(kinds, (list, tuple)) or not kinds or not all(kind in accepted for kind in kinds):
        raise ValueError(f"{name}: row_partition_types is {kinds!r}; need a list of {', '.join(accepted)}")


RaggedRange = primitive_with_settings("RaggedRange", _ranges, _check_splits)
RaggedTensorToSparse = primitive_with_settings("RaggedTensorToSparse", _to_sparse, _check_splits)
RaggedTensorToTensor = primitive_with_settings("RaggedTensorToTensor", _to_dense, _check_types)
