"""Ragged tensors: rows of unequal length, stored as their elements and the start of each row."""

import itertools
import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int, require_tensors
from dyad._src.operators import broadcast_to, gather, ones_like, scatter_nd, where
from dyad._src.primitive.primitive import primitive_with_settings

__all__ = ["RaggedRange", "RaggedTensorToSparse", "RaggedTensorToTensor"]


def _ranges(starts, limits, deltas, *, Tsplits=_core.int64):
    """Ranges from each start to its limit: row starts with the end, and all numbers.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.RaggedRange()(Tensor([0, 5]), Tensor([3, 6]), Tensor([1, 1])))
        [0 3 4] [0 1 2 5]
    """
    owner = "RaggedRange"
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    require_tensors(owner, **given)
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
    """Coordinates of the elements of nested rows, from the bounds of each level, outermost first."""
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
    owner = "RaggedTensorToSparse"
    if not isinstance(rt_dense_values, Tensor) or rt_dense_values.ndim < 1:
        raise TypeError(
            f"{owner}: rt_dense_values is {rt_dense_values!r}; need a Tensor of one dimension or more"
        )
    if not all(isinstance(bounds, Tensor) for bounds in rt_nested_splits):
        raise TypeError(f"{owner}: rt_nested_splits is {rt_nested_splits!r}; need Tensors")
    if len(rt_nested_splits) == 0:
        raise ValueError(f"{owner}: rt_nested_splits is empty; need a Tensor for each level of rows")
    pairs = [("ROW_SPLITS", bounds) for bounds in rt_nested_splits]
    levels = _levels(owner, pairs, None, rt_dense_values.shape[0])
    paths = _places(levels)
    inner = rt_dense_values.shape[1:]
    shape = [len(levels[0]) - 1]
    shape += [max((end - start for start, end in itertools.pairwise(b)), default=0) for b in levels]
    for size in inner:
        paths = [[*path, place] for path in paths for place in range(size)]
    places = Tensor(paths, _core.int64).reshape(-1, len(shape) + len(inner))
    return places, rt_dense_values.reshape(-1), Tensor([*shape, *inner], _core.int64)


def _bounds_of(owner, kind, numbers, rows):
    """Row starts and the end: as given, or computed from the row of each element."""
    decreases = any(a > b for a, b in itertools.pairwise(numbers))
    if kind == "ROW_SPLITS":
        if not numbers or numbers[0] != 0 or decreases:
            raise ValueError(f"{owner}: row splits are {numbers}; they need to begin at 0 and not decrease")
        if rows is not None and len(numbers) != rows + 1:
            raise ValueError(f"{owner}: row splits are {numbers}, of {len(numbers) - 1} rows; need {rows}")
        return numbers
    if decreases or (numbers and numbers[0] < 0):
        raise ValueError(f"{owner}: row ids are {numbers}; they need to be 0 or more and not decrease")
    if numbers and rows is not None and numbers[-1] >= rows:
        raise ValueError(f"{owner}: row ids are {numbers}; they need to be below the number of rows, {rows}")
    counts = [0] * (max(numbers, default=-1) + 1 if rows is None else rows)
    for row in numbers:
        counts[row] += 1
    return [0, *itertools.accumulate(counts)]


def _levels(owner, pairs, rows, count):
    """Bounds of each level; its elements are the rows of the next one, and `count` values for the last."""
    levels = []
    for kind, tensor in pairs:
        numbers = tensor.reshape(-1).tolist()
        levels.append(_bounds_of(owner, kind, numbers, rows))
        rows = levels[-1][-1]
    if rows != count:
        if kind == "ROW_SPLITS":
            raise ValueError(
                f"{owner}: row splits are {numbers}; they need to end at {count}, the number of values"
            )
        raise ValueError(f"{owner}: there are {rows} row ids; need {count}, one for each value")
    return levels


def _sizes_for(owner, shape, own, depth):
    """Sizes of the result; -1 selects the tensor's own size."""
    wanted = tuple(shape.reshape(-1).tolist() if isinstance(shape, Tensor) else shape)
    if len(wanted) != len(own) or any(size < -1 for size in wanted):
        raise ValueError(f"{owner}: shape is {wanted}; need {len(own)} sizes of 0 or more, or -1")
    sizes = tuple(size if asked < 0 else asked for asked, size in zip(wanted, own, strict=True))
    if sizes[depth:] != tuple(own[depth:]):
        raise ValueError(
            f"{owner}: shape is {wanted}; need it to end with {tuple(own[depth:])}, as values do"
        )
    return sizes


def _to_dense(shape, values, default_value, row_partition_tensors, *, row_partition_types):
    """Converts nested rows to a dense tensor of `shape`, which may have -1, with a default for shorter rows.

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
    require_tensors(owner, values=values, default_value=default_value)
    if len(row_partition_tensors) != len(row_partition_types):
        raise ValueError(
            f"{owner}: there are {len(row_partition_tensors)} partitions; need {len(row_partition_types)}, "
            f"as row_partition_types is {row_partition_types}"
        )
    pairs = list(zip(row_partition_types, row_partition_tensors, strict=True))
    require_tensors(owner, **{f"row_partition_tensors[{i}]": given for i, (_, given) in enumerate(pairs)})
    first = None
    if pairs[0][0] == "FIRST_DIM_SIZE":
        first = require_int(owner, "the number of rows", pairs.pop(0)[1].reshape(-1)[0].item(), 0)
    levels = _levels(owner, pairs, first, values.shape[0])
    own = [len(levels[0]) - 1]
    own += [max((b - a for a, b in itertools.pairwise(x)), default=0) for x in levels]
    own += list(values.shape[1:])
    depth = len(levels) + 1
    sizes = _sizes_for(owner, shape, own, depth)
    paths = _places(levels)
    inside = [i for i, path in enumerate(paths) if all(p < s for p, s in zip(path, sizes, strict=False))]
    places = Tensor([paths[i] for i in inside], _core.int64).reshape(-1, depth)
    taken = gather(values, Tensor(inside, _core.int64), 0)
    given = scatter_nd(places, ones_like(taken), sizes) > 0
    whole = broadcast_to(default_value.astype(values.dtype), sizes)
    return where(given, scatter_nd(places, taken, sizes), whole)


def _check_types(name, settings):
    kinds = settings["row_partition_types"]
    accepted = ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS")
    if not isinstance(kinds, (list, tuple)) or not kinds or not all(kind in accepted for kind in kinds):
        raise ValueError(f"{name}: row_partition_types is {kinds!r}; need a list of {', '.join(accepted)}")
    if "FIRST_DIM_SIZE" in kinds[1:] or kinds[-1] == "FIRST_DIM_SIZE":
        raise ValueError(
            f"{name}: row_partition_types is {kinds!r}; FIRST_DIM_SIZE needs to come first, and a level behind it"
        )


RaggedRange = primitive_with_settings("RaggedRange", _ranges, _check_splits)
RaggedTensorToSparse = primitive_with_settings("RaggedTensorToSparse", _to_sparse, _check_splits)
RaggedTensorToTensor = primitive_with_settings("RaggedTensorToTensor", _to_dense, _check_types)
