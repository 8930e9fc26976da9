"""Operators written in Python over those of the table: results and rejected arguments."""

import pickle

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops

ROWS = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
IDS = Tensor([0, 0, 2])


def same(result, expected, dtype=None):
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)
    assert dtype is None or result.dtype == dtype


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (2, lambda a, b: np.tensordot(a, b.transpose(1, 2, 0), 2)),
        (((0, 1, 2), (0, 1, 2)), lambda a, b: np.sum(a * b)),
        ([[0, 1], [0, 1]], lambda a, b: np.tensordot(a, b, [[0, 1], [0, 1]])),
        ((0, 0), lambda a, b: np.tensordot(a, b, (0, 0))),
    ],
)
def test_tensor_dot_takes_axes_in_every_form(axes, expected):
    a, b = np.random.default_rng(0).random((2, 2, 3, 4)).astype(np.float32)
    second = b.transpose(1, 2, 0) if axes == 2 else b
    same(ops.tensor_dot(Tensor(a), Tensor(second), axes), expected(a, b))
    same(ops.tensordot(Tensor(a), Tensor(second), axes), expected(a, b))


def test_tensor_dot_refuses_other_axes():
    with pytest.raises(TypeError, match="tensor_dot: axes is None"):
        ops.tensor_dot(ROWS, ROWS, None)


@pytest.mark.parametrize(
    ("first", "second", "axes", "expected"),
    [
        ((2, 3, 4), (2, 4, 5), None, "bij,bjk->bik"),
        ((2, 3, 4), (2, 3, 5), (1, 1), "bji,bjk->bik"),
        ((2, 3), (2, 3), None, "bi,bi->b"),
        ((2, 3), (2, 3, 4), 1, "bi,bij->bj"),
        ((2, 3, 4), (2, 4), None, "bij,bj->bi"),
        ((2, 3, 4), (2, 5, 4), (-1, -1), "bij,bkj->bik"),
    ],
)
def test_batch_dot_sums_one_axis_of_each_sample(first, second, axes, expected):
    rng = np.random.default_rng(0)
    a, b = rng.random(first).astype(np.float32), rng.random(second).astype(np.float32)
    wanted = np.einsum(expected, a, b)
    result = ops.batch_dot(Tensor(a), Tensor(b), axes)
    same(result, wanted.reshape(result.shape))
    assert result.ndim == max(wanted.ndim, 2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.batch_dot(ROWS, 3), TypeError, "batch_dot: x2 is of type int"),
        (lambda: ops.batch_dot(ROWS, Tensor([1.0])), ValueError, r"x2 has shape \(1,\)"),
        (lambda: ops.batch_dot(ROWS, ROWS[:2]), ValueError, "there are 3 and 2 samples"),
        (lambda: ops.batch_dot(ROWS, ROWS, 0), ValueError, "no axis besides that of the samples"),
        (lambda: ops.batch_dot(ROWS, ops.ones((3, 3))), ValueError, "differ in size"),
    ],
)
def test_batch_dot_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("primitive", "expected"),
    [
        (ops.SegmentSum, [[4, 6], [0, 0], [5, 6]]),
        (ops.SegmentMax, [[3, 4], [0, 0], [5, 6]]),
        (ops.SegmentMin, [[1, 2], [0, 0], [5, 6]]),
        (ops.SegmentProd, [[3, 8], [1, 1], [5, 6]]),
        (ops.SegmentMean, [[2, 3], [0, 0], [5, 6]]),
    ],
)
def test_segment_primitives_reduce_the_rows_of_each_id(primitive, expected):
    same(primitive()(ROWS, IDS), expected, dyad.float32)


def test_segments_must_ascend():
    with pytest.raises(ValueError, match=r"SegmentSum: segment_ids begin with \[1, 0, 2\]; need ascending"):
        ops.SegmentSum()(ROWS, Tensor([1, 0, 2]))
    with pytest.raises(ValueError, match="need one per row"):
        ops.SegmentMean()(ROWS, Tensor([0, 1]))


def test_a_permutation_is_undone():
    order = (3, 4, 0, 2, 1)
    inverse = ops.InvertPermutation()(order)
    assert [order[i] for i in inverse] == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="need each number from 0 to 2 once"):
        ops.InvertPermutation()((0, 0, 1))


def test_distinct_elements_are_filled_up():
    values, index = ops.unique_with_pad(Tensor([1, 2, 2, 1]), 9)
    same(values, [1, 2, 9, 9], dyad.int64)
    same(index, [0, 1, 1, 0], dyad.int64)
    values, index = ops.UniqueWithPad()(Tensor([3, 4], dyad.int32), 0)
    same(values, [3, 4], dyad.int32)
    same(index, [0, 1], dyad.int32)


def test_indices_become_coordinates():
    same(ops.UnravelIndex()(Tensor([2, 5]), Tensor([3, 3])), np.unravel_index([2, 5], (3, 3)))
    with pytest.raises(ValueError, match="UnravelIndex: an index lies outside of"):
        ops.UnravelIndex()(Tensor([9]), Tensor([3, 3]))


def test_bounds_of_values_in_sorted_rows():
    rows, values = Tensor([[1.0, 2.0, 5.0]]), Tensor([[2.0, 3.0]])
    same(ops.LowerBound()(rows, values), [[1, 2]], dyad.int32)
    same(ops.UpperBound(dyad.int64)(rows, values), [[2, 2]], dyad.int64)
    same(pickle.loads(pickle.dumps(ops.UpperBound(dyad.int64)))(rows, values), [[2, 2]], dyad.int64)


def test_counts_below_a_size():
    numbers, weights = Tensor([1, 2, 2, 7]), Tensor([1.0, 2.0, 3.0, 4.0])
    same(ops.Bincount()(numbers, Tensor(4), weights), [0, 1, 5, 0], dyad.float32)


def test_small_primitives():
    same(ops.ParallelConcat()([Tensor([[1]]), Tensor([[2]])]), [[1], [2]])
    same(ops.TensorShape()(ROWS), [3, 2], dyad.int64)
    assert ops.dyn_shape(Tensor(1.0)).shape == (0,)
    same(ops.ScalarToTensor()(2, dyad.int32), 2, dyad.int32)
    same(ops.TupleToArray()((1, 2)), [1, 2])
    assert ops.IdentityN()([ROWS, IDS]) == (ROWS, IDS)


def test_checks_pass_or_raise():
    assert ops.Assert()(True, [ROWS]) is None
    with pytest.raises(
        RuntimeError,
        match=r"Assert: assert failed, the condition is false; the data begin with \[\[1.0, 2.0\]\]",
    ):
        ops.Assert(summarize=2)(Tensor(False), [ROWS])
    assert ops.CheckNumerics()(ROWS).tolist() == ROWS.tolist()
    with pytest.raises(RuntimeError, match="CheckNumerics: x holds an infinity or NaN"):
        ops.CheckNumerics()(Tensor([1.0, float("nan")]))


def test_a_users_primitive_notes_its_attributes():
    class Scale(ops.Primitive):
        @ops.prim_attr_register
        def __init__(self, factor, offset=1):
            self.calls = 0

        def __call__(self, x):
            return x * self.factor + self.offset

    scale = Scale(3)
    assert (scale.name, scale.factor, scale.offset, scale.calls) == ("Scale", 3, 1, 0)
    assert (
        scale.attrs == {"factor": 3, "offset": 1}
        and scale.add_prim_attr("side", "left").attrs["side"] == "left"
    )
    assert "side" not in scale.del_prim_attr("side").attrs
    same(scale(Tensor([2.0])), [7.0])


def test_index_dtypes():
    x, numbers = Tensor([[3.0, 1.0, 2.0]]), Tensor([1, 2, 2], dyad.int32)
    assert ops.argmin(x).dtype == x.argmin(1).dtype == dyad.int32
    assert ops.multinomial(x, 2).dtype == x.multinomial(2).dtype == dyad.int32
    assert ops.bincount(numbers).dtype == numbers.bincount().dtype == dyad.float32
    assert ops.unique(numbers)[1].dtype == dyad.int32
    assert ops.unique(numbers.astype(dyad.int64))[1].dtype == dyad.int64
    mint = dyad.mint
    assert mint.argmin(x).dtype == mint.bincount(numbers).dtype == mint.multinomial(x, 2).dtype == dyad.int64
