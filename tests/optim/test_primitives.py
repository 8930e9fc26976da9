"""The classes of `ops` that move one variable: results and states after two steps against NumPy."""

import formulas
import numpy as np
import pytest

from dyad import Tensor, ops

RNG = np.random.default_rng(3)
START = RNG.normal(size=(3, 4))
GIVEN = [RNG.normal(size=(3, 4)) for _ in range(2)]


def tensor(array):
    return Tensor(np.asarray(array, np.float32))


def state(value=0.0):
    return tensor(np.full((3, 4), value))


def keras(p, g, held, t, lr, momentum, nesterov):
    held["a"] = held.get("a", 0) * momentum - lr * g
    return p + (held["a"] * momentum - lr * g if nesterov else held["a"])


def by_sign(p, g, held, t, lr, factor, beta):
    held["m"] = beta * held.get("m", 0) + (1 - beta) * g
    return p - lr * factor(np.sign(g) * np.sign(held["m"])) * g


def dual_averaging(p, g, held, t, lr, l1, l2):
    held["g"] = held.get("g", 0) + g
    held["s"] = held.get("s", 0.1) + g * g
    kept = np.sign(held["g"]) * np.maximum(np.abs(held["g"]) - l1 * t, 0)
    return -lr * kept / (l2 * t * lr + np.sqrt(held["s"]))


def proximal(p, g, held, t, lr, l1, l2):
    moved = p - lr * g
    return np.sign(moved) * np.maximum(np.abs(moved) - lr * l1, 0) / (1 + lr * l2)


# Name -> states, call(var, states, gradient, step), formula, its settings.
CASES = {
    "ApplyMomentum": (
        [0],
        lambda v, s, g, t: ops.ApplyMomentum()(v, *s, 0.1, g, 0.9),
        formulas.momentum,
        {"momentum": 0.9},
    ),
    "ApplyMomentum with Nesterov and a scale": (
        [0],
        lambda v, s, g, t: ops.ApplyMomentum(True, gradient_scale=0.5)(
            v, *s, Tensor(0.1), g * 2, Tensor(0.9)
        ),
        formulas.momentum,
        {"momentum": 0.9, "nesterov": True},
    ),
    "SGD": (
        [0, 1],
        lambda v, s, g, t: ops.SGD(0.2)(v, g, 0.1, s[0], 0.9, s[1]),
        formulas.sgd,
        {"momentum": 0.9, "dampening": 0.2},
    ),
    "ApplyKerasMomentum": (
        [0],
        lambda v, s, g, t: ops.ApplyKerasMomentum(use_nesterov=True)(v, *s, 0.1, g, 0.9),
        keras,
        {"momentum": 0.9, "nesterov": True},
    ),
    "ApplyGradientDescent": (
        [],
        lambda v, s, g, t: ops.ApplyGradientDescent()(v, 0.1, g),
        formulas.sgd,
        {},
    ),
    "ApplyProximalGradientDescent": (
        [],
        lambda v, s, g, t: ops.ApplyProximalGradientDescent()(v, 0.1, 0.5, 0.2, g),
        proximal,
        {"l1": 0.5, "l2": 0.2},
    ),
    "ApplyAddSign": (
        [0],
        lambda v, s, g, t: ops.ApplyAddSign()(v, *s, 0.1, 1.0, 0.99, 0.9, g),
        by_sign,
        {"factor": lambda sign: 1.0 + 0.99 * sign, "beta": 0.9},
    ),
    "ApplyPowerSign": (
        [0],
        lambda v, s, g, t: ops.ApplyPowerSign()(v, *s, 0.1, 1.5, 0.99, 0.9, g),
        by_sign,
        {"factor": lambda sign: np.exp(1.5 * 0.99 * sign), "beta": 0.9},
    ),
    "Adam": (
        [0, 0],
        lambda v, s, g, t: ops.Adam()(v, *s, 0.9**t, 0.99**t, 0.1, 0.9, 0.99, 1e-8, g),
        formulas.adam,
        {"beta2": 0.99},
    ),
    "Adam with Nesterov": (
        [0, 0],
        lambda v, s, g, t: ops.Adam(use_nesterov=True)(
            v, *s, Tensor(0.9**t), Tensor(0.99**t), Tensor(0.1), Tensor(0.9), Tensor(0.99), Tensor(1e-8), g
        ),
        formulas.adam,
        {"beta2": 0.99, "nesterov": True},
    ),
    "ApplyAdamWithAmsgrad": (
        [0, 0, 0],
        lambda v, s, g, t: ops.ApplyAdamWithAmsgrad(beta2=0.99)(v, *s, 0.9**t, 0.99**t, 0.1, g),
        formulas.adam,
        {"beta2": 0.99, "amsgrad": True},
    ),
    "ApplyAdamWithAmsgradV2": (
        [0, 0, 0],
        lambda v, s, g, t: ops.ApplyAdamWithAmsgradV2()(v, *s, 0.9**t, 0.99**t, 0.1, 0.9, 0.99, 1e-8, g),
        formulas.adam,
        {"beta2": 0.99, "amsgrad": True},
    ),
    "AdamWeightDecay": (
        [0, 0],
        lambda v, s, g, t: ops.AdamWeightDecay()(v, *s, 0.1, 0.9, 0.99, 1e-6, 0.2, g),
        formulas.adam_weight_decay,
        {"beta2": 0.99, "decay": 0.2},
    ),
    "ApplyAdaMax": (
        [0, 0],
        lambda v, s, g, t: ops.ApplyAdaMax()(v, *s, 0.9**t, 0.1, 0.9, 0.99, 1e-8, g),
        formulas.adamax,
        {"beta2": 0.99},
    ),
    "ApplyAdagrad": (
        [0.1],
        lambda v, s, g, t: ops.ApplyAdagrad()(v, *s, 0.1, g),
        formulas.adagrad,
        {},
    ),
    "ApplyAdagrad without slots": (
        [0.1],
        lambda v, s, g, t: ops.ApplyAdagrad(update_slots=False)(v, *s, 0.1, g),
        formulas.adagrad,
        {"update_slots": False},
    ),
    "ApplyAdagradV2": (
        [0.1],
        lambda v, s, g, t: ops.ApplyAdagradV2(epsilon=1e-12)(v, *s, 0.1, g),
        formulas.adagrad,
        {},
    ),
    "ApplyAdagradDA": (
        [0, 0.1],
        lambda v, s, g, t: ops.ApplyAdagradDA()(v, *s, g, 0.1, 0.3, 0.2, t),
        dual_averaging,
        {"l1": 0.3, "l2": 0.2},
    ),
    "ApplyProximalAdagrad": (
        [0.1],
        lambda v, s, g, t: ops.ApplyProximalAdagrad()(v, *s, 0.1, 0.3, 0.2, g),
        formulas.proximal_adagrad,
        {"l1": 0.3, "l2": 0.2},
    ),
    "ApplyAdadelta": (
        [0, 0],
        lambda v, s, g, t: ops.ApplyAdadelta()(v, *s, 0.1, 0.8, 1e-4, g),
        formulas.adadelta,
        {"rho": 0.8, "eps": 1e-4},
    ),
    "ApplyFtrl": (
        [0.1, 0],
        lambda v, s, g, t: ops.ApplyFtrl()(v, *s, g, 0.1, 0.3, 0.2, -0.5),
        formulas.ftrl,
        {"l1": 0.3, "l2": 0.2},
    ),
    "ApplyRMSProp": (
        [1, 0],
        lambda v, s, g, t: ops.ApplyRMSProp()(v, *s, 0.1, g, 0.8, 0.5, 1e-4),
        formulas.rmsprop,
        {"rho": 0.8, "momentum": 0.5, "eps": 1e-4},
    ),
    "ApplyCenteredRMSProp": (
        [0, 1, 0],
        lambda v, s, g, t: ops.ApplyCenteredRMSProp()(v, *s, g, 0.1, 0.8, 0.5, 1e-4),
        formulas.rmsprop,
        {"rho": 0.8, "momentum": 0.5, "eps": 1e-4, "centered": True},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_two_steps(name):
    starts, call, formula, settings = CASES[name]
    variable, states = tensor(START), [state(value) for value in starts]
    expected, held = START.copy(), {}
    for t, gradient in enumerate(GIVEN, 1):
        result = call(variable, states, tensor(gradient), t)
        expected = formula(expected, gradient, held, t, 0.1, **settings)
        np.testing.assert_allclose(variable.asnumpy(), expected, rtol=1e-4, atol=1e-5)
        first = result[0] if isinstance(result, tuple) else result
        np.testing.assert_array_equal(first.asnumpy(), variable.asnumpy())
        if isinstance(result, tuple):
            assert len(result) == 1 + len(states)
            np.testing.assert_array_equal(result[1].asnumpy(), states[0].asnumpy())


def test_a_variable_that_is_a_view_is_written_through():
    whole = tensor(np.zeros((4, 6)))
    ops.ApplyMomentum()(whole.T, state_like := tensor(np.zeros((6, 4))), 0.5, tensor(np.ones((6, 4))), 0.9)
    np.testing.assert_array_equal(whole.asnumpy(), -0.5)
    np.testing.assert_array_equal(state_like.asnumpy(), 1)
