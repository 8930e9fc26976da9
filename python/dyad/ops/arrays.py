"""Index operators, shifts along an axis, and segment reductions over rows."""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    SettingError,
    require_above,
    require_flag,
    require_int,
    require_number,
)
from dyad._src.operators import (
    assign,
    bincount,
    concat,
    distinct,
    full,
    gather,
    logical_and,
    narrow,
    nonzero_tuple,
    one_hot,
    search_sorted_rows,
    stack,
    stop_gradient,
    unsorted_segment_sum,
    vector_norm,
    where,
)
from dyad._src.operators import embedding as _embedding
from dyad._src.operators import nonzero as _places
from dyad._src.primitive.primitive import Primitive, primitive_of

__all__ = [
    "Bincount",
    "InvertPermutation",
    "LowerBound",
    "ParallelConcat",
    "ScalarToArray",
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "Shift",
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    "UniqueWithPad",
    "UnravelIndex",
    "UpperBound",
    "embedding",
    "nonzero",
    "scalar_to_array",
    "sparse_segment_mean",
    "unique_with_pad",
]


def _require_tensor(caller, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: {name} is of type {type(value).__name__}; need a Tensor")


def _invert_permutation(input_x):
    """Inverse permutation, y[x[i]] = i.

    Example:
        >>> from dyad import ops
        >>> ops.InvertPermutation()((2, 0, 1))
        (1, 2, 0)
    """
    if not isinstance(input_x, (tuple, list)):
        raise TypeError(
            f"InvertPermutation: input_x is of type {type(input_x).__name__}; need a tuple or list"
        )
    for number in input_x:
        require_int("InvertPermutation", "a member of input_x", number)
    if sorted(input_x) != list(range(len(input_x))):
        raise ValueError(
            f"InvertPermutation: input_x is {tuple(input_x)}; need each number from 0 to {len(input_x) - 1} once"
        )
    return tuple(sorted(range(len(input_x)), key=input_x.__getitem__))


def unique_with_pad(x, pad_num):
    """Distinct elements in order of first appearance, padded with `pad_num` to the input's length, and their indexes.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.unique_with_pad(Tensor([3, 1, 3]), 0))
        [3 1 0] [0 1 0]
    """
    _require_tensor("unique_with_pad", "x", x)
    if x.ndim != 1:
        raise ValueError(f"unique_with_pad: x has shape {x.shape}; need 1 dimension")
    index_dtype = _core.int64 if x.dtype == _core.int64 else _core.int32
    values, index, _ = distinct(x, False, index_dtype)
    filler = Tensor([pad_num] * (x.size - values.size), x.dtype) if values.size < x.size else None
    return (values if filler is None else concat((values, filler))), index


def _unravel_index(indices, dims):
    """Converts flat indexes to coordinates in a row-major array of the sizes `dims`, one row per dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.UnravelIndex()(Tensor([1, 5]), Tensor([2, 3])))
        [[0 1]
         [1 2]]
    """
    _require_tensor("UnravelIndex", "indices", indices)
    _require_tensor("UnravelIndex", "dims", dims)
    if dims.ndim != 1 or dims.dtype not in (_core.int32, _core.int64):
        raise SettingError(
            f"UnravelIndex: dims is of {dims.dtype} and shape {dims.shape}; need a line of ints"
        )
    sizes = dims.tolist()
    total = 1
    for size in sizes:
        total *= size
    if indices.size and not 0 <= indices.min().item() <= indices.max().item() < total:
        raise ValueError(f"UnravelIndex: an index lies outside of {tuple(sizes)}; need 0 to {total - 1}")
    coordinates = []
    rest = indices
    for size in reversed(sizes):
        coordinates.append(rest % size)
        rest = rest // size
    return stack(tuple(reversed(coordinates)))


class _Bound(Primitive):
    """Where each value belongs in the sorted row of the same number."""

    _right = False

    def __init__(self, out_type=_core.int32):
        super().__init__()
        self.out_type = out_type

    def __call__(self, sorted_x, values):
        return search_sorted_rows(sorted_x, values, self._right, self.out_type)

    def __reduce__(self):
        return type(self), (self.out_type,)


class LowerBound(_Bound):
    """First position in each sorted row whose element is not less than the value.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.LowerBound()(Tensor([[1.0, 2.0, 2.0, 4.0]]), Tensor([[2.0, 5.0]])))
        [[1 4]]
    """


class UpperBound(_Bound):
    """First position in each sorted row whose element is greater than the value.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.UpperBound()(Tensor([[1.0, 2.0, 2.0, 4.0]]), Tensor([[2.0, 5.0]])))
        [[3 4]]
    """

    _right = True


def _count_below(array, size, weights):
    """Counts each number below `size`, y[i] = Σ_n weights[n] · [array[n] = i]; larger numbers are left out.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Bincount()(Tensor([0, 2, 2]), Tensor(4), Tensor([1.0, 0.5, 0.5])))
        [1. 0. 1. 0.]
    """
    _require_tensor("Bincount", "array", array)
    count = int(size.item() if isinstance(size, Tensor) else size)
    counted = bincount(array, weights if weights.size else None, count)
    return counted[:count].astype(weights.dtype)


def _join_rows(values):
    """Joins tensors of one row each along the first dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ParallelConcat()([Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])]))
        [[1. 2.]
         [3. 4.]]
    """
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"ParallelConcat: values is of type {type(values).__name__}; need a tuple of Tensors")
    return concat(tuple(values))


Bincount = primitive_of("Bincount", _count_below)
InvertPermutation = primitive_of("InvertPermutation", _invert_permutation)
ParallelConcat = primitive_of("ParallelConcat", _join_rows)
UniqueWithPad = primitive_of("UniqueWithPad", unique_with_pad)
UnravelIndex = primitive_of("UnravelIndex", _unravel_index)

Tensor.unique_with_pad = unique_with_pad  # type: ignore[method-assign]


class Shift(Primitive):
    """Shifts elements by `periods` along an axis, y[i] = x[i - periods]; the rest is `fill_value`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Shift(1)(Tensor([1, 2, 3]), 0))
        [0 1 2]
    """

    _parameters = ("periods", "axis")

    def __init__(self, periods=1, axis=-1):
        super().__init__("Shift")
        for name, value in (("periods", periods), ("axis", axis)):
            if type(value) is not int:
                raise TypeError(f"Shift: {name} is {value!r}; need an int")
        self.periods = periods
        self.axis = axis

    def __call__(self, x, fill_value):
        if not isinstance(x, Tensor):
            raise TypeError(f"Shift: x is of type {type(x).__name__}; need a Tensor")
        if not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"Shift: axis is {self.axis} and x has shape {x.shape}; need an axis of it")
        axis, size = self.axis % x.ndim, x.shape[self.axis]
        moved = min(abs(self.periods), size)
        if moved == 0:
            return x.copy()
        filler = full((*x.shape[:axis], moved, *x.shape[axis + 1 :]), fill_value, x.dtype)
        if self.periods > 0:
            return concat((filler, narrow(x, axis, 0, size - moved)), axis)
        return concat((narrow(x, axis, moved, size - moved), filler), axis)

    def __reduce__(self):
        return type(self), (self.periods, self.axis)


def _segments(name, input_x, segment_ids):
    """Number of segments; the last of the ascending numbers is the largest."""
    for argument, value in (("input_x", input_x), ("segment_ids", segment_ids)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}: {argument} is of type {type(value).__name__}; need a Tensor")
    if segment_ids.ndim != 1 or input_x.ndim == 0 or segment_ids.shape[0] != input_x.shape[0]:
        raise ValueError(
            f"{name}: segment_ids has shape {segment_ids.shape} and input_x {input_x.shape}; need one per row"
        )
    if segment_ids.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{name}: segment_ids is of {segment_ids.dtype}; need int32 or int64")
    ids = segment_ids.tolist()
    if any(a > b for a, b in itertools.pairwise(ids)) or (ids and ids[0] < 0):
        raise ValueError(f"{name}: segment_ids begin with {ids[:8]}; need ascending numbers from 0 on")
    return ids[-1] + 1 if ids else 0


def _reduction(name, operator, empty, of_one_and_three):
    """Creates a Primitive that reduces each segment; one without rows is `empty`. The last argument is an example."""
    reduce = _core.named_op(operator)

    def segment_reduction(input_x, segment_ids):
        count = _segments(name, input_x, segment_ids)
        result = reduce(input_x, segment_ids, count)
        present = _present(input_x, segment_ids, count)
        return where(present, result, Tensor(empty, result.dtype))

    segment_reduction.__doc__ = f"""`{operator}` over the rows of each segment; {empty} for a segment without rows.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.{name}()(Tensor([1.0, 3.0, 5.0]), Tensor([0, 0, 1])))
        [{of_one_and_three}. 5.]
    """
    return primitive_of(name, segment_reduction)


def _rows_per_segment(input_x, segment_ids, count):
    ones = Tensor([1.0] * segment_ids.size, _core.float32)
    return unsorted_segment_sum(ones, segment_ids, count).reshape(count, *[1] * (input_x.ndim - 1))


def _present(input_x, segment_ids, count):
    return _rows_per_segment(input_x, segment_ids, count) > 0


def _segment_mean(input_x, segment_ids):
    """Mean of the rows of each segment; 0 for a segment without rows.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.SegmentMean()(Tensor([[1.0], [3.0], [5.0]]), Tensor([0, 0, 1])))
        [[2.]
         [5.]]
    """
    count = _segments("SegmentMean", input_x, segment_ids)
    rows = _rows_per_segment(input_x, segment_ids, count).astype(input_x.dtype)
    return unsorted_segment_sum(input_x, segment_ids, count) / rows.clamp(1)


SegmentMax = _reduction("SegmentMax", "unsorted_segment_max", 0, 3)
SegmentMean = primitive_of("SegmentMean", _segment_mean)
SegmentMin = _reduction("SegmentMin", "unsorted_segment_min", 0, 1)
SegmentProd = _reduction("SegmentProd", "unsorted_segment_prod", 1, 3)
SegmentSum = _reduction("SegmentSum", "unsorted_segment_sum", 0, 4)


def _chosen_rows(name, x, indices):
    if not isinstance(indices, Tensor):
        raise TypeError(f"{name}: indices is of type {type(indices).__name__}; need a Tensor")
    return gather(x, indices, 0)


def _sum_of_segment(sums, rows):
    return sums


def _mean_of_segment(sums, rows):
    return sums / rows.clamp(1)


def _sum_over_root(sums, rows):
    return sums / rows.clamp(1).sqrt()


def _of_chosen_rows(name, combine, what, of_three_and_five):
    """Creates two Primitives over segments of the rows x[indices]: for all numbered segments, or a given number."""

    def combined(rows, segment_ids, count):
        each = _rows_per_segment(rows, segment_ids, count).astype(rows.dtype)
        return combine(unsorted_segment_sum(rows, segment_ids, count), each)

    def counted(x, indices, segment_ids):
        rows = _chosen_rows(name, x, indices)
        return combined(rows, segment_ids, _segments(name, rows, segment_ids))

    def given(x, indices, segment_ids, num_segments):
        rows = _chosen_rows(name, x, indices)
        least = _segments(name, rows, segment_ids)
        count = num_segments.item() if isinstance(num_segments, Tensor) else num_segments
        if count < least:
            raise ValueError(f"{name}: num_segments is {count}; segment_ids number {least}")
        return combined(rows, segment_ids, count)

    counted.__doc__ = f"""The {what} of rows of `x`, which `indices` choose, over runs of equal segment_ids.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[1.0], [3.0], [5.0]])
        >>> print(ops.{name}()(x, Tensor([1, 2, 0]), Tensor([0, 0, 1])))
        [[{of_three_and_five}]
         [1.{"" if of_three_and_five.endswith(".") else "       "}]]
    """
    given.__doc__ = f"""The {what} of rows of `x`, which `indices` choose, for `num_segments`; 0 without rows.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[1.0], [3.0], [5.0]])
        >>> print(ops.{name}WithNumSegments()(x, Tensor([0, 0]), Tensor([0, 1]), 3))
        [[1.]
         [1.]
         [0.]]
    """
    return primitive_of(name, counted), primitive_of(name + "WithNumSegments", given)


SparseSegmentMean, SparseSegmentMeanWithNumSegments = _of_chosen_rows(
    "SparseSegmentMean", _mean_of_segment, "mean", "4."
)
SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments = _of_chosen_rows(
    "SparseSegmentSqrtN", _sum_over_root, "sum, over the root of their number,", "5.656854"
)
SparseSegmentSum, SparseSegmentSumWithNumSegments = _of_chosen_rows(
    "SparseSegmentSum", _sum_of_segment, "sum", "8."
)


def sparse_segment_mean(x, indices, segment_ids):
    """Segment mean of selected rows, y[s] = mean of x[indices[n]] over all n with segment_ids[n] = s.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[1.0], [3.0], [5.0]])
        >>> print(ops.sparse_segment_mean(x, Tensor([1, 2, 0]), Tensor([0, 0, 1])))
        [[4.]
         [1.]]
    """
    return SparseSegmentMean()(x, indices, segment_ids)


def embedding(
    input,
    weight,
    padding_idx=None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
):
    """Embedding look-up, y = weight[input].

    Args:
        input (Tensor): integer indexes of rows, any shape.
        weight (Tensor): rows of shape (count, width).
        padding_idx (int or None): row without a gradient. Default: None.
        max_norm (float or None): rows in use with a larger norm are scaled to it, in `weight`. Default: None.
        norm_type (float): order of the norm. Default: 2.0.
        scale_grad_by_freq (bool): divides the gradient of a row by its count in `input`. Default: False.

    Returns:
        Tensor of shape (*input.shape, width).

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.embedding(Tensor([1, 0]), Tensor([[1.0], [2.0]])))
        [[2.]
         [1.]]
    """
    require_flag("embedding", "scale_grad_by_freq", scale_grad_by_freq)
    require_number("embedding", "norm_type", norm_type)
    if max_norm is not None:
        require_above("embedding", "max_norm", max_norm, 0)
        _shorten_rows(weight, input, max_norm, norm_type)
    rows = _embedding(input, weight, padding_idx)
    if not scale_grad_by_freq:
        return rows
    share = rows / _times_chosen(input, weight.shape[0])[input].expand_dims(-1).astype(rows.dtype)
    return stop_gradient(rows - share) + share


def _times_chosen(ids, count):
    """Count of each row in `ids`."""
    return one_hot(ids.reshape(-1), count, 1, 0).sum(0)


def _shorten_rows(weight, ids, max_norm, norm_type):
    norms = vector_norm(stop_gradient(weight), norm_type, 1, True)
    longer = logical_and(norms > max_norm, (_times_chosen(ids, weight.shape[0]) > 0).expand_dims(-1))
    factors = where(longer, max_norm / (norms + 1e-7), 1.0)
    assign(weight, stop_gradient(weight) * factors.astype(weight.dtype))


def nonzero(input, *, as_tuple: bool = False):
    """Indexes of the elements that are not zero, one row for each; with `as_tuple` one tensor per dimension.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.nonzero(Tensor([[0, 1], [2, 0]])))
        [[0 1]
         [1 0]]
    """
    return nonzero_tuple(input) if require_flag("nonzero", "as_tuple", as_tuple) else _places(input)


setattr(Tensor, nonzero.__name__, nonzero)


def scalar_to_array(input_x) -> Tensor:
    """Converts a number to a Tensor of shape (): int64 for an int, float32 for a float.

    Example:
        >>> from dyad import ops
        >>> ops.scalar_to_array(1.5)
        Tensor(shape=[], dtype=Float32, value= 1.5)
    """
    if isinstance(input_x, Tensor) or not isinstance(input_x, (bool, int, float)):
        raise TypeError(f"scalar_to_array: input_x is of type {type(input_x).__name__}; need a number")
    return Tensor(input_x)


ScalarToArray = primitive_of("ScalarToArray", scalar_to_array)
