"""The optimizers that adapt the rate of each element or Parameter follow their formulas through 50 steps."""

import formulas
import numpy as np
import pytest
from walk import STEPS, gradients, parameters, spared, walk

import dyad
from dyad import Parameter, Tensor, _core, nn

DECAY_AND_SCALE = [(0.0, 1.0), (0.05, 64.0)]
both = pytest.mark.parametrize(("decay", "scale"), DECAY_AND_SCALE)


@both
def test_adamax_follows_its_formula(decay, scale):
    optimizer = nn.AdaMax(parameters(), 0.01, 0.8, 0.95, 1e-6, decay, scale)
    walk(
        optimizer,
        formulas.adamax,
        lr=0.01,
        decay=decay,
        loss_scale=scale,
        beta1=0.8,
        beta2=0.95,
        eps=1e-6,
    )


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_lamb_follows_its_formula(decay):
    optimizer = nn.Lamb(parameters(), 0.01, 0.8, 0.95, 1e-5, decay)
    walk(
        optimizer,
        formulas.lamb,
        lr=0.01,
        decay=decay,
        decoupled=True,
        beta1=0.8,
        beta2=0.95,
        eps=1e-5,
    )


@both
@pytest.mark.parametrize("update_slots", [True, False])
def test_adagrad_follows_its_formula(decay, scale, update_slots):
    optimizer = nn.Adagrad(parameters(), 0.3, 0.02, update_slots, scale, decay)
    walk(
        optimizer,
        formulas.adagrad,
        lr=0.02,
        decay=decay,
        loss_scale=scale,
        accum=0.3,
        update_slots=update_slots,
    )


@both
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("centered", [False, True])
def test_rmsprop_follows_its_formula(decay, scale, momentum, centered):
    optimizer = nn.RMSProp(parameters(), 0.01, 0.8, momentum, 1e-3, False, centered, scale, decay)
    walk(
        optimizer,
        formulas.rmsprop,
        lr=0.01,
        decay=decay,
        loss_scale=scale,
        rho=0.8,
        momentum=momentum,
        eps=1e-3,
        centered=centered,
    )


@both
def test_adadelta_follows_its_formula(decay, scale):
    optimizer = nn.Adadelta(parameters(), 0.5, 0.8, 1e-4, scale, decay)
    walk(optimizer, formulas.adadelta, lr=0.5, decay=decay, loss_scale=scale, rho=0.8, eps=1e-4)


@pytest.mark.parametrize("lr_power", [-0.5, -0.3, 0.0])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (0.05, 0.02)])
@pytest.mark.parametrize("scale", [1.0, 64.0])
def test_ftrl_follows_its_formula(lr_power, l1, l2, scale):
    optimizer = nn.FTRL(parameters(), 0.2, 0.05, lr_power, l1, l2, False, scale)
    walk(
        optimizer,
        formulas.ftrl,
        lr=0.05,
        loss_scale=scale,
        accum=0.2,
        lr_power=lr_power,
        l1=l1,
        l2=l2,
    )


def test_ftrl_decays_every_parameter():
    optimizer = nn.FTRL(parameters(), 0.2, 0.05, loss_scale=4.0, weight_decay=0.1)
    assert optimizer.decay_flags == (True,) * 4
    walk(
        optimizer,
        formulas.ftrl,
        lr=0.05,
        decay=0.1,
        loss_scale=4.0,
        spared=lambda name: False,
        accum=0.2,
    )


@both
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (0.05, 0.02)])
def test_proximal_adagrad(decay, scale, l1, l2):
    optimizer = nn.ProximalAdagrad(parameters(), 0.2, 0.05, l1, l2, False, scale, decay)
    walk(
        optimizer,
        formulas.proximal_adagrad,
        lr=0.05,
        decay=decay,
        loss_scale=scale,
        accum=0.2,
        l1=l1,
        l2=l2,
    )


@pytest.mark.parametrize("sizes", [(1e-6, 50.0), (0.005, 0.02)])
@pytest.mark.parametrize("decay", [0.0, 0.05])
def test_rprop_follows_its_formula(sizes, decay):
    optimizer = nn.Rprop(parameters(), 0.01, (0.4, 1.3), sizes, decay)
    walk(optimizer, formulas.rprop, lr=0.01, decay=decay, etas=(0.4, 1.3), sizes=sizes)


@pytest.mark.parametrize("t0", [1e6, 10.0])
@pytest.mark.parametrize("decay", [0.0, 0.05])
def test_asgd_follows_its_formula(t0, decay):
    optimizer = nn.ASGD(parameters(), 0.05, 0.01, 0.6, t0, decay)
    walk(optimizer, formulas.asgd, lr=0.05, decay=decay, lambd=0.01, alpha=0.6, t0=t0)


def test_asgd_averages_the_parameters_after_t0():
    optimizer = nn.ASGD(parameters(), 0.05, t0=10.0)
    seen = []
    for step in range(20):
        optimizer([Tensor(g) for g in gradients(step)])
        seen.append(optimizer.parameters[0].asnumpy().copy())
    # The share of a step is 1 / (t - t0) of the step before, so that step 11 is the last to count alone.
    np.testing.assert_allclose(optimizer.ax[0].asnumpy(), np.mean(seen[11:], 0), rtol=1e-4)


@pytest.mark.parametrize("use_clip", [False, True])
@pytest.mark.parametrize(("decay", "scale"), DECAY_AND_SCALE)
def test_lars_scales_gradients_by_the_norms(use_clip, decay, scale):
    def adapted(p, g, state, t, lr, decay):
        if p.ndim:  # the filter below refuses the only 0-d Parameter
            g = formulas.lars(g, p, decay, 1e-4, 0.1, lr if use_clip else None)
        return formulas.momentum(p, g, state, t, lr, 0.9)

    inner = nn.Momentum(parameters(), 0.2, 0.9, decay, scale)
    optimizer = nn.LARS(inner, 1e-4, 0.1, use_clip, lambda parameter: "bias" not in parameter.name)
    assert optimizer.lars_flag == (True, True, True, False)
    walk(optimizer, adapted, lr=0.2, decay=decay, loss_scale=scale, decoupled=True)
    np.testing.assert_array_equal(inner.global_step.asnumpy(), [STEPS])


@pytest.mark.parametrize("threads", [1, 2])
def test_lars_over_large_and_empty_parameters(threads):
    before = _core.get_num_threads()
    _core.set_num_threads(threads)
    try:
        shapes = {"large": (300, 301), "empty": (0, 3), "small": (3,)}
        start = parameters(shapes=shapes)
        given = gradients(0, shapes=shapes)
        expected = [
            p.asnumpy() - 0.1 * (formulas.lars(g, p.asnumpy(), 0.5, 1e-5, 0.1) if g.size else g)
            for p, g in zip(start, given, strict=True)
        ]
        nn.LARS(nn.SGD(start, 0.1, weight_decay=0.5), coefficient=0.1)([Tensor(g) for g in given])
        for p, array in zip(start, expected, strict=True):
            np.testing.assert_allclose(p.asnumpy(), array, rtol=1e-5, atol=1e-6, err_msg=p.name)
    finally:
        _core.set_num_threads(before)


def test_lars_leaves_a_weight_of_zeros_its_gradient():
    weight = Parameter(np.zeros(3, np.float32), "w")
    nn.LARS(nn.SGD([weight], 0.5), coefficient=0.1)([Tensor(np.ones(3, np.float32))])
    np.testing.assert_allclose(weight.asnumpy(), -0.5, rtol=1e-6)


@pytest.mark.parametrize("beta1", [0.0, 0.9])
@pytest.mark.parametrize("decay", [0.0, 0.05])
@pytest.mark.parametrize("warmup", [False, True])
def test_adafactor_that_sets_its_own_rate(beta1, decay, warmup):
    shapes = {"conv.weight": (4, 3, 2), "dense.weight": (5, 6), "dense.bias": (7,)}
    optimizer = nn.AdaFactor(parameters(shapes=shapes), beta1=beta1, weight_decay=decay, warmup_init=warmup)

    def rate(step):
        t = step + 1
        return min(1e-6 * t if warmup else 1e-2, 1 / np.sqrt(t))

    walk(
        optimizer,
        formulas.adafactor,
        lr=rate,
        decay=decay,
        decoupled=True,
        shapes=shapes,
        beta1=beta1,
    )


def test_adafactor_with_a_given_rate():
    shapes = {"dense.weight": (5, 6), "dense.bias": (7,)}
    optimizer = nn.AdaFactor(
        parameters(shapes=shapes),
        0.02,
        (1e-20, 1e-2),
        0.5,
        0.7,
        0.8,
        scale_parameter=False,
        relative_step=False,
    )
    walk(
        optimizer,
        formulas.adafactor,
        lr=0.02,
        decoupled=True,
        shapes=shapes,
        eps=(1e-20, 1e-2),
        threshold=0.5,
        decay_rate=0.7,
        beta1=0.8,
        relative=False,
    )


def test_lamb_leaves_a_parameter_of_zeros_its_plain_rate():
    start = parameters()
    for parameter in start:
        parameter.set_data(parameter * 0)
    optimizer = nn.Lamb(start, 0.01)
    given = gradients(0)
    optimizer([Tensor(g) for g in given])
    for parameter, g in zip(start, given, strict=True):
        np.testing.assert_allclose(parameter.asnumpy(), -0.01 * np.sign(g), rtol=1e-2)


def test_names_spared_by_weight_decay():
    assert spared("norm.gamma")
    assert nn.Adagrad(parameters(), weight_decay=0.1).decay_flags == (True, False, True, True)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
@pytest.mark.parametrize("relative", [False, True])
def test_adafactor_takes_groups(mode, relative):
    dyad.set_context(mode=mode)
    arrays = [np.linspace(1, 2, 6, dtype=np.float32).reshape(2, 3), np.linspace(-1, 1, 3, dtype=np.float32)]
    gradients = [Tensor(np.cos(array)) for array in arrays]
    settings = [{"lr": 0.1, "weight_decay": 0.25}, {"lr": 0.01, "weight_decay": 0.0}]
    if relative:
        settings = [{"weight_decay": group["weight_decay"]} for group in settings]
    options = {"relative_step": relative, "scale_parameter": False, "beta1": 0.5}
    own = [Parameter(array.copy(), f"p{i}") for i, array in enumerate(arrays)]
    groups = [{"params": [p], **group} for p, group in zip(own, settings, strict=True)]
    together = nn.AdaFactor(groups, learning_rate=None if relative else 0.5, **options)
    together(gradients)
    together(gradients)
    for i, array in enumerate(arrays):
        alone = Parameter(array.copy(), f"p{i}")
        rate = settings[i].get("lr")
        single = nn.AdaFactor(
            [alone], learning_rate=rate, weight_decay=settings[i]["weight_decay"], **options
        )
        single([gradients[i]])
        single([gradients[i]])
        np.testing.assert_allclose(own[i].asnumpy(), alone.asnumpy(), rtol=1e-6)
