"""Random operators: distributions, streams, reproducibility. Their shapes and errors are walked by test_table."""

import math

import numpy as np
import pytest

import dyad
from dyad import _core, ops

COUNT = 40_000


@pytest.fixture(autouse=True)
def seeded():
    dyad.set_seed(7)


def mean_and_deviation(tensor):
    values = tensor.asnumpy().astype(np.float64)
    return values.mean(), values.std()


@pytest.mark.parametrize("dtype", [dyad.float32, dyad.float64, dyad.float16])
def test_uniform_numbers_fill_the_unit_interval(dtype):
    values = ops.rand(COUNT, dtype=dtype)
    assert values.dtype == dtype
    array = values.asnumpy().astype(np.float64)
    assert array.min() >= 0 and array.max() <= 1
    assert abs(array.mean() - 0.5) < 0.01
    counts, _ = np.histogram(array, bins=10, range=(0, 1))
    assert counts.min() > COUNT / 10 * 0.9


@pytest.mark.parametrize("dtype", [dyad.float32, dyad.float64])
def test_normal_numbers_have_their_moments(dtype):
    array = ops.randn(COUNT, dtype=dtype).asnumpy().astype(np.float64)
    assert abs(array.mean()) < 0.02
    assert abs(array.std() - 1) < 0.02
    assert abs((array**3).mean()) < 0.08
    assert abs((array**4).mean() - 3) < 0.2


def test_integers_cover_their_range_evenly():
    values = ops.randint(-3, 4, (COUNT,)).asnumpy()
    found, counts = np.unique(values, return_counts=True)
    assert found.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert counts.min() > COUNT / 7 * 0.9


def test_truncated_normal_stays_inside():
    array = _core.named_op("random_truncated_normal")((COUNT,), -2.0, 2.0).asnumpy()
    assert array.min() >= -2 and array.max() <= 2
    assert abs(array.std() - 0.8796) < 0.02


def test_gamma_poisson_and_laplace_have_their_moments():
    mean, deviation = mean_and_deviation(ops.gamma((COUNT,), 2.5, 2.0))
    assert abs(mean - 1.25) < 0.03 and abs(deviation - (2.5**0.5) / 2) < 0.03
    for rate in (0.7, 5.0, 12.5, 90.0, 1e5):
        mean, deviation = mean_and_deviation(ops.poisson((COUNT,), rate))
        assert abs(mean - rate) < 4 * (rate / COUNT) ** 0.5 + 0.01
        assert abs(deviation - rate**0.5) < 0.05 * rate**0.5
    mean, deviation = mean_and_deviation(ops.laplace((COUNT,), 1.0, 2.0))
    assert abs(mean - 1) < 0.06 and abs(deviation - 2 * 2**0.5) < 0.1


def test_poisson_numbers_are_as_frequent_as_they_should_be():
    rate = 14.0
    counts = np.bincount(ops.poisson((COUNT,), rate).asnumpy().astype(int), minlength=40)
    logs = [k * math.log(rate) - rate - math.lgamma(k + 1) for k in range(len(counts))]
    expected = COUNT * np.exp(logs)
    often = expected > 10
    chi_square = ((counts - expected)[often] ** 2 / expected[often]).sum()
    assert chi_square < often.sum() + 6 * (2 * often.sum()) ** 0.5


def test_rates_without_end_end():
    found = ops.random_poisson((3,), dyad.Tensor([1e30, math.inf]), dtype=dyad.float32).asnumpy()
    np.testing.assert_allclose(found, np.float32([[1e30, np.inf]] * 3), rtol=1e-6)
    assert np.isinf(ops.gamma((3,), float("inf"), 1.0).asnumpy()).all()


def test_multinomial_follows_the_weights_and_does_not_repeat_without_replacement():
    weights = dyad.Tensor([1.0, 0.0, 3.0])
    counts = np.bincount(ops.multinomial(weights, COUNT).asnumpy(), minlength=3)
    assert counts[1] == 0 and abs(counts[2] / counts[0] - 3) < 0.2
    rows = ops.multinomial(dyad.Tensor(np.ones((50, 6), np.float32)), 6, False).asnumpy()
    assert all(sorted(row) == list(range(6)) for row in rows.tolist())


def test_randperm_differs_from_call_to_call_and_is_a_permutation():
    first, second = ops.randperm(50).asnumpy(), ops.randperm(50).asnumpy()
    assert sorted(first.tolist()) == list(range(50))
    assert (first != second).any()


@pytest.mark.parametrize(
    "draw",
    [
        lambda: ops.rand(1001),
        lambda: ops.randn(1001),
        lambda: ops.StandardNormal()((1001,)),
        lambda: ops.UniformReal()((1001,)),
        lambda: ops.bernoulli(ops.ones(1001, dyad.float32), 0.5),
        lambda: ops.randperm(1001),
        lambda: ops.dropout(ops.ones(100_001, dyad.float32), 0.5),
        lambda: ops.gamma((1001,), 0.5, 1.0),
    ],
)
def test_a_seed_repeats_the_stream_whatever_the_number_of_threads(draw):
    dyad.set_seed(3)
    first, second = draw().asnumpy(), draw().asnumpy()
    assert (first != second).any()
    threads = _core.get_num_threads()
    try:
        for count in (1, 2):
            _core.set_num_threads(count)
            dyad.set_seed(3)
            assert (draw().asnumpy() == first).all()
            assert (draw().asnumpy() == second).all()
    finally:
        _core.set_num_threads(threads)


def test_the_state_of_the_stream_can_be_saved_and_restored():
    ops.rand(5)
    state = dyad.get_rng_state()
    first = ops.randn(9).asnumpy()
    dyad.set_rng_state(state)
    assert (ops.randn(9).asnumpy() == first).all()


@pytest.mark.parametrize("dtype", [dyad.float32, dyad.float16, dyad.float64])
def test_dropout_keeps_the_mean_and_zeroes_the_given_share(dtype):
    out = ops.dropout(ops.ones((200, 500), dtype), 0.25).asnumpy().astype(np.float64)
    assert abs((out == 0).mean() - 0.25) < 0.01
    assert abs(out.mean() - 1) < 0.02
    assert set(np.unique(out.round(2))) == {0.0, 1.33}


def test_dropout_of_everything_and_of_nothing():
    x = ops.ones((4, 4), dyad.float32)
    assert (ops.dropout(x, 1.0).asnumpy() == 0).all()
    assert (ops.dropout(x, 0.0).asnumpy() == 1).all()


def test_channel_dropout_drops_whole_channels():
    out = ops.dropout2d(ops.ones((20, 30, 3, 3), dyad.float32), 0.5).asnumpy()
    per_channel = out.reshape(20, 30, 9)
    assert (per_channel == per_channel[..., :1]).all()
    assert 0.3 < (per_channel[..., 0] == 0).mean() < 0.7


def test_rrelu_draws_a_slope_for_each_negative_element():
    x = dyad.Tensor(np.concatenate([np.full(COUNT, -2), np.full(9, 2)]).astype(np.float32))
    result = ops.rrelu(x, 0.25, 0.75).asnumpy()
    assert (result[COUNT:] == 2).all()
    slopes = result[:COUNT] / -2
    assert slopes.min() >= 0.25 and slopes.max() <= 0.75
    assert abs(slopes.mean() - 0.5) < 0.01
    assert abs(slopes.std() - 0.5 / np.sqrt(12)) < 0.01
