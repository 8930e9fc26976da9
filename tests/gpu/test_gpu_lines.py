"""Softmax, normalization of rows and attention on the device, at lengths around those of warps and blocks."""

import warnings

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
def test_softmax_log_softmax_and_logsumexp_agree_with_numpy(shape, dtype):
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


def attended(query, key, value, mask, causal, scale):
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return softmax_of(scores) @ value


ATTENTION = [
    # query, key, value, mask, causal
    ((5, 4), (7, 4), (7, 3), None, False),
    ((2, 3, 65, 8), (2, 3, 65, 8), (2, 3, 65, 8), None, True),
    ((2, 3, 5, 8), (3, 300, 8), (300, 2), (5, 300), False),
    ((2, 1, 9, 8), (1, 3, 9, 8), (9, 2), (2, 1, 1, 9), True),
    ((3, 2, 4), (3, 1100, 4), (3, 1100, 6), (3, 1, 1), False),
    ((2, 6, 4), (2, 3, 4), (2, 3, 4), (6, 3), True),
    ((1, 1, 1, 2, 1, 1, 2, 1, 3, 4), (5, 4), (5, 2), (2, 1, 1, 2, 1, 3, 5), False),
    ((0, 3, 4), (0, 2, 4), (0, 2, 4), None, False),
    ((2, 0, 4), (2, 3, 4), (2, 3, 4), None, True),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("query", "key", "value", "mask", "causal"), ATTENTION)
def test_attention_agrees_with_numpy(query, key, value, mask, causal, dtype):
    (q, query), (k, key), (v, value) = (tensors(shape, dtype)[0] for shape in (query, key, value))
    m, mask = tensors(mask, dtype)[0] if mask else (None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that it is computed on the CPU
        result = dyad._core.named_op("attention")(query, key, value, mask, causal, 0.4)
    wanted = attended(q, k, v, m, causal, 0.4)
    tolerance = {"float32": 2e-5, "float64": 1e-12, "float16": 2e-2, "bfloat16": 1.5e-1}[dtype]
    found = result.astype(dyad.float64).asnumpy()
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max(initial=0) <= tolerance * np.abs(v).max(initial=1)


def test_attention_to_hidden_keys():
    """A mask of infinities hides keys; where all are hidden there is no number to give."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=(4, 8)).astype(np.float32) for _ in range(3))
    mask = np.where(np.eye(4, dtype=bool), -np.inf, 0).astype(np.float32)
    mask[2] = -np.inf
    result = dyad._core.named_op("attention")(*map(Tensor, (q, k, v, mask)), False, 0.5).asnumpy()
    with np.errstate(invalid="ignore"):
        wanted = attended(q, k, v, mask, False, 0.5)
    assert np.isnan(result[2]).all()
    np.testing.assert_allclose(np.delete(result, 2, 0), np.delete(wanted, 2, 0), rtol=1e-5, atol=1e-6)
