"""Set operators on rows: differences, unions, sizes; and the edit distance of rows."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_tensors
from dyad._src.primitive.primitive import primitive_with_settings
from dyad.ops.sparse.coordinates import require_places, sizes_of

__all__ = ["DenseToDenseSetOperation", "DenseToSparseSetOperation", "EditDistance", "SetSize"]

_OPERATIONS = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _rows_of(indices, values):
    """Coordinates but the last -> values in the order of the last, of a sparse tensor."""
    rows: dict = {}
    placed = zip(indices.tolist(), values.tolist(), strict=True)
    for place, value in sorted(placed, key=lambda pair: pair[0]):
        rows.setdefault(tuple(place[:-1]), []).append(value)
    return rows


def _row_places(sizes):
    """Every coordinate of these sizes, in row-major order."""
    places: list[tuple[int, ...]] = [()]
    for size in sizes:
        places = [(*place, step) for place in places for step in range(size)]
    return places


def _dense_rows(x):
    flat = x.reshape(-1, x.shape[-1]).tolist()
    return dict(zip(_row_places(x.shape[:-1]), flat, strict=True))


def _combined(first, second, sizes, dtype, operation):
    """Combines the rows of two operands by `operation`: coordinates, values and shape."""
    places, values, longest = [], [], 0
    for row in _row_places(sizes):
        found = sorted(_OPERATIONS[operation](set(first.get(row, ())), set(second.get(row, ()))))
        places += [[*row, step] for step in range(len(found))]
        values += found
        longest = max(longest, len(found))
    indices = Tensor(places, _core.int64).reshape(-1, len(sizes) + 1)
    return indices, Tensor(values, dtype), Tensor([*sizes, longest], _core.int64)


def _require_one_dtype(owner, first, second):
    if first.dtype != second.dtype:
        raise TypeError(f"{owner}: the sets are of {first.dtype} and {second.dtype}; need one dtype")


def _of_dense(x1, x2, *, set_operation="a-b", validate_indices=True):
    """Set operation on each two rows of two dense tensors: coordinates, sorted values, and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, values, shape = ops.DenseToDenseSetOperation("union")(Tensor([[1, 2]]), Tensor([[2, 4]]))
        >>> print(values, shape)
        [1 2 4] [1 3]
    """
    owner = "DenseToDenseSetOperation"
    require_tensors(owner, x1=x1, x2=x2)
    if x1.ndim < 2 or x1.shape[:-1] != x2.shape[:-1]:
        raise ValueError(
            f"{owner}: the shapes are {x1.shape} and {x2.shape}; need the same but for the last size"
        )
    _require_one_dtype(owner, x1, x2)
    return _combined(_dense_rows(x1), _dense_rows(x2), x1.shape[:-1], x1.dtype, set_operation)


def _of_dense_and_sparse(x1, x2_indices, x2_values, x2_shape, *, set_operation="a-b", validate_indices=True):
    """Set operation like DenseToDenseSetOperation, with the second operand in COO form.

    Example:
        >>> from dyad import Tensor, ops
        >>> second = Tensor([[0, 0]]), Tensor([2]), Tensor([1, 1])
        >>> print(ops.DenseToSparseSetOperation("a-b")(Tensor([[1, 2]]), *second)[1])
        [1]
    """
    owner = "DenseToSparseSetOperation"
    require_tensors(owner, x1=x1)
    sizes = sizes_of(owner, x2_shape)
    require_places(owner, x2_indices, x2_values, sizes)
    if x1.ndim < 2 or x1.shape[:-1] != sizes[:-1]:
        raise ValueError(
            f"{owner}: the shapes are {x1.shape} and {sizes}; need the same but for the last size"
        )
    _require_one_dtype(owner, x1, x2_values)
    return _combined(_dense_rows(x1), _rows_of(x2_indices, x2_values), sizes[:-1], x1.dtype, set_operation)


def _sizes(set_indices, set_values, set_shape, *, validate_indices=True):
    """Number of distinct values in each row of a sparse tensor.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([5, 5, 6]), Tensor([3, 2])
        >>> print(ops.SetSize()(*x))
        [1 1 0]
    """
    sizes = sizes_of("SetSize", set_shape)
    require_places("SetSize", set_indices, set_values, sizes)
    rows = _rows_of(set_indices, set_values)
    counts = [len(set(rows.get(row, ()))) for row in _row_places(sizes[:-1])]
    return Tensor(counts, _core.int32).reshape(sizes[:-1])


def _changes(first, second):
    """Edit distance: the least number of insertions, deletions and substitutions."""
    before = list(range(len(second) + 1))
    for i, value in enumerate(first, 1):
        current = [i]
        for j, other in enumerate(second, 1):
            current.append(min(before[j] + 1, current[-1] + 1, before[j - 1] + (value != other)))
        before = current
    return before[-1]


def _distance(
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    *,
    normalize=True,
):
    """Edit distance (Levenshtein) of each row to the true one; `normalize` divides by the true length.

    Example:
        >>> from dyad import Tensor, ops
        >>> first = Tensor([[0, 0], [0, 1]]), Tensor([1, 2]), Tensor([1, 2])
        >>> second = Tensor([[0, 0], [0, 1]]), Tensor([1, 3]), Tensor([1, 2])
        >>> print(ops.EditDistance()(*first, *second))
        [0.5]
    """
    owner = "EditDistance"
    sizes, true_sizes = sizes_of(owner, hypothesis_shape), sizes_of(owner, truth_shape)
    require_places(owner, hypothesis_indices, hypothesis_values, sizes)
    require_places(owner, truth_indices, truth_values, true_sizes)
    if len(sizes) != len(true_sizes):
        raise ValueError(f"{owner}: the shapes are {sizes} and {true_sizes}; need equally many dimensions")
    outer = [max(a, b) for a, b in zip(sizes[:-1], true_sizes[:-1], strict=True)]
    given, true = _rows_of(hypothesis_indices, hypothesis_values), _rows_of(truth_indices, truth_values)
    found = []
    for row in _row_places(outer):
        own, wanted = given.get(row, []), true.get(row, [])
        count = float(_changes(own, wanted))
        if normalize:
            count = count / len(wanted) if wanted else (float("inf") if own else 0.0)
        found.append(count)
    return Tensor(found, _core.float32).reshape(tuple(outer))


def _check_operation(name, settings):
    require_bool(name, "validate_indices", settings["validate_indices"])
    require_choice(name, "set_operation", settings["set_operation"], tuple(_OPERATIONS))


def _check_bools(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


DenseToDenseSetOperation = primitive_with_settings("DenseToDenseSetOperation", _of_dense, _check_operation)
DenseToSparseSetOperation = primitive_with_settings(
    "DenseToSparseSetOperation", _of_dense_and_sparse, _check_operation
)
EditDistance = primitive_with_settings("EditDistance", _distance, _check_bools)
SetSize = primitive_with_settings("SetSize", _sizes, _check_bools)
