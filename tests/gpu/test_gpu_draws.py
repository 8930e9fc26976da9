"""Random numbers that take tries, and places in a triangle: the CPU's, for the same seed."""

import warnings

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core, runtime

gamma, poisson, multinomial, truncated, triangle, length_range = map(
    _core.named_op,
    (
        "standard_gamma",
        "standard_poisson",
        "multinomial",
        "random_truncated_normal",
        "triangle_indices",
        "length_range",
    ),
)
WEIGHTS = np.random.default_rng(3).random((3, 1000)) * (np.arange(1000) % 3 > 0)


@pytest.fixture(autouse=True)
def on_the_device_itself():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that something is computed on the CPU
        yield


def on_both(draw):
    found = []
    for target in ("GPU", "CPU"):
        dyad.set_context(device_target=target)
        try:
            dyad.set_seed(5)
            found.append(draw().asnumpy())
        finally:
            dyad.set_context(device_target="GPU")
    return found


@pytest.mark.parametrize(
    "draw",
    [
        lambda: truncated((5000,), -2.0, 2.0, dyad.float32),
        lambda: truncated((3, 7), 0.5, 0.75, dyad.float64),
        lambda: gamma((1000,), Tensor([0.3, 1.0, 2.5, 40.0]), dyad.float32),
        lambda: poisson((1000,), Tensor([0.0, 0.5, 11.0, 12.5, 900.0]), dyad.float32),
        lambda: multinomial(Tensor(WEIGHTS), 400, True),
        lambda: multinomial(Tensor(WEIGHTS), 400, False),
        lambda: multinomial(Tensor([0.0, 3.0, 0.0, 1.0]), 2, False),
    ],
)
def test_draws_are_those_of_the_cpu(draw):
    found, wanted = on_both(draw)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    close = np.isclose(found, wanted, rtol=1e-5)
    assert close.mean() > 0.999  # a last digit may decide whether a try is taken


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (4, 7), (7, 4), (300, 200)])
@pytest.mark.parametrize("offset", [-9, -3, -1, 0, 1, 2, 5, 250])
def test_triangle_indices(offset, shape, upper):
    wanted = (np.triu_indices if upper else np.tril_indices)(shape[0], offset, shape[1])
    found = triangle(*shape, offset, dyad.int32, upper).asnumpy()
    np.testing.assert_array_equal(found, wanted)


def test_length_range():
    assert length_range(Tensor([2, 5, 1])).tolist() == [0, 1, 2, 3, 4]
    assert length_range(Tensor([-2])).shape == (0,)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: gamma((4,), Tensor([1.0, -2.0]), dyad.float32),
            "alpha holds -2.0; every alpha must be above 0",
        ),
        (lambda: poisson((4,), Tensor([1.0, np.nan]), dyad.float32), "every rate must be 0 or more"),
        (
            lambda: multinomial(Tensor([[1.0, 1.0], [1.0, -3.0]]), 1, True),
            "row 1 holds -3.0; weights must be finite",
        ),
        (lambda: multinomial(Tensor([0.0, 0.0]), 1, True), "the weights of row 0 sum to 0"),
        (lambda: multinomial(Tensor([0.0, 1.0]), 2, False), "row 0 than its 1 positive weights"),
    ],
)
def test_bad_parameters_are_found(draw, message):
    draw()
    with pytest.raises(ValueError, match=message):
        runtime.synchronize()
    runtime.synchronize()
