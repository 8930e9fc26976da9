"""Gradients of draws by the parameters of their distribution: the draw moves, its place in the distribution stays."""

import numpy as np
from scipy import special
from test_gradient_conventions import gradients

import dyad
from dyad import Tensor, grad, ops


def drawn(function, *arrays):
    """A draw and its gradients by the parameters."""
    kept = []

    def noted(*tensors):
        kept.append(function(*tensors))
        return kept[-1]

    found = gradients(noted, *arrays)
    return kept[0].asnumpy(), [gradient.asnumpy() for gradient in found]


def test_a_gamma_number_moves_along_its_quantile():
    alpha = np.array([0.7, 2.0, 9.0])
    z, (gradient,) = drawn(lambda a: ops.random_gamma((4,), a, seed=3), alpha)
    place, step = special.gammainc(alpha, z), 1e-5
    ahead, behind = special.gammaincinv(alpha + step, place), special.gammaincinv(alpha - step, place)
    expected = np.sum((ahead - behind) / (2 * step), axis=0)
    assert gradient.shape == alpha.shape
    assert np.allclose(gradient, expected, rtol=1e-4)


def test_a_gamma_number_scales_with_its_rate():
    alpha, beta = np.float32([2.0, 3.0]), np.float32([0.5, 4.0])
    z, (_, by_rate) = drawn(lambda a, b: ops.gamma((3,), a, b, seed=3), alpha, beta)
    assert np.allclose(by_rate, np.sum(-z / beta, axis=0), rtol=1e-5)


def test_a_uniform_number_moves_with_its_bounds():
    low, high = np.float32([0.0, 1.0]), np.float32([2.0, 5.0])
    z, (by_low, by_high) = drawn(lambda a, b: ops.uniform((3, 2), a, b, seed=5), low, high)
    part = (z - low) / (high - low)
    assert np.allclose(by_high, part.sum(0), rtol=1e-5)
    assert np.allclose(by_low, (1 - part).sum(0), rtol=1e-5)


def test_what_dropout_keeps_passes_the_gradient():
    x = np.ones((20, 10), np.float32)
    kept, (gradient,) = drawn(lambda t: ops.dropout(t, p=0.5, training=True), x)
    assert 0 < np.count_nonzero(kept) < kept.size
    assert np.array_equal(gradient, kept)


def test_a_shuffle_takes_the_gradient_back_to_its_rows():
    x = Tensor(np.arange(5, dtype=np.float32))
    order, (gradient,) = drawn(lambda t: ops.shuffle(t, seed=1) * Tensor(np.float32([1, 2, 3, 4, 5])), x)
    rows = (order / np.arange(1, 6)).astype(int)
    assert gradient[rows].tolist() == [1, 2, 3, 4, 5]


def test_the_mask_of_dropout_is_constant_for_second_derivatives():
    """The gradient multiplies with the mask, which is a result of the draw too."""
    x = Tensor(np.float32([1.0, 2.0, 3.0, 4.0]))

    def slope(t):
        return grad(lambda u: ops.dropout(u**3, 0.5).sum())(t).sum()

    dyad.set_seed(3)
    first = grad(lambda u: ops.dropout(u**3, 0.5).sum())(x).asnumpy()
    dyad.set_seed(3)
    second = grad(slope)(x).asnumpy()
    assert (first != 0).any()
    assert np.allclose(second, first * 2 / x.asnumpy())
