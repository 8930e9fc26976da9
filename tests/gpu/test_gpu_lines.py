"""Softmax and normalisation of rows on the device at lengths around those that warps and blocks keep."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, ops

# rows and their length: a warp for each, a block for each, and lines that no team keeps whole.
LINES = [
    *((3, count) for count in (1, 5, 31, 33, 255, 256, 257, 1023, 1024, 1028, 2049, 4096, 8192, 8196, 9001)),
    (520, 700),
    (513, 1001),
    (514, 1024),
]
DTYPES = ["float32", "float64", "float16", "bfloat16"]
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "float16": 2e-3, "bfloat16": 1.6e-2}


def tensors(shape, dtype, count=1):
    """Numbers of a dtype in float64, and their tensors; every second tensor begins at an odd address."""
    rng = np.random.default_rng(7)
    made = []
    for i in range(count):
        flat = rng.normal(size=1 + int(np.prod(shape))) * 3
        flat = Tensor(flat).astype(getattr(dyad, dtype))
        one = flat[i % 2 :][: int(np.prod(shape))].reshape(shape)
        made.append((one.astype(dyad.float64).asnumpy(), one))
    return made


def assert_near(result, wanted, dtype):
    found = result.astype(dyad.float64).asnumpy()
    scale = np.maximum(np.abs(wanted).max(initial=0), 1e-3)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max(initial=0) <= TOLERANCE[dtype] * scale * 4


def softmax_of(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", LINES, ids=str)
def test_softmax(shape, dtype):
    for values, x in tensors(shape, dtype, 2):
        assert_near(ops.softmax(x, -1), softmax_of(values), dtype)
        assert_near(ops.log_softmax(x, -1), np.log(softmax_of(values)), dtype)
        assert_near(ops.logsumexp(x, -1), np.log(np.exp(values).sum(-1)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", LINES, ids=str)
def test_gradients_of_softmax(shape, dtype):
    """Both operands begin at an even address, or only one of them."""
    for first, second in ((0, 0), (0, 1), (1, 0)):
        pairs = tensors(shape, dtype, 4)
        (g, by), (y, result) = pairs[first], pairs[2 + second]
        found = dyad._core.named_op("softmax_grad")(by, result, -1)
        assert_near(found, y * (g - (g * y).sum(-1, keepdims=True)), dtype)
        y = np.clip(y, -4, 0)
        result = Tensor(y).astype(result.dtype)
        y = result.astype(dyad.float64).asnumpy()
        found = dyad._core.named_op("log_softmax_grad")(by, result, -1)
        assert_near(found, g - np.exp(y) * g.sum(-1, keepdims=True), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", LINES, ids=str)
def test_layer_norm(shape, dtype):
    count = shape[1]
    (weights, weight), (biases, bias) = tensors((count,), dtype, 2)
    for values, x in tensors(shape, dtype, 2):
        normal = (values - values.mean(-1, keepdims=True)) / np.sqrt(values.var(-1, keepdims=True) + 1e-3)
        result = ops.layer_norm(x, (count,), weight, bias, eps=1e-3)
        assert_near(result, normal * weights + biases, dtype)


@pytest.mark.parametrize("shape", LINES, ids=str)
def test_gradients_of_layer_norm(shape):
    count = shape[1]
    (_, x), (_, weight), (_, g) = (tensors(s, "float32")[0] for s in (shape, (count,), shape))
    bias = ops.zeros_like(weight)

    def total(x, weight, bias):
        return (ops.layer_norm(x, (count,), weight, bias, eps=1e-3) * g).sum()

    ours = grad(total, (0, 1, 2))(x, weight, bias)
    dyad.set_context(device_target="CPU")
    try:
        x, weight, bias, g = (one.to("CPU") for one in (x, weight, bias, g))
        theirs = grad(total, (0, 1, 2))(x, weight, bias)
    finally:
        dyad.set_context(device_target="GPU")
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-3)
