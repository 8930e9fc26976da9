"""Counts in bins on the device, against NumPy."""

import warnings

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core, ops

RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def on_the_device_itself():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that something is computed on the CPU
        yield


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
@pytest.mark.parametrize("count", [0, 1, 3, 257, 5000])
def test_bincount_agrees_with_numpy(count, dtype):
    values = RNG.integers(0, 100, size=count).astype(dtype)
    weights = RNG.normal(size=count).astype(np.float32)
    for least in (0, 7, 200):
        found = ops.bincount(Tensor(values), minlength=least).asnumpy()
        assert np.array_equal(found, np.bincount(values.astype(np.int64), minlength=least))
        found = _core.named_op("bincount")(Tensor(values), Tensor(weights), least, dyad.float64)
        wanted = np.bincount(values.astype(np.int64), weights.astype(np.float64), least)
        np.testing.assert_allclose(found.asnumpy(), wanted, atol=1e-9)


def test_bincount_of_a_view():
    values = RNG.integers(0, 9, size=(2, 40)).astype(np.int32)
    found = ops.bincount(Tensor(values)[1, ::3]).asnumpy()
    assert np.array_equal(found, np.bincount(values[1, ::3]))


def test_bincount_of_negative_numbers():
    with pytest.raises(ValueError, match="input holds -3; it must hold no negative numbers"):
        ops.bincount(Tensor(np.array([4, -3, 2]))).asnumpy()


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int32"])
@pytest.mark.parametrize("count", [1, 5, 3000])
@pytest.mark.parametrize("bounds", [(0.0, 0.0), (-1.0, 2.0)])
def test_histc_agrees_with_numpy(bounds, count, dtype):
    values = (RNG.normal(size=count) * 3).astype(dtype)
    low, high = bounds
    found = ops.histc(Tensor(values), 12, low, high).asnumpy()
    wide = values.astype(np.float64)
    if low == high:
        low, high = wide.min(), wide.max()
    if low == high:
        low, high = low - 1, high + 1
    inside = wide[(wide >= low) & (wide <= high)]
    places = np.minimum(((inside - low) / (high - low) * 12).astype(np.int64), 11)
    assert np.array_equal(found, np.bincount(places, minlength=12))


def test_histc_leaves_out_nan():
    values = np.array([1.0, np.nan, 3.0, 2.0, np.nan], np.float32)
    assert ops.histc(Tensor(values), 2).asnumpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="it must be finite"):
        ops.histc(Tensor(np.array([np.inf, 1.0], np.float32)), 2).asnumpy()
