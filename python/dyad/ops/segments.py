"""Reductions over runs of rows that one ascending list of numbers marks."""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.primitive import primitive_of

__all__ = ["SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum"]

_where = _core.named_op("where")


def _segments(name, input_x, segment_ids):
    """The number of segments; the last of the ascending numbers is the largest."""
    for argument, value in (("input_x", input_x), ("segment_ids", segment_ids)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{name}: {argument} is of type {type(value).__name__}; need a Tensor")
    if segment_ids.ndim != 1 or input_x.ndim == 0 or segment_ids.shape[0] != input_x.shape[0]:
        raise ValueError(
            f"{name}: segment_ids has shape {segment_ids.shape} and input_x {input_x.shape}; need one per row"
        )
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
        return _where(present, result, Tensor(empty, result.dtype))

    segment_reduction.__doc__ = f"""`{operator}` over runs of rows; a segment without rows gives {empty}.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.{name}()(Tensor([1.0, 3.0, 5.0]), Tensor([0, 0, 1])))
        [{of_one_and_three}. 5.]
    """
    return primitive_of(name, segment_reduction)


_count_rows = _core.named_op("unsorted_segment_sum")


def _rows_per_segment(input_x, segment_ids, count):
    ones = Tensor([1.0] * segment_ids.size, _core.float32)
    return _count_rows(ones, segment_ids, count).reshape(count, *[1] * (input_x.ndim - 1))


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
    return _count_rows(input_x, segment_ids, count) / rows.clamp(1)


SegmentMax = _reduction("SegmentMax", "unsorted_segment_max", 0, 3)
SegmentMean = primitive_of("SegmentMean", _segment_mean)
SegmentMin = _reduction("SegmentMin", "unsorted_segment_min", 0, 1)
SegmentProd = _reduction("SegmentProd", "unsorted_segment_prod", 1, 3)
SegmentSum = _reduction("SegmentSum", "unsorted_segment_sum", 0, 4)
