"""Rows of unequal length and rows as sets, and small operators of a compiler: worked out by hand."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import auto_generate

FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def test_ranges_of_unequal_length():
    splits, numbers = ops.RaggedRange(dyad.int32)(
        Tensor([0.0, 5.0, 8.0]), Tensor([3.0, 5.0, 5.0]), Tensor([1.5, 1.0, -1.0])
    )
    assert splits.dtype == dyad.int32 and splits.tolist() == [0, 2, 2, 5]
    assert numbers.tolist() == [0.0, 1.5, 8.0, 7.0, 6.0]
    with pytest.raises(ValueError, match="a delta is 0"):
        ops.RaggedRange()(Tensor([0]), Tensor([1]), Tensor([0]))


def test_nested_rows_by_coordinates():
    splits = Tensor([0, 2, 2]), Tensor([0, 1, 3])
    places, values, shape = ops.RaggedTensorToSparse()(splits, Tensor([7, 8, 9]))
    assert places.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert values.tolist() == [7, 8, 9] and shape.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("kinds", "tensors"),
    [
        (["ROW_SPLITS"], (Tensor([0, 2, 2, 3]),)),
        (["FIRST_DIM_SIZE", "VALUE_ROWIDS"], (Tensor(3), Tensor([0, 0, 2]))),
    ],
)
def test_rows_as_one_tensor(kinds, tensors):
    dense = ops.RaggedTensorToTensor(kinds)
    values, default = Tensor([1.0, 2.0, 3.0]), Tensor(9.0)
    assert dense(Tensor([-1, -1]), values, default, tensors).tolist() == [[1, 2], [9, 9], [3, 9]]
    assert dense(Tensor([2, 3]), values, default, tensors).tolist() == [[1, 2, 9], [9, 9, 9]]
    assert dense(Tensor([3, 1]), values, default, tensors).tolist() == [[1], [9], [3]]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("a-b", [[1], [4]]),
        ("b-a", [[3, 5], []]),
        ("intersection", [[2], [6]]),
        ("union", [[1, 2, 3, 5], [4, 6]]),
    ],
)
def test_rows_as_sets(operation, expected):
    a, b = Tensor([[2, 1, 1], [4, 6, 4]]), Tensor([[3, 2, 5], [6, 6, 6]])
    places, values, shape = ops.DenseToDenseSetOperation(operation)(a, b)
    assert values.tolist() == [value for row in expected for value in row]
    assert places.tolist() == [[row, i] for row in range(2) for i in range(len(expected[row]))]
    assert shape.tolist() == [2, max(len(row) for row in expected)]
    second = Tensor(np.argwhere(np.ones((2, 3)))), b.reshape(-1), Tensor([2, 3])
    for found, other in zip(
        ops.DenseToSparseSetOperation(operation)(a, *second), (places, values, shape), strict=True
    ):
        np.testing.assert_array_equal(found, other)
    assert ops.SetSize()(*second).tolist() == [3, 1]


def test_changes_between_rows():
    first = Tensor([[0, 0], [0, 1], [0, 2], [2, 0]]), Tensor([1, 2, 3, 4]), Tensor([3, 3])
    second = Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([2, 3, 7]), Tensor([3, 2])
    assert ops.EditDistance(False)(*first, *second).tolist() == [1.0, 1.0, 1.0]
    assert ops.EditDistance()(*first, *second).tolist() == [0.5, 1.0, np.inf]


@FORMS
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_smallest_steps(form, dtype):
    found = form(lambda x: auto_generate.Eps()(x))(Tensor(np.ones(3, dtype))).asnumpy()
    assert found.dtype == dtype and found.tolist() == [np.finfo(dtype).eps] * 3


@FORMS
def test_places_of_joined_tensors(form):
    a, b = ops.ones((2, 3)), ops.ones((2, 4))
    assert form(lambda a, b: auto_generate.ConcatOffset(2, 1)((a, b)))(a, b).tolist() == [[0, 0], [0, 3]]
    shapes = Tensor([2, 3]), Tensor([2, 4])
    rows = form(lambda a, b: auto_generate.ConcatOffsetV1()(Tensor(-1), (a, b)))(*shapes)
    assert [row.tolist() for row in rows] == [[0, 0], [0, 3]]


@FORMS
def test_slices_are_copied_into_a_copy(form):
    x = ops.zeros((3, 3))
    found = form(lambda x, v: auto_generate.TensorCopySlices()(x, v, (1, 0), (3, 3), (1, 2)))(
        x, ops.ones((2, 2))
    )
    assert found.tolist() == [[0, 0, 0], [1, 0, 1], [1, 0, 1]]
    assert x.sum() == 0
