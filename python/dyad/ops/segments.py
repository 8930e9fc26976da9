"""Reductions over runs of rows that one ascending list of numbers marks."""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.operators import gather, unsorted_segment_sum, where
from dyad._src.primitive.primitive import primitive_of

__all__ = [
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "SparseSegmentMean",
    "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN",
    "SparseSegmentSqrtNWithNumSegments",
    "SparseSegmentSum",
    "SparseSegmentSumWithNumSegments",
    "sparse_segment_mean",
]


def _segments(name, input_x, segment_ids):
    """The number of segments; the last of the ascending numbers is the largest."""
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
    """A Primitive that reduces each segment; one without rows gives `empty`. The last argument is for the example."""
    reduce = _core.named_op(operator)

    def segment_reduction(input_x, segment_ids):
        count = _segments(name, input_x, segment_ids)
        result = reduce(input_x, segment_ids, count)
        present = _present(input_x, segment_ids, count)
        return where(present, result, Tensor(empty, result.dtype))

    segment_reduction.__doc__ = f"""`{operator}` over runs of rows; a segment without rows gives {empty}.

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
    """Mean over runs of rows; a segment without rows gives 0.

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
    """Two Primitives over runs of rows that `indices` choose: for as many segments as are numbered, or as asked."""

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
    """The mean of rows of `x`, which `indices` choose, over runs of equal segment_ids.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[1.0], [3.0], [5.0]])
        >>> print(ops.sparse_segment_mean(x, Tensor([1, 2, 0]), Tensor([0, 0, 1])))
        [[4.]
         [1.]]
    """
    return SparseSegmentMean()(x, indices, segment_ids)
