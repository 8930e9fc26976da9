"""Sparse tensors, made by the program or by a graph, and read in both forms."""

import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.common import COOTensor, CSRTensor, sparse_tensor
from dyad.common.sparse_tensor import RowTensor, RowTensorInner
from dyad.ops.operations import _csr_ops

DENSE = [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]


def coo(values=(1.0, 2.0)):
    return COOTensor(Tensor([[0, 1], [1, 2]]), Tensor(list(values)), (2, 3))


def csr(values=(1.0, 2.0)):
    return CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor(list(values)), (2, 3))


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("make", [coo, csr])
def test_the_whole_tensor(make, form):
    whole = form(lambda x: x.to_dense())
    assert whole(make()).asnumpy().tolist() == DENSE
    assert whole(make((3.0, 4.0))).asnumpy().tolist() == [[0, 3, 0], [0, 0, 4]]


def test_rows_without_and_with_several_values():
    x = CSRTensor(Tensor([0, 0, 3, 3, 4]), Tensor([2, 0, 1, 1]), Tensor([1.0, 2.0, 3.0, 4.0]), (4, 3))
    assert x.to_dense().asnumpy().tolist() == [[0, 0, 0], [2, 3, 1], [0, 0, 0], [0, 4, 0]]
    assert x.to_coo().indices.asnumpy().tolist() == [[1, 2], [1, 0], [1, 1], [3, 1]]


def test_a_row_tensor_has_its_rows_at_its_indices():
    x = RowTensor(Tensor([2, 0]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 2))
    assert RowTensorInner is RowTensor and x.dense_shape == x.shape == (3, 2)
    assert x.to_dense().asnumpy().tolist() == [[3, 4], [0, 0], [1, 2]]


@pytest.mark.parametrize("make", [coo, csr])
def test_sparse_tensors_have_the_attributes_of_tensors(make):
    x = make((-1.0, 2.0))
    assert (x.dtype, x.itemsize, x.ndim, x.size, x.shape) == (dyad.float32, 4, 2, 2, (2, 3))
    assert x.abs().values.asnumpy().tolist() == [1, 2] and (-x).values.asnumpy().tolist() == [1, -2]
    assert x.astype(dyad.float64).dtype == dyad.float64
    assert x.to_tuple()[-1] == (2, 3) and x.to_tuple()[-2] is x.values
    assert repr(x).startswith(f"{type(x).__name__}(shape=[2, 3], dtype=Float32, ind")


def test_a_graph_makes_and_takes_them():
    @jit
    def doubled(x):
        made = COOTensor(x.indices, x.values * 2, x.shape)
        return made.values, isinstance(x, (int, COOTensor)), isinstance(made, (Tensor, CSRTensor))

    for values in ((1.0, 2.0), (3.0, 5.0)):
        twice, is_coo, is_other = doubled(coo(values))
        assert is_coo and not is_other
        assert twice.asnumpy().tolist() == [2 * value for value in values]


def test_a_loop_on_data_carries_them():
    @jit
    def shifted(n, x):
        while n > 0:
            x = CSRTensor(x.indptr, x.indices, x.values + n, x.shape)
            n = n - 1
        return x.values

    assert shifted(Tensor(3.0), csr()).asnumpy().tolist() == [7, 8]


def test_gradients_reach_the_values():
    indices = Tensor([[0, 1], [1, 2]])
    weights = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def weighted(values):
        return (COOTensor(indices, values, (2, 3)).to_dense() * weights).sum()

    for form in (weighted, jit(weighted)):
        assert ops.grad(form)(Tensor([1.0, 1.0])).asnumpy().tolist() == [2, 6]


@pytest.mark.parametrize(
    "wrong, kind, text",
    [
        (lambda: COOTensor([[0, 1]], Tensor([1.0]), (2, 2)), TypeError, "COOTensor: indices is of type list"),
        (lambda: COOTensor(Tensor([[0.0, 1.0]]), Tensor([1.0]), (2, 2)), TypeError, "indices is of Float32"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), [2, 2]), TypeError, "need a tuple of ints"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, -2)), ValueError, "need sizes > 0"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0, 2.0]), (2, 2)), ValueError, r"\(n, 2\) and \(n,\)"),
        (lambda: CSRTensor(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), (2, 2)), ValueError, "the first is 1"),
        (
            lambda: CSRTensor(Tensor([0]), Tensor([0]), Tensor(1.0), (2, 2)),
            ValueError,
            "CSRTensor: indptr, ind",
        ),
        (lambda: RowTensor(Tensor([0]), Tensor([1.0]), (2, 2)), ValueError, "RowTensor: indices and values"),
        (lambda: sparse_tensor.COOTensors, AttributeError, "nearest is dyad.sparse.COOTensor"),
    ],
)
def test_wrong_parts_are_named(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


FORMS = pytest.mark.parametrize(
    "form", [lambda f: f, jit, jit(capture_mode="bytecode")], ids=["dynamic", "ast", "bytecode"]
)
WHOLE = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@FORMS
@pytest.mark.parametrize("make", [coo, csr])
def test_products_and_quotients_with_a_dense_tensor(make, form):
    f = form(lambda x, y: (x * y, y * x, x / y, x * 2))
    results = f(make(), WHOLE)
    assert all(type(result) is type(make()) for result in results)
    expected = ([2, 12], [2, 12], [0.5, 2 / 6], [2, 4])
    for result, values in zip(results, expected, strict=True):
        assert result.values.asnumpy().tolist() == pytest.approx(values)
    row = f(make(), Tensor([1.0, 2.0, 4.0]))[0]
    assert row.values.asnumpy().tolist() == [2, 8]


@FORMS
def test_sums_with_a_dense_tensor(form):
    f = form(lambda x, y: (x + y, y + x, x - y, y - x))
    whole, sparse = WHOLE.asnumpy(), coo().to_dense().asnumpy()
    expected = (sparse + whole, sparse + whole, sparse - whole, whole - sparse)
    for result, values in zip(f(coo(), WHOLE), expected, strict=True):
        assert result.asnumpy().tolist() == values.tolist()


@FORMS
@pytest.mark.parametrize("make", [coo, csr])
def test_sums_of_two_sparse_tensors(make, form):
    other = COOTensor(Tensor([[1, 1], [0, 1]]), Tensor([4.0, 3.0]), (2, 3))
    other = other if make is coo else other.to_csr()
    total, difference = form(lambda x, y: (x + y, x - y))(make(), other)
    assert type(total) is type(other) and total.values.asnumpy().tolist() == [4, 4, 2]
    assert total.to_dense().asnumpy().tolist() == [[0, 4, 0], [0, 4, 2]]
    assert difference.to_dense().asnumpy().tolist() == [[0, -2, 0], [0, -4, 2]]


@FORMS
def test_gradients_of_arithmetic(form):
    def f(values, y):
        x = COOTensor(Tensor([[0, 1], [1, 2]]), values, (2, 3))
        z = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), values, (2, 3))
        sparse = (x * y).values.sum() + (x + x).values.sum() + (z / y).values.sum() + (z - z * y).values.sum()
        return sparse + ((x + y) * y).sum() + z.mm(y.t()).sum()

    by_values, by_whole = dyad.grad(form(f), (0, 1))(Tensor([1.0, 2.0]), WHOLE)
    assert by_values.asnumpy().tolist() == pytest.approx(
        [2 + 2 + 0.5 + 1 - 2 + 2 + 7, 6 + 2 + 1 / 6 + 1 - 6 + 6 + 9]
    )
    expected = [2, 4 - 0.25 + 1 + 1, 6 + 2, 8, 10 + 1, 12 + 2 - 2 / 36 + 2]
    assert by_whole.asnumpy().ravel().tolist() == pytest.approx(expected)


@FORMS
def test_a_graph_reads_what_a_sparse_tensor_holds_now(form):
    f = form(lambda x: (x.to_dense(), x.abs().values, ops.coo_neg(x).values))
    x = coo()
    f(x)
    x.values = Tensor([-5.0, 7.0])
    whole, sizes, negative = f(x)
    assert whole.asnumpy().tolist() == [[0, -5, 0], [0, 0, 7]]
    assert sizes.asnumpy().tolist() == [5, 7] and negative.asnumpy().tolist() == [5, -7]
    gradient = dyad.grad(lambda v: f(coo()._with(v))[0].sum())(Tensor([1.0, 2.0]))
    assert gradient.asnumpy().tolist() == [1, 1]


def test_products_of_matrices():
    x, y = coo().to_dense().asnumpy(), WHOLE.asnumpy()
    assert csr().mm(WHOLE.t()).asnumpy().tolist() == (x @ y.T).tolist()
    assert csr().mv(Tensor([[1.0], [2.0], [3.0]])).asnumpy().tolist() == [[2], [6]]
    square = ops.csr_mm(csr(), csr(), trans_b=True)
    assert isinstance(square, CSRTensor) and square.to_dense().asnumpy().tolist() == (x @ x.T).tolist()
    assert csr().sum(1).asnumpy().tolist() == [[1], [2]] and csr().sum(0).asnumpy().tolist() == [[0, 1, 2]]


def test_what_has_no_meaning_is_refused():
    for f in (lambda: coo() + 2, lambda: csr() + WHOLE, lambda: WHOLE / coo(), lambda: coo() * coo()):
        with pytest.raises(TypeError, match="unsupported operand"):
            f()
    with pytest.raises(ValueError, match="need the same"):
        coo() + COOTensor(Tensor([[0, 0]]), Tensor([1.0]), (1, 1))
    with pytest.raises(TypeError, match="need a COOTensor alone"):
        COOTensor(Tensor([[0]]), coo_tensor=coo())


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_a_sparse_result_is_differentiated_by_its_values(form):
    factors = Tensor([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])

    def scaled(values):
        return CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), values, (2, 3)) * factors

    got = form(lambda values: ops.GradOperation()(scaled)(values))(Tensor([1.0, 2.0]))
    assert got.asnumpy().tolist() == [2, 3]
    x = Tensor(DENSE)
    got = ops.GradOperation(sens_param=True)(form(lambda dense: dense.to_csr()))(x, x.to_csr())
    assert got.asnumpy().tolist() == DENSE


def test_sums_have_the_dtype_of_both():
    whole = COOTensor(Tensor([[0, 0]]), Tensor([1], dyad.int32), (1, 2))
    half = COOTensor(Tensor([[0, 0]]), Tensor([0.5]), (1, 2))
    assert (whole + half).values.asnumpy().tolist() == [1.5] == (half + whole).values.asnumpy().tolist()


def test_slices_in_compressed_rows_are_summed():
    x = CSRTensor(Tensor([0, 2, 2]), Tensor([0, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 3, 2))
    assert x.sum(1).asnumpy().tolist() == [[[4, 6]], [[0, 0]]]
    parts = x.indptr, x.indices, x.values, x.shape
    assert _csr_ops.CSRReduceSum()(*parts, 1).asnumpy().tolist() == [[[4, 6]], [[0, 0]]]
    assert _csr_ops.CSRMul()(*parts, Tensor([[[2.0, 3.0]]])).asnumpy().tolist() == [[2, 6], [6, 12]]


def test_repr_of_sparse_tensors_shows_their_parts():
    assert repr(csr()) == (
        "CSRTensor(shape=[2, 3], dtype=Float32, indptr=Tensor(shape=[3], dtype=Int64, value=[0 1 2]), "
        "indices=Tensor(shape=[2], dtype=Int64, value=[1 2]), "
        "values=Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00]))"
    )
    assert ops.dtype(coo()) == dyad.float32
