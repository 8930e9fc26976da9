"""Operators on sparse tensors, by coordinates and by compressed rows, against dense ones of NumPy."""

import numpy as np
import pytest

from dyad import COOTensor, Tensor, grad, jit, nn, ops

rng = np.random.default_rng(5)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def sparse(shape, share=0.5):
    """A dense array with zeros, and its places and values in row-major order."""
    dense = rng.uniform(0.5, 2.0, shape).astype(np.float32) * (rng.uniform(size=shape) < share)
    dense.reshape(-1)[-1] = 1.0
    places = np.argwhere(dense)
    return dense, Tensor(places), Tensor(dense[tuple(places.T)]), Tensor(list(shape))


def whole(indices, values, shape):
    return COOTensor(indices, values, tuple(int(size) for size in shape)).to_dense().asnumpy()


@FORMS
def test_an_order_of_places_does_not_change_the_tensor(form):
    dense, places, values, shape = sparse((3, 4))
    order = rng.permutation(values.size)
    mixed, drawn = Tensor(places.asnumpy()[order]), Tensor(values.asnumpy()[order])
    in_order, by_order = form(lambda *x: ops.SparseReorder()(*x))(mixed, drawn, shape)
    np.testing.assert_array_equal(in_order, places)
    np.testing.assert_array_equal(by_order, values)
    np.testing.assert_array_equal(form(lambda *x: ops.SparseToDense()(*x))(mixed, drawn, (3, 4)), dense)


@FORMS
def test_another_shape_keeps_the_elements(form):
    dense, places, values, shape = sparse((2, 3, 4))
    moved, new = form(lambda p, s, n: ops.SparseReshape()(p, s, n))(places, shape, Tensor([6, -1]))
    assert new.tolist() == [6, 4]
    np.testing.assert_array_equal(whole(moved, values, new.tolist()), dense.reshape(6, 4))


def test_a_box_is_cut_out():
    dense, *x = sparse((4, 5))
    places, values, shape = ops.SparseSlice()(*x, Tensor([1, 2]), Tensor([2, 9]))
    np.testing.assert_array_equal(whole(places, values, shape.tolist()), dense[1:3, 2:])


def test_tensors_are_joined_along_each_axis():
    (a, *x), (b, *y) = sparse((2, 3)), sparse((2, 3))
    for axis in (0, 1, -1):
        places, values, shape = ops.SparseConcat(axis)(*zip(x, y, strict=True))
        np.testing.assert_array_equal(whole(places, values, shape.tolist()), np.concatenate([a, b], axis))
    joined = ops.coo_concat((COOTensor(x[0], x[1], (2, 3)), COOTensor(y[0], y[1], (2, 3))), 1)
    np.testing.assert_array_equal(joined.to_dense(), np.concatenate([a, b], 1))


def test_sums_and_extremes_of_two_tensors():
    (a, *x), (b, *y) = sparse((3, 4)), sparse((3, 4))
    places, values, shape = ops.SparseAdd()(*x, *y, Tensor(1.5))
    both = a + b
    np.testing.assert_allclose(whole(places, values, shape.tolist()), both * (both >= 1.5))
    for operator, expected in ((ops.SparseSparseMaximum, np.maximum), (ops.SparseSparseMinimum, np.minimum)):
        np.testing.assert_array_equal(whole(*operator()(*x, *y), (3, 4)), expected(a, b))


@FORMS
def test_values_meet_a_dense_tensor_at_their_places(form):
    a, *x = sparse((3, 4))
    dense = rng.uniform(1, 2, (1, 4)).astype(np.float32)
    at = tuple(x[0].asnumpy().T)
    for operator, expected in (
        (ops.SparseDenseCwiseAdd, np.add),
        (ops.SparseDenseCwiseMul, np.multiply),
        (ops.SparseDenseCwiseDiv, np.divide),
    ):
        found = form(lambda *v, operator=operator: operator()(*v))(*x, Tensor(dense))
        np.testing.assert_allclose(found, expected(a, dense)[at], rtol=1e-6)
    np.testing.assert_allclose(ops.SparseTensorDenseAdd()(*x, Tensor(a)), 2 * a)


@FORMS
@pytest.mark.parametrize("turn_first", [False, True])
@pytest.mark.parametrize("turn_second", [False, True])
def test_products_with_a_dense_matrix_and_their_gradients(form, turn_first, turn_second):
    a, places, values, _ = sparse((3, 4))
    b = rng.standard_normal((3, 2) if turn_first else (4, 2)).astype(np.float32)
    second = Tensor(b.T.copy() if turn_second else b)
    multiply = nn.SparseTensorDenseMatmul(turn_first, turn_second)
    found = form(lambda v, d: multiply(places, v, (3, 4), d))(values, second)
    np.testing.assert_allclose(found, (a.T if turn_first else a) @ b, rtol=1e-5)
    by_values, by_dense = grad(lambda v, d: (multiply(places, v, (3, 4), d) ** 2).sum(), (0, 1))(
        values, second
    )

    def of_dense(v, d):
        left = ops.scatter_nd(places, v, (3, 4))
        return (ops.matmul(left.T if turn_first else left, d.T if turn_second else d) ** 2).sum()

    expected = grad(of_dense, (0, 1))(values, second)
    np.testing.assert_allclose(by_values, expected[0], rtol=1e-4)
    np.testing.assert_allclose(by_dense, expected[1], rtol=1e-4)


def test_products_that_are_added():
    a, *x = sparse((3, 4))
    b, c = rng.standard_normal((4, 2)).astype(np.float32), rng.standard_normal((3, 2)).astype(np.float32)
    found = ops.SparseAddmm()(*x, Tensor(b), Tensor(c), Tensor([2.0]), Tensor([0.5]))
    np.testing.assert_allclose(found, 2 * (a @ b) + 0.5 * c, rtol=1e-5)
    first, *y = sparse((3, 2))
    turned = [y[0].T, *y[1:], x[0].T, *x[1:]]
    places, values, _ = ops.Sspaddmm()(*turned, Tensor(b), Tensor(2.0), Tensor(3.0))
    np.testing.assert_allclose(whole(places.T, values, (3, 2)), 3 * first + 2 * (a @ b), rtol=1e-5)


def test_shares_within_rows():
    a, *x = sparse((3, 4))
    shares = np.where(a > 0, np.exp(a), 0)
    total = shares.sum(-1, keepdims=True)
    expected = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    np.testing.assert_allclose(whole(x[0], ops.SparseSoftmax()(*x), (3, 4)), expected, rtol=1e-5)
    rows = ops.SparseTensorToCSRSparseMatrix()(*x)
    np.testing.assert_allclose(
        ops.CSRSparseMatrixToDense()(*ops.SparseMatrixSoftmax()(*rows)), expected, rtol=1e-5
    )


def test_a_default_goes_to_rows_without_values():
    x = Tensor([[2, 1], [0, 3]]), Tensor([5.0, 6.0]), Tensor([4, 4])
    places, values, empty, moved = ops.SparseFillEmptyRows()(*x, Tensor(9.0))
    assert places.tolist() == [[0, 3], [1, 0], [2, 1], [3, 0]]
    assert values.tolist() == [6.0, 9.0, 5.0, 9.0]
    assert empty.tolist() == [False, True, False, True]
    assert moved.tolist() == [2, 0]


@FORMS
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_compressed_rows_hold_the_same_matrices(form, shape):
    a, *x = sparse(shape)
    rows = form(lambda *v: ops.SparseTensorToCSRSparseMatrix()(*v))(*x)
    np.testing.assert_array_equal(form(lambda *v: ops.CSRSparseMatrixToDense()(*v))(*rows), a)
    for found, given in zip(ops.CSRSparseMatrixToSparseTensor()(*rows), x, strict=True):
        np.testing.assert_array_equal(found, given)
    again = ops.DenseToCSRSparseMatrix()(Tensor(a), x[0])
    for found, given in zip(again, rows, strict=True):
        np.testing.assert_array_equal(found, given)
    turned = ops.SparseMatrixTranspose()(*rows)
    np.testing.assert_array_equal(ops.CSRSparseMatrixToDense()(*turned), a.swapaxes(-1, -2))
    counts = np.count_nonzero(a.reshape(-1, 12), 1)
    np.testing.assert_array_equal(ops.SparseMatrixNNZ()(*rows), counts)
    b = rng.standard_normal((*shape[:-2], 3, 2)).astype(np.float32)
    found = ops.SparseMatrixMatMul(transpose_x1=True, transpose_output=True)(*rows, Tensor(b))
    np.testing.assert_allclose(found, (a.swapaxes(-1, -2) @ b).swapaxes(-1, -2), rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ops.SparseToDense()(Tensor([[0, 2]]), Tensor([1.0]), (2, 2)),
            IndexError,
            "outside of the shape",
        ),
        (lambda: ops.SparseToDense()(Tensor([0, 1]), Tensor([1.0]), (2, 2)), ValueError, r"need \(n, 2\)"),
        (lambda: ops.SparseReshape()(Tensor([[0]]), (4,), (3, -1)), ValueError, "do not make the shape"),
        (lambda: ops.SparseConcat(1.0), TypeError, "concat_dim is 1.0"),
        (lambda: ops.coo_concat(Tensor([1.0])), TypeError, "need a tuple of COOTensors"),
        (
            lambda: ops.SparseToDenseV2()(Tensor([[1], [0]]), (3,), Tensor(1), Tensor(0)),
            ValueError,
            "ascending",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
