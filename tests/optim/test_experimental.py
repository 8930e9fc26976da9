"""The optimizers of `experimental.optim` follow their formulas through 50 steps, with all options."""

import formulas
import formulas_of_groups as forms
import numpy as np
import pytest
from walk import gradients, parameters, walk_groups

import dyad
from dyad import Parameter, Tensor
from dyad.experimental import optim
from dyad.experimental.optim import lr_scheduler

maximize = pytest.mark.parametrize("maximize", [False, True])
decays = pytest.mark.parametrize("decay", [0.0, 0.05])


@maximize
@decays
@pytest.mark.parametrize(
    ("momentum", "dampening", "nesterov"), [(0, 0, False), (0.9, 0.3, False), (0.9, 0, True)]
)
def test_sgd_follows_its_formula(maximize, decay, momentum, dampening, nesterov):
    optimizer = optim.SGD(parameters(), 0.02, momentum, dampening, decay, nesterov, maximize=maximize)
    settings = {"momentum": momentum, "dampening": dampening, "nesterov": nesterov}
    walk_groups(optimizer, formulas.sgd, lr=0.02, decay=decay, maximize=maximize, **settings)


@maximize
@decays
@pytest.mark.parametrize("amsgrad", [False, True])
def test_adam_follows_its_formula(maximize, decay, amsgrad):
    optimizer = optim.Adam(parameters(), 0.01, (0.8, 0.95), 1e-3, decay, amsgrad, maximize=maximize)
    settings = {"beta1": 0.8, "beta2": 0.95, "eps": 1e-3, "amsgrad": amsgrad}
    walk_groups(optimizer, forms.adam, lr=0.01, decay=decay, maximize=maximize, **settings)


@maximize
@decays
@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("form", [optim.AdamW, dyad.mint.optim.AdamW, dyad.mint.optim.FusedAdamW])
def test_adamw_follows_its_formula(maximize, decay, amsgrad, form):
    optimizer = form(parameters(), 0.01, (0.8, 0.95), 1e-3, decay, amsgrad, maximize=maximize)
    settings = {"beta1": 0.8, "beta2": 0.95, "eps": 1e-3, "amsgrad": amsgrad}
    walk_groups(optimizer, forms.adam, lr=0.01, decay=decay, maximize=maximize, decoupled=True, **settings)


@maximize
@decays
def test_adamax_follows_its_formula(maximize, decay):
    optimizer = optim.Adamax(parameters(), 0.01, (0.8, 0.95), 1e-3, decay, maximize=maximize)
    settings = {"beta1": 0.8, "beta2": 0.95, "eps": 1e-3}
    walk_groups(optimizer, forms.adamax, lr=0.01, decay=decay, maximize=maximize, **settings)


@decays
def test_nadam_follows_its_formula(decay):
    optimizer = optim.NAdam(parameters(), 0.01, (0.8, 0.95), 1e-3, decay, 0.01)
    settings = {"beta1": 0.8, "beta2": 0.95, "eps": 1e-3, "momentum_decay": 0.01}
    walk_groups(optimizer, forms.nadam, lr=0.01, decay=decay, **settings)


@decays
@pytest.mark.parametrize("beta2", [0.5, 0.95, 0.999])
def test_radam_follows_its_formula(decay, beta2):
    optimizer = optim.RAdam(parameters(), 0.01, (0.8, beta2), 1e-3, decay)
    walk_groups(optimizer, forms.radam, lr=0.01, decay=decay, beta1=0.8, beta2=beta2, eps=1e-3)


@maximize
@decays
def test_adadelta_follows_its_formula(maximize, decay):
    optimizer = optim.Adadelta(parameters(), 0.5, 0.8, 1e-4, decay, maximize=maximize)
    walk_groups(optimizer, formulas.adadelta, lr=0.5, decay=decay, maximize=maximize, rho=0.8, eps=1e-4)


@maximize
@decays
def test_adagrad_follows_its_formula(maximize, decay):
    optimizer = optim.Adagrad(parameters(), 0.02, 0.1, decay, 0.5, 1e-3, maximize=maximize)
    settings = {"lr_decay": 0.1, "accum": 0.5, "eps": 1e-3}
    walk_groups(optimizer, forms.adagrad, lr=0.02, decay=decay, maximize=maximize, **settings)


@maximize
@decays
@pytest.mark.parametrize(("momentum", "centered"), [(0.0, False), (0.9, False), (0.5, True)])
def test_rmsprop_follows_its_formula(maximize, decay, momentum, centered):
    optimizer = optim.RMSprop(parameters(), 0.01, 0.8, 1e-2, decay, momentum, centered, maximize)
    settings = {"alpha": 0.8, "eps": 1e-2, "momentum": momentum, "centered": centered}
    walk_groups(optimizer, forms.rmsprop, lr=0.01, decay=decay, maximize=maximize, **settings)


@maximize
def test_rprop_follows_its_formula(maximize):
    optimizer = optim.Rprop(parameters(), 0.01, (0.4, 1.3), (0.001, 1), maximize=maximize)
    walk_groups(optimizer, formulas.rprop, lr=0.01, maximize=maximize, etas=(0.4, 1.3), sizes=(0.001, 1))


@maximize
@decays
def test_asgd_follows_its_formula(maximize, decay):
    optimizer = optim.ASGD(parameters(), 0.05, 0.01, 0.6, 10.0, decay, maximize)
    settings = {"lambd": 0.01, "alpha": 0.6, "t0": 10.0}
    walk_groups(optimizer, formulas.asgd, lr=0.05, decay=decay, maximize=maximize, **settings)


def test_each_group_has_its_own_settings():
    own = parameters()
    groups = [{"params": own[:2], "lr": 0.1, "momentum": 0.5}, {"params": own[2:], "weight_decay": 0.2}]
    optimizer = optim.SGD(groups, 0.01)
    alone = parameters()
    first = optim.SGD(alone[:2], 0.1, 0.5)
    second = optim.SGD(alone[2:], 0.01, weight_decay=0.2)
    for step in range(5):
        given = [Tensor(g) for g in gradients(step)]
        optimizer(given)
        first(given[:2])
        second(given[2:])
    for a, b in zip(own, alone, strict=True):
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


def test_a_group_added_later_has_state_and_is_moved():
    own = parameters()
    optimizer = optim.Adam(own[:2], 0.1)
    optimizer.add_param_group({"params": own[2:], "lr": 0.5})
    assert [p.name for p in optimizer.parameters] == [p.name for p in own]
    assert optimizer.exp_avg[3].name == f"exp_avg.{own[3].name}"
    before = own[3].asnumpy().copy()
    optimizer([Tensor(g) for g in gradients(0)])
    np.testing.assert_allclose(np.abs(own[3].asnumpy() - before), 0.5, rtol=1e-4)


def test_a_number_in_a_group_takes_the_place_of_its_rate():
    parameter = Parameter(np.ones(3, np.float32), "w")
    optimizer = optim.SGD([parameter], 0.1)
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer([Tensor(np.ones(3, np.float32))])
    np.testing.assert_array_equal(parameter.asnumpy(), 0.5)


def test_no_group_moves_when_a_later_one_has_a_wrong_gradient():
    own = parameters()
    optimizer = optim.SGD([{"params": own[:1]}, {"params": own[1:2]}], 0.1)
    before = own[0].asnumpy().copy()
    given = gradients(0)
    with pytest.raises(ValueError, match=r"the gradient of 'norm.gamma' has shape \(2,\); need \(7,\)"):
        optimizer([Tensor(given[0]), Tensor(np.ones(2, np.float32))])
    np.testing.assert_array_equal(own[0].asnumpy(), before)


def test_text_lists_the_groups():
    text = repr(optim.SGD(parameters(), 0.1))
    assert text.startswith("SGD (\nParameter Group 0\n    dampening: 0.0\n")
    assert "    lr: 0.1\n" in text


def test_rates_are_saved_with_the_state():
    optimizer = optim.SGD(parameters(), 0.1)
    lr_scheduler.ExponentialLR(optimizer, 0.5).step()
    assert float(optimizer.state_dict()["learning_rate_group_0"]) == pytest.approx(0.05)
