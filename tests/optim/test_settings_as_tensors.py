"""Primitives that move one variable, with settings that are Tensors: what numbers do, also in graphs and slices."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, ops

# What is made, how many states there are with the variable, the settings, and how many of them follow the gradient.
CASES = {
    "Adam": (ops.Adam(), 3, (0.9, 0.99, 0.1, 0.9, 0.99, 1e-6), 0),
    "Adam with Nesterov": (ops.Adam(use_nesterov=True), 3, (0.9, 0.99, 0.1, 0.9, 0.99, 1e-6), 0),
    "AdamWeightDecay": (ops.AdamWeightDecay(), 3, (0.1, 0.9, 0.99, 1e-6, 0.01), 0),
    "ApplyAdaMax": (ops.ApplyAdaMax(), 3, (0.9, 0.1, 0.9, 0.99, 1e-6), 0),
    "ApplyAdadelta": (ops.ApplyAdadelta(), 3, (0.1, 0.9, 1e-6), 0),
    "ApplyAdamWithAmsgradV2": (ops.ApplyAdamWithAmsgradV2(), 4, (0.9, 0.99, 0.1, 0.9, 0.99, 1e-6), 0),
    "ApplyFtrl": (ops.ApplyFtrl(), 3, (0.1, 0.02, 0.03, -0.5), 4),
    "ApplyProximalAdagrad": (ops.ApplyProximalAdagrad(), 2, (0.1, 0.02, 0.03), 0),
}


def states(count):
    draw = np.random.default_rng(7)
    return [Parameter(draw.uniform(0.5, 2, (2, 3)).astype(np.float32), name=f"s{i}") for i in range(count)]


def step(form, case, settings):
    primitive, count, _, behind = CASES[case]
    held = states(count)
    gradient = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
    given = [gradient, *settings] if behind else [*settings, gradient]
    axes = [0] * count + ([0] + [None] * len(settings) if behind else [None] * len(settings) + [0])

    def move(*args):
        return primitive(*args)

    def sliced(*args):
        return ops.vmap(move, tuple(axes), 0)(*args)

    made = {"dynamic": move, "static": dyad.jit(move), "slices": sliced, "static slices": dyad.jit(sliced)}
    made[form](*held, *given)
    return [state.asnumpy() for state in held]


@pytest.mark.parametrize("form", ["dynamic", "static", "slices", "static slices"])
@pytest.mark.parametrize("case", CASES)
def test_settings_as_tensors_do_what_numbers_do(case, form):
    numbers = CASES[case][2]
    wanted = step("dynamic", case, numbers)
    found = step(form, case, [Tensor(number, dyad.float32) for number in numbers])
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, 2e-5, 1e-6)
