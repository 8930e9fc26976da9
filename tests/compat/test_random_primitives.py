"""Random Primitives of MindSpore 1: ranges, rates, dtypes and rejected arguments."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops


def test_even_numbers():
    x = ops.Uniform(2.0, 4.0)(ops.zeros((50, 40), dyad.float64))
    assert x.dtype == dyad.float64 and x.shape == (50, 40)
    assert x.min() >= 2 and x.max() <= 4 and abs(x.mean() - 3) < 0.1
    with pytest.raises(ValueError, match="need less than maxval"):
        ops.Uniform(2.0, 1.0)
    with pytest.raises(TypeError, match="need a float dtype"):
        ops.Uniform()(Tensor([1]))


def test_bernoulli_draws_zeros_and_ones_at_the_given_rate():
    x = ops.Bernoulli()(ops.zeros((2000,)), Tensor(0.3))
    assert set(x.tolist()) == {0.0, 1.0} and abs(x.mean() - 0.3) < 0.05


def test_classes_by_their_weights():
    x = ops.multinomial_with_replacement(Tensor([1.0, 0.0, 3.0]), 2, 5, 4000, True).asnumpy()
    assert x.dtype == np.int64 and set(x) == {0, 2} and abs((x == 2).mean() - 0.75) < 0.05
    without = ops.MultinomialWithReplacement(3, False)(ops.ones((2, 3)), Tensor([2]), Tensor([5]))
    assert np.sort(without.asnumpy(), 1).tolist() == [[0, 1, 2]] * 2


def test_integers_of_the_whole_range():
    x = ops.NonDeterministicInts(dyad.int32)(Tensor([1000])).asnumpy()
    assert x.dtype == np.int32 and x.min() < -(2**30) and x.max() > 2**30


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (3.0, 3.5), (-9.0, -8.0), (8.0, np.inf)])
def test_normal_numbers_between_bounds(low, high):
    given = [Tensor([float(number)]) for number in (10.0, 2.0, 10 + 2 * low, 10 + 2 * high)]
    x = (ops.ParameterizedTruncatedNormal(3)((4, 2000), *given).asnumpy() - 10) / 2
    assert x.min() >= low - 1e-5 and x.max() <= high + 1e-5
    grid = np.linspace(low, min(high, low + 4), 100_001)
    weights = np.exp(-(grid**2 - min(low**2, high**2, key=abs)) / 2)
    assert abs(x.mean() - np.average(grid, weights=weights)) < 0.03
