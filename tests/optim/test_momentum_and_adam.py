"""Momentum, SGD, Adam and AdamWeightDecay follow their formulas through 50 steps, with all options."""

import itertools

import formulas
import numpy as np
import pytest
from walk import parameters, walk

from dyad import nn

FLAGS = [False, True]


@pytest.mark.parametrize(
    ("nesterov", "decay", "scale"), list(itertools.product(FLAGS, [0.0, 0.05], [1.0, 128.0]))
)
def test_momentum_follows_its_formula(nesterov, decay, scale):
    optimizer = nn.Momentum(parameters(), 0.02, 0.9, decay, scale, nesterov)
    walk(
        optimizer, formulas.momentum, lr=0.02, decay=decay, loss_scale=scale, momentum=0.9, nesterov=nesterov
    )
    np.testing.assert_array_equal(optimizer.global_step.asnumpy(), [50])


@pytest.mark.parametrize(
    ("momentum", "dampening", "nesterov"),
    [(0.0, 0.0, False), (0.9, 0.0, False), (0.9, 0.3, False), (0.9, 0.0, True)],
)
@pytest.mark.parametrize(("decay", "scale"), [(0.0, 1.0), (0.05, 64.0)])
def test_sgd_follows_its_formula(momentum, dampening, nesterov, decay, scale):
    optimizer = nn.SGD(parameters(), 0.02, momentum, dampening, decay, nesterov, scale)
    walk(
        optimizer,
        formulas.sgd,
        lr=0.02,
        decay=decay,
        loss_scale=scale,
        momentum=momentum,
        dampening=dampening,
        nesterov=nesterov,
    )


@pytest.mark.parametrize("nesterov", FLAGS)
@pytest.mark.parametrize("amsgrad", FLAGS)
@pytest.mark.parametrize(("decay", "scale"), [(0.0, 1.0), (0.05, 64.0)])
def test_adam_follows_its_formula(nesterov, amsgrad, decay, scale):
    optimizer = nn.Adam(
        parameters(),
        0.01,
        0.8,
        0.95,
        1e-6,
        use_nesterov=nesterov,
        weight_decay=decay,
        loss_scale=scale,
        use_amsgrad=amsgrad,
    )
    walk(
        optimizer,
        formulas.adam,
        lr=0.01,
        decay=decay,
        loss_scale=scale,
        beta1=0.8,
        beta2=0.95,
        eps=1e-6,
        nesterov=nesterov,
        amsgrad=amsgrad,
    )


@pytest.mark.parametrize("form", [nn.Adam, nn.LazyAdam, nn.AdamOffload])
def test_adam_with_its_defaults(form):
    walk(form(parameters()), formulas.adam, lr=1e-3)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_weight_decay(decay):
    optimizer = nn.AdamWeightDecay(parameters(), 0.01, 0.8, 0.95, 1e-5, decay)
    walk(
        optimizer,
        formulas.adam_weight_decay,
        lr=0.01,
        decay=decay,
        decoupled=True,
        beta1=0.8,
        beta2=0.95,
        eps=1e-5,
    )
