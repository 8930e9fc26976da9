"""Convolutions and their gradients on the device, against NumPy."""

import numpy as np
import pytest
from device_samples import faults_of, table_entries
from reference_neural import convolution as expected_convolution

import dyad
from dyad import Tensor, grad, ops

PROBLEMS = [
    # images, filters, stride, padding, dilation, groups
    ((2, 3, 17), (5, 3, 4), (2,), (1, 2), (1,), 1),
    ((2, 4, 9, 8), (6, 4, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 4, 9, 8), (6, 2, 3, 2), (2, 1), (1, 0, 0, 2), (1, 2), 2),
    ((1, 6, 7, 7), (6, 1, 3, 3), (2, 2), (0, 1, 0, 1), (1, 1), 6),
    ((3, 8, 5, 5), (16, 8, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1),
    ((1, 8, 5, 7), (12, 8, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((3, 8, 5, 7), (12, 8, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((2, 8, 5, 7), (12, 4, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 2),
    ((3, 5, 9, 11), (7, 5, 3, 2), (3, 2), (2, 2, 1, 1), (2, 3), 1),
    ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), (1, 2, 1), (0, 1, 1, 1, 2, 0), (1, 1, 2), 1),
]


@pytest.mark.parametrize(
    "op",
    table_entries("convolution", "convolution_input_gradient", "convolution_weight_gradient"),
    ids=lambda op: op["name"],
)
def test_convolution_samples_of_the_table_agree_with_numpy(op):
    faults = faults_of(op)
    assert not faults, "\n" + "\n".join(faults[:4])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("images", "filters", "stride", "padding", "dilation", "groups"), PROBLEMS)
def test_as_numpy(images, filters, stride, padding, dilation, groups, dtype):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=images).astype(dtype), rng.normal(size=filters).astype(dtype)
    bias = rng.normal(size=filters[:1]).astype(dtype)
    convolve = dyad._core.named_op("convolution")
    result = convolve(Tensor(x), Tensor(w), Tensor(bias), stride, padding, dilation, groups).asnumpy()
    operands = [values.astype(np.float64) for values in (x, w, bias)]
    wanted = expected_convolution(*operands, stride, padding, dilation, groups)
    tolerance = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}[dtype]
    assert np.abs(result - wanted).max() <= tolerance * np.abs(wanted).max()


@pytest.mark.parametrize(("images", "filters", "stride", "padding", "dilation", "groups"), PROBLEMS)
def test_gradients_are_adjoint(images, filters, stride, padding, dilation, groups):
    """<convolve(x, w), g> is linear in x and in w: its gradients give it back."""
    rng = np.random.default_rng(0)
    x, w = Tensor(rng.normal(size=images)), Tensor(rng.normal(size=filters))
    convolve = dyad._core.named_op("convolution")
    g = Tensor(rng.normal(size=convolve(x, w, None, stride, padding, dilation, groups).shape))

    def product(x, w):
        return (convolve(x, w, None, stride, padding, dilation, groups) * g).sum()

    value = product(x, w).asnumpy()
    by_x, by_w = grad(product, (0, 1))(x, w)
    assert by_x.shape == x.shape
    assert by_w.shape == w.shape
    assert np.allclose((by_x * x).sum().asnumpy(), value)
    assert np.allclose((by_w * w).sum().asnumpy(), value)


def test_views_and_repeated_problems():
    rng = np.random.default_rng(1)
    for _ in range(3):
        x = rng.normal(size=(2, 9, 8, 4)).astype(np.float32)
        w = rng.normal(size=(6, 4, 3, 3)).astype(np.float32)
        result = ops.conv2d(Tensor(x).transpose(0, 3, 1, 2), Tensor(w), pad_mode="same").asnumpy()
        wanted = expected_convolution(x.transpose(0, 3, 1, 2), w, None, (1, 1), (1, 1, 1, 1), (1, 1), 1)
        assert np.abs(result - wanted).max() <= 1e-4


def test_deterministic_algorithms():
    rng = np.random.default_rng(2)
    x, w = (
        Tensor(rng.normal(size=(4, 8, 12, 12)).astype(np.float32)),
        Tensor(rng.normal(size=(8, 8, 3, 3)).astype(np.float32)),
    )
    dyad.set_deterministic(True)
    try:
        loss = grad(lambda x, w: (ops.conv2d(x, w) ** 2).sum(), (0, 1))
        first, second = (tuple(g.asnumpy() for g in loss(x, w)) for _ in range(2))
    finally:
        dyad.set_deterministic(False)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_memory_of_a_convolution_is_given_back():
    """Ways to compute it are measured at the first use; nothing of that stays in use."""
    rng = np.random.default_rng(3)
    x, w = Tensor(rng.normal(size=(2, 6, 10, 10))), Tensor(rng.normal(size=(4, 6, 3, 3)))
    before = dyad.runtime.memory_allocated()
    result = ops.conv2d(x, w)
    result.asnumpy()
    assert dyad.runtime.memory_allocated() - before <= 512 * (1 + result.size * 8 // 512)
