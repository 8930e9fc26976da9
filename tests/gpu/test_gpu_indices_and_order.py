"""Elements chosen by indices, scans, extremes and sorting on the device, against NumPy."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "complex128", "bool"])
def test_rows_are_picked(dtype):
    values = RNG.integers(0, 2 if dtype == "bool" else 50, size=(6, 5, 4)).astype(dtype)
    rows = np.array([[4, 0], [-1, 3]])
    columns = np.array([1, -2])
    assert np.array_equal(Tensor(values)[Tensor(rows)].asnumpy(), values[rows])
    assert np.array_equal(Tensor(values)[Tensor(rows), Tensor(columns)].asnumpy(), values[rows, columns])
    assert np.array_equal(Tensor(values)[:, Tensor(columns)].asnumpy(), values[:, columns])
    turned = ops.transpose(Tensor(values), (2, 0, 1))
    assert np.array_equal(turned[Tensor(columns)].asnumpy(), values.transpose(2, 0, 1)[columns])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint16", "int64", "float64"])
def test_values_that_meet_are_added(dtype):
    target = np.zeros((9, 3), dtype)
    rows = RNG.integers(0, 9, size=200)
    values = RNG.integers(0, 3, size=(200, 3)).astype(dtype)
    wanted = target.copy()
    np.add.at(wanted, rows, values)
    result = ops.index_add(Tensor(target), Tensor(rows.astype(np.int32)), Tensor(values), 0)
    assert np.array_equal(result.asnumpy(), wanted)


def test_gradient_of_a_table():
    table = Tensor(RNG.normal(size=(11, 4)).astype(np.float32))
    ids = RNG.integers(0, 11, size=(5, 7))
    gradient = dyad.grad(lambda t: ops.gather(t, Tensor(ids), 0).sum())(table)
    wanted = np.zeros((11, 4), np.float32)
    np.add.at(wanted, ids, 1)
    assert np.array_equal(gradient.asnumpy(), wanted)


def test_an_index_out_of_range_is_raised_when_the_host_waits():
    with pytest.raises(IndexError, match="index 9 is out of range"):
        Tensor(np.zeros(4, np.float32))[Tensor(np.array([1, 9]))].asnumpy()
    assert Tensor([1.0]).asnumpy() == 1.0


def test_elements_along_an_axis():
    values = RNG.normal(size=(4, 6)).astype(np.float32)
    index = RNG.integers(0, 6, size=(4, 3))
    picked = ops.gather_elements(Tensor(values), 1, Tensor(index))
    assert np.array_equal(picked.asnumpy(), np.take_along_axis(values, index, 1))


@pytest.mark.parametrize("shape", [(7,), (3, 1000), (1000, 3), (2, 5, 40)])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_running_sums(shape, dtype):
    values = RNG.integers(-9, 9, size=shape).astype(dtype)
    for axis in range(len(shape)):
        assert np.array_equal(ops.cumsum(Tensor(values), axis).asnumpy(), np.cumsum(values, axis)), axis


@pytest.mark.parametrize("shape", [(5,), (4, 300), (300, 4)])
def test_places_of_extremes(shape):
    values = RNG.integers(-9, 9, size=shape).astype(np.float32)
    for axis in range(len(shape)):
        assert np.array_equal(ops.argmax(Tensor(values), axis).asnumpy(), values.argmax(axis))
        assert np.array_equal(ops.argmin(Tensor(values), axis).asnumpy(), values.argmin(axis))
    values.flat[3] = np.nan
    assert ops.argmax(Tensor(values)).asnumpy() == 3


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 1024, 1025, 5000])
@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_sorting_keeps_equals_in_order(count, dtype):
    values = RNG.integers(0, 90, size=(2, count)).astype(dtype)
    ordered, places = ops.sort(Tensor(values), -1)
    assert np.array_equal(ordered.asnumpy(), np.sort(values, -1))
    assert np.array_equal(places.asnumpy(), np.argsort(values, -1, kind="stable"))


def test_nan_is_sorted_last():
    ordered, _ = ops.sort(Tensor(np.array([2, np.nan, 1], np.float32)))
    assert np.array_equal(ordered.asnumpy(), np.array([1, 2, np.nan], np.float32), equal_nan=True)


def test_the_largest():
    values = RNG.permutation(4000).astype(np.float32).reshape(4, 1000)
    largest, places = ops.topk(Tensor(values), 5)
    assert np.array_equal(largest.asnumpy(), -np.sort(-values, -1)[:, :5])
    assert np.array_equal(np.take_along_axis(values, places.asnumpy().astype(np.int64), 1), largest.asnumpy())


def test_joined_and_padded():
    a = RNG.normal(size=(2, 3)).astype(np.float32)
    b = RNG.normal(size=(2, 4)).astype(np.float32)
    assert np.array_equal(ops.concat([Tensor(a), Tensor(b)], 1).asnumpy(), np.concatenate([a, b], 1))
    assert np.array_equal(ops.stack([Tensor(a), Tensor(a).T.T], 1).asnumpy(), np.stack([a, a], 1))
    assert np.array_equal(ops.pad(Tensor(a), (1, 2)).asnumpy(), np.pad(a, ((0, 0), (1, 2))))
    assert np.array_equal(ops.tril(Tensor(a)).asnumpy(), np.tril(a))


@pytest.mark.parametrize("shape", [(1,), (5000,), (70, 300), (3, 0, 2)])
def test_places_of_true_elements(shape):
    values = RNG.random(shape) > 0.6
    assert np.array_equal(ops.nonzero(Tensor(values)).asnumpy(), np.argwhere(values))
