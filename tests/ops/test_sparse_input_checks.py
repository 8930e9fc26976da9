"""Sparse tensors that are large, empty, out of order or inconsistent."""

import numpy as np
import pytest

import dyad
from dyad import COOTensor, CSRTensor, Tensor, jit, ops

FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
LARGE = (131072, 65536)
NOWHERE, NOTHING = Tensor(np.zeros((0, 2), np.int64)), Tensor(np.zeros(0, np.float32))


def narrow(places):
    return Tensor(places, dyad.int32)


@FORMS
def test_places_of_int32_in_a_shape_of_more_elements_are_kept_apart(form):
    far, near, one, two = narrow([[65536, 0]]), narrow([[0, 0]]), Tensor([1.0]), Tensor([2.0])
    places, values, _ = form(lambda i, v: ops.Coalesce()(i, v, LARGE))(
        narrow([[65536, 0], [0, 0]]), Tensor([1.0, 2.0])
    )
    assert places.dtype == dyad.int32 and places.tolist() == [[0, 65536], [0, 0]]
    assert values.tolist() == [2.0, 1.0]
    places, values, _ = form(lambda *x: ops.SparseAdd()(x[0], x[1], LARGE, x[2], x[3], LARGE, Tensor(0.0)))(
        far, one, near, two
    )
    assert places.tolist() == [[0, 0], [65536, 0]] and values.tolist() == [2.0, 1.0]
    for operator, expected in ((ops.SparseSparseMaximum, [2.0, 1.0]), (ops.SparseSparseMinimum, [0.0, 0.0])):
        places, values = operator()(far, one, LARGE, near, two, LARGE)
        assert places.dtype == dyad.int32 and places.tolist() == [[0, 0], [65536, 0]]
        assert values.tolist() == expected


@FORMS
def test_places_of_int32_are_ordered_and_moved_by_their_true_numbers(form):
    both = narrow([[40000, 0], [1, 5]])
    places, values = form(lambda i, v: ops.SparseReorder()(i, v, LARGE))(both, Tensor([1.0, 2.0]))
    assert places.tolist() == [[1, 5], [40000, 0]] and values.tolist() == [2.0, 1.0]
    moved, _ = form(lambda i: ops.SparseReshape()(i, LARGE, (65536, 131072)))(both)
    assert moved.dtype == dyad.int32 and moved.tolist() == [[20000, 0], [0, 65541]]
    parts = (narrow([[40000, 0]]), narrow([[0, 1]]))
    places, values, shape = ops.SparseConcat()(parts, (Tensor([1.0]), Tensor([2.0])), (LARGE, LARGE))
    assert places.tolist() == [[40000, 0], [131072, 1]] and shape == (262144, 65536)


def test_places_that_their_dtype_cannot_say_are_refused():
    with pytest.raises(ValueError, match=r"SparseReshape: .*Int32"):
        ops.SparseReshape()(narrow([[65536, 0]]), LARGE, (-1,))
    tall = (2**31 - 1, 1)
    x = narrow([[0, 0]])
    with pytest.raises(ValueError, match=r"SparseConcat: .*Int32"):
        ops.SparseConcat()((x, x), (Tensor([1.0]), Tensor([2.0])), (tall, tall))
    huge = (2**40, 2**40)
    with pytest.raises(ValueError, match=r"Coalesce: .*elements"):
        ops.Coalesce()(Tensor([[0], [0]]), Tensor([1.0]), huge)


def test_a_reshape_needs_a_coordinate_for_each_dimension():
    with pytest.raises(ValueError, match=r"SparseReshape: indices has shape \(1, 1\); need \(n, 2\)"):
        ops.SparseReshape()(Tensor([[1]]), (2, 3), (6,))


@FORMS
def test_compressed_rows_of_places_in_any_order(form):
    dense = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]], np.float32)
    mixed = Tensor([[1, 2], [0, 1], [1, 0]])
    rows = form(lambda i, v: ops.SparseTensorToCSRSparseMatrix()(i, v, Tensor([2, 3])))(
        mixed, Tensor([3.0, 1.0, 2.0])
    )
    assert rows[3].tolist() == [1, 0, 2] and rows[4].tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(ops.CSRSparseMatrixToDense()(*rows), dense)
    rows = form(lambda x, i: ops.DenseToCSRSparseMatrix()(x, i))(Tensor(dense), mixed)
    np.testing.assert_array_equal(ops.CSRSparseMatrixToDense()(*rows), dense)


@FORMS
@pytest.mark.parametrize(
    "name",
    [
        "CSRSparseMatrixToDense",
        "CSRSparseMatrixToSparseTensor",
        "SparseMatrixSoftmax",
        "SparseMatrixTranspose",
    ],
)
@pytest.mark.parametrize(
    ("pointers", "columns"), [([0, 3, 1], [0]), ([0, 2, 2], [0]), ([1, 1, 2], [0]), ([0, 0, 1], [0, 1])]
)
def test_row_pointers_that_contradict_the_values_are_refused(form, name, pointers, columns):
    x = Tensor([2, 3]), Tensor([0, 1]), Tensor(pointers), Tensor(columns), ops.ones((len(columns),))
    with pytest.raises(ValueError, match=f"{name}: row pointers"):
        form(lambda *x: getattr(ops, name)()(*x))(*x)


def test_columns_outside_of_the_matrix_are_refused():
    x = Tensor([2, 3]), Tensor([0, 1]), Tensor([0, 0, 1]), Tensor([3]), Tensor([1.0])
    with pytest.raises(IndexError, match="SparseMatrixTranspose: columns"):
        ops.SparseMatrixTranspose()(*x)


def added_product(first=((0,), (0,)), first_shape=(2, 3), second=((1,), (1,)), dense_shape=(2, 3)):
    x1 = Tensor(first), Tensor([2.0]), Tensor(first_shape)
    x2 = Tensor(second), Tensor([3.0]), Tensor([2, 2])
    return ops.Sspaddmm()(*x1, *x2, ops.ones(dense_shape), Tensor(1.0), Tensor(1.0))


def test_a_product_is_added_to_a_matrix_of_its_shape():
    places, values, _ = added_product()
    whole = COOTensor(places.T, values, (2, 3)).to_dense()
    np.testing.assert_array_equal(whole, [[2.0, 0.0, 0.0], [3.0, 3.0, 3.0]])


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"first_shape": (2, 2)}, ValueError),
        ({"first_shape": (1, 3)}, ValueError),
        ({"dense_shape": (3, 3)}, ValueError),
        ({"dense_shape": (6,)}, ValueError),
        ({"first": ((0,), (3,))}, IndexError),
        ({"first": ((-1,), (0,))}, IndexError),
        ({"first": ((0,),)}, ValueError),
        ({"second": ((2,), (0,))}, IndexError),
    ],
)
def test_a_product_of_other_shapes_or_places_is_refused(wrong, error):
    with pytest.raises(error, match="Sspaddmm: "):
        added_product(**wrong)


@FORMS
def test_operators_of_nothing_give_nothing(form):
    shape = (2, 3)
    assert form(lambda i, v: ops.SparseSoftmax()(i, v, shape))(NOWHERE, NOTHING).shape == (0,)
    places, values, _ = form(lambda i, v: ops.Coalesce()(i, v, shape))(NOWHERE.T, NOTHING)
    assert places.shape == (2, 0) and values.shape == (0,)
    for operator in (ops.SparseSparseMaximum, ops.SparseSparseMinimum):
        x = NOWHERE, NOTHING
        found = form(lambda i, v, operator=operator: operator()(i, v, shape, i, v, shape))(*x)
        assert found[0].shape == (0, 2) and found[1].shape == (0,)
    places, values, _ = ops.SparseAdd()(NOWHERE, NOTHING, shape, NOWHERE, NOTHING, shape, Tensor(0.0))
    assert places.shape == (0, 2) and values.shape == (0,)
    rows = ops.SparseTensorToCSRSparseMatrix()(NOWHERE, NOTHING, shape)
    np.testing.assert_array_equal(ops.CSRSparseMatrixToDense()(*rows), np.zeros(shape))


def test_counts_of_nothing_are_nothing():
    numbers = Tensor(np.zeros(0, np.int64))
    places, counts, whole = ops.SparseCountSparseOutput()(NOWHERE, numbers, Tensor([2, 3]), NOTHING)
    assert places.shape == (0, 2) and counts.shape == (0,) and whole.tolist() == [2, 0]
    x = Tensor([[0, 0]]), Tensor([4]), Tensor([1, 2])
    places, counts, whole = ops.SparseCountSparseOutput(maxlength=2)(*x, Tensor([1.0]))
    assert places.shape == (0, 2) and counts.shape == (0,) and whole.tolist() == [1, 2]


@pytest.mark.parametrize("batches", [[0, 2], [1, 1], [0, 0, 1], 0])
def test_batch_pointers_that_contradict_the_rows_are_refused(batches):
    x = Tensor([0, 0, 1]), Tensor([0]), Tensor([1.0])
    with pytest.raises(ValueError, match="SparseMatrixNNZ: batch pointers"):
        ops.SparseMatrixNNZ()(Tensor([2, 3]), Tensor(batches), *x)
    with pytest.raises(ValueError, match="SparseMatrixSoftmax: batch pointers"):
        ops.SparseMatrixSoftmax()(Tensor([1, 2, 3]), Tensor(batches), *x)
    assert ops.SparseMatrixSoftmax()(Tensor([2, 3]), Tensor(batches), *x)[4].tolist() == [1.0]


def test_errors_name_the_operator_that_was_called():
    rows = CSRTensor(Tensor([0, 2, 2]), Tensor([0]), Tensor([1.0]), (2, 3))
    with pytest.raises(ValueError, match="csr_softmax: row pointers"):
        ops.csr_softmax(rows)
    x, one = (Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2])), Tensor([1.0])
    with pytest.raises(ValueError, match="SparseAddmm: the inner sizes are 2 and 3"):
        ops.SparseAddmm()(*x, ops.ones((3, 1)), ops.ones((1, 1)), one, one)
    with pytest.raises(ValueError, match=r"SparseAddmm: x3 has shape \(4, 1\); need \(1, 1\)"):
        ops.SparseAddmm()(*x, ops.ones((2, 1)), ops.ones((4, 1)), one, one)
