"""Copies, casts, new tensors and reductions on the device, against NumPy."""

import numpy as np
import pytest

from dyad import Tensor, _core, ops

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "complex64", "complex128",
]  # fmt: skip
SHAPES = [
    ((), None),
    ((7,), 0),
    ((3, 40), 1),
    ((40, 3), 0),
    ((2, 33, 5), (0, 2)),
    ((1, 5000), 1),
    ((300, 1), 0),
]


def dyad_dtype(name):
    return _core.bool_ if name == "bool" else getattr(_core, name)


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, size=shape)
    return values.astype(dtype) if dtype != "complex64" else (values + 1j).astype(dtype)


@pytest.mark.parametrize("source", DTYPES)
def test_a_cast_to_every_dtype_agrees_with_numpy(source):
    values = numbers((13, 5), source)
    for target in DTYPES:
        wanted = (
            values.real.astype(target)
            if "complex" in source and "complex" not in target
            else values.astype(target)
        )
        if target == "bool":
            wanted = values != 0
        assert np.array_equal(Tensor(values).astype(dyad_dtype(target)).asnumpy(), wanted), target
        turned = Tensor(values).T.astype(dyad_dtype(target)).asnumpy()
        assert np.array_equal(turned, wanted.T), target


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("shape", [(33, 70), (4, 17, 40), (2, 3, 4, 5)])
def test_transposed_copies(dtype, shape):
    values = numbers(shape, dtype)
    order = tuple(reversed(range(len(shape))))
    copied = ops.transpose(Tensor(values), order).contiguous()
    assert np.array_equal(copied.asnumpy(), values.transpose(order))


def test_copies_onto_itself():
    x = Tensor(np.arange(10, dtype=np.float32))
    x[1:] = x[:-1]
    assert np.array_equal(x.asnumpy(), [0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def test_new_tensors():
    assert np.array_equal(ops.full((3, 5), 2.5).asnumpy(), np.full((3, 5), 2.5, np.float32))
    assert np.array_equal(ops.arange(3, 40, 4).asnumpy(), np.arange(3, 40, 4))
    assert np.allclose(ops.arange(0.0, 2.0, 0.25).asnumpy(), np.arange(0.0, 2.0, 0.25))
    assert np.allclose(ops.linspace(-1, 1, 9).asnumpy(), np.linspace(-1, 1, 9))
    assert np.array_equal(ops.eye(3, 5, _core.int32).asnumpy(), np.eye(3, 5, dtype=np.int32))
    assert ops.zeros((0, 4)).shape == (0, 4)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "float16", "complex64"])
def test_a_sum_over_any_axes_agrees_with_numpy(shape, axis, dtype):
    values = numbers(shape, dtype)
    wide = values.astype(np.complex128 if "complex" in dtype else np.float64)
    result = ops.sum(Tensor(values), axis).asnumpy()
    assert np.allclose(result.astype(wide.dtype), wide.sum(axis), rtol=1e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_means_and_extremes(shape, axis):
    values = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    axes = () if axis is None else axis
    assert np.allclose(ops.mean(Tensor(values), axes).asnumpy(), values.mean(axis), atol=1e-6)
    assert np.array_equal(ops.amax(Tensor(values), axes).asnumpy(), values.max(axis))
    assert np.array_equal(ops.amin(Tensor(values), axes).asnumpy(), values.min(axis))
    assert np.array_equal((Tensor(values) > 0).all(axis).asnumpy(), (values > 0).all(axis))
    assert np.array_equal((Tensor(values) > 0).any(axis).asnumpy(), (values > 0).any(axis))


@pytest.mark.parametrize("shape", [(1, 300000), (300000, 1), (3, 100000), (100000, 3), (70, 5000)])
@pytest.mark.parametrize("axis", [0, 1])
def test_long_axes(shape, axis):
    values = np.random.default_rng(4).normal(size=shape).astype(np.float32)
    assert np.allclose(
        ops.sum(Tensor(values), axis).asnumpy(), values.astype(np.float64).sum(axis), atol=1e-3
    )


def test_nan_wins():
    values = np.ones((4, 500), np.float32)
    values[2, 77] = np.nan
    assert np.array_equal(np.isnan(ops.amax(Tensor(values), 1).asnumpy()), [False, False, True, False])


def test_nothing_to_reduce():
    assert ops.sum(Tensor(np.zeros((0, 3), np.float32)), 0).asnumpy().tolist() == [0, 0, 0]


def test_gradient_of_what_was_spread():
    from dyad import grad

    a = Tensor(np.ones((4, 5, 6), np.float32))
    gradient = grad(lambda b: (a * b).sum())(Tensor(np.ones((5, 1), np.float32)))
    assert np.array_equal(gradient.asnumpy(), np.full((5, 1), 24, np.float32))
