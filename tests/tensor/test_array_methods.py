"""Methods of arrays that tensors have too: as NumPy states them."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit
from dyad import numpy as mnp

FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


@FORMS
def test_choose_agrees_with_numpy(form):
    which = np.array([[0, 2], [1, 0]])
    arrays = [np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]]), np.array([7.0, 8.0])]
    f = form(lambda x, *choices: x.choose(choices))
    assert f(Tensor(which), *map(Tensor, arrays)).asnumpy().tolist() == np.choose(which, arrays).tolist()
    assert Tensor([4, -1]).choose([[1, 2], [3, 4]], mode="wrap").asnumpy().tolist() == [1, 4]
    assert Tensor([4, -1]).choose([[1, 2], [3, 4]]).asnumpy().tolist() == [3, 2]
    with pytest.raises(ValueError, match="mode is 'raise'"):
        Tensor([0]).choose([1], mode="raise")


@FORMS
@pytest.mark.parametrize(
    "make",
    [
        lambda x: Tensor([[0, 0], [0, 0]]).choose([x]),
        lambda x: mnp.choose(Tensor([[0, 0], [0, 0]]), [x]),
        lambda x: mnp.interp(Tensor([[0.0, 1.0], [2.0, 3.0]]), x[:1], x[:1]),
        lambda x: mnp.pad(x + mnp.zeros((2, 2)), 0),
    ],
    ids=["choose", "numpy.choose", "numpy.interp", "numpy.pad"],
)
def test_a_result_has_elements_of_its_own(form, make):
    x = Tensor([5.0, 6.0])
    result = form(make)(x)
    expected = result.asnumpy().copy()
    assert expected.shape == (2, 2)
    result[0, 0] = expected[0, 0] = 9.0
    assert result.asnumpy().tolist() == expected.tolist()
    assert x.asnumpy().tolist() == [5, 6]


def test_one_array_is_spread_over_the_places():
    assert Tensor([0, 0, 0]).choose([Tensor([5.0])]).asnumpy().tolist() == [5, 5, 5]


@FORMS
def test_resize_cuts_and_pads_with_zeros(form):
    x = Tensor(np.arange(6.0).reshape(2, 3))
    few, many = form(lambda x: (x.resize(4), x.resize((2, 4))))(x)
    assert few.asnumpy().tolist() == [0, 1, 2, 3]
    assert many.asnumpy().tolist() == [[0, 1, 2, 3], [4, 5, 0, 0]]
    with pytest.raises(ValueError, match=r"the shape is \(-1,\)"):
        x.resize(-1)
    assert form(lambda x: x.resize())(x).asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]


@FORMS
def test_searchsorted_in_many_sequences(form):
    rows, values = np.array([[3.0, 1, 2], [9, 7, 8]]), np.array([[1.5, 2.0], [7.5, 10]])
    order = np.argsort(rows, -1)
    pairs = zip(np.sort(rows), values, strict=True)
    expected = [np.searchsorted(row, looked_for, "right") for row, looked_for in pairs]
    f = form(lambda x, v, order: x.searchsorted(v, side="right", sorter=order))
    found = f(Tensor(rows), Tensor(values), Tensor(order))
    assert found.dtype == dyad.int32 and found.asnumpy().tolist() == np.array(expected).tolist()
    assert Tensor([1.0, 3.0]).searchsorted([[2], [4]]).asnumpy().tolist() == [[1], [2]]


@FORMS
def test_take_clips_and_wraps(form):
    x = Tensor(np.arange(6.0).reshape(2, 3))
    f = form(lambda x, i: (x.take(i), x.take(i, 0), x.take(indices=i, axis=1, mode="wrap")))
    flat, rows, columns = f(x, Tensor([1, 7, -1]))
    assert flat.asnumpy().tolist() == [1, 5, 5]
    assert rows.asnumpy().tolist() == [[3, 4, 5], [3, 4, 5], [3, 4, 5]]
    assert columns.asnumpy().tolist() == [[1, 1, 2], [4, 4, 5]]
    with pytest.raises(IndexError, match="index 7 is out of range"):
        x.take(Tensor([7]), mode="raise")


def test_distinct_elements_filled_up():
    values, places = Tensor([5, 5, 2]).unique_with_pad(9)
    assert values.asnumpy().tolist() == [5, 2, 9] and places.asnumpy().tolist() == [0, 0, 1]


@FORMS
def test_sparse_forms(form):
    coo, csr = form(lambda x: (x.to_coo(), x.to_csr()))(Tensor([[0.0, 3.0], [4.0, 0.0]]))
    assert coo.indices.asnumpy().tolist() == [[0, 1], [1, 0]] and coo.values.asnumpy().tolist() == [3, 4]
    assert csr.indptr.asnumpy().tolist() == [0, 1, 2] and csr.indices.dtype == dyad.int32
