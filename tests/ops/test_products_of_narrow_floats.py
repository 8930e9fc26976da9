"""Products of float16 and bfloat16: sums in float32, one rounding at the end, whatever way they are computed."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops

ROUNDING = {dyad.float16: 2**-10, dyad.bfloat16: 2**-7}


def random(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def require_close(got, expected, dtype):
    assert got.dtype == dtype
    scale = np.abs(expected).max()
    np.testing.assert_allclose(
        got.asnumpy().astype(np.float32), expected, rtol=ROUNDING[dtype], atol=1e-5 * scale
    )


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("sizes", [(1, 7, 5), (9, 33, 17), (64, 300, 130), (128, 512, 256)])
@pytest.mark.parametrize("flipped", ["neither", "first", "second", "both"])
def test_products_are_summed_in_float32_and_rounded_once(dtype, sizes, flipped):
    rows, inner, columns = sizes
    first = random(*((inner, rows) if flipped in ("first", "both") else (rows, inner)), seed=1).astype(dtype)
    second = random(
        *((columns, inner) if flipped in ("second", "both") else (inner, columns)), seed=2
    ).astype(dtype)
    first = first.T if flipped in ("first", "both") else first
    second = second.T if flipped in ("second", "both") else second
    expected = first.astype(dyad.float32).asnumpy() @ second.astype(dyad.float32).asnumpy()
    require_close(ops.matmul(first, second), expected, dtype)


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("rows", [3, 200])
def test_layer_with_bias(dtype, rows):
    x, weight, bias = (random(*shape, seed=3).astype(dtype) for shape in ((rows, 300), (256, 300), (256,)))
    wide = [operand.astype(dyad.float32).asnumpy() for operand in (x, weight, bias)]
    require_close(ops.dense(x, weight, bias), wide[0] @ wide[1].T + wide[2], dtype)


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
def test_parts_of_a_tensor(dtype):
    first, second = random(80, 600, seed=4).astype(dtype), random(2, 300, 400, seed=5).astype(dtype)
    parts = first[:, ::2], second[1, :, 100:]
    expected = parts[0].astype(dyad.float32).asnumpy() @ parts[1].astype(dyad.float32).asnumpy()
    require_close(ops.matmul(*parts), expected, dtype)


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
def test_nan_and_infinity(dtype):
    first = random(128, 512).asnumpy()
    first[3, 4], first[5, 6] = np.nan, np.inf
    result = (
        ops.matmul(Tensor(first).astype(dtype), ops.abs(random(512, 256)).astype(dtype))
        .asnumpy()
        .astype(np.float32)
    )
    assert np.isnan(result[3]).all() and np.isposinf(result[5]).all()
    assert np.isfinite(np.delete(result, [3, 5], axis=0)).all()
