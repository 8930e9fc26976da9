"""A whole training step with each optimizer, as one static graph."""

import inspect

import pytest
from step_forms import STATIC_FORMS, called_in_graph_mode, classified, perceptron, require_same_curve, whole

import dyad
from dyad import amp, mint, nn
from dyad.experimental import optim

BATCHES = classified()
MODULES = {
    "nn": (nn, nn.Optimizer),
    "experimental": (optim, optim.Optimizer),
    "mint": (mint.optim, optim.Optimizer),
}
NEEDED = {"learning_rate": 0.02, "lr": 0.02, "momentum": 0.9}


def kinds():
    for place, (module, base) in MODULES.items():
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and issubclass(kind, base) and kind is not base:
                yield pytest.param(kind, id=f"{place}.{name}")


def made(kind, parameters):
    if kind is nn.LARS:
        return nn.LARS(nn.Momentum(parameters, 0.02, 0.9))
    needed = {
        name: NEEDED[name]
        for name, parameter in inspect.signature(kind).parameters.items()
        if name in NEEDED and (parameter.default is inspect.Parameter.empty or name == "lr")
    }
    return kind(parameters, **needed)


def plain_step(kind):
    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = made(kind, net.trainable_params())

        def forward(x, y):
            logits = net(x)
            return loss_fn(logits, y), logits

        gradients_of = dyad.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

        def step(x, y):
            (loss, _), gradients = gradients_of(x, y)
            optimizer(gradients)
            return loss

        return step, [*net.get_parameters(), *optimizer.get_parameters()]

    return make


def guarded_step(kind):
    """The gradient function is made inside, and the optimizer runs if the gradients are finite."""

    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = made(kind, net.trainable_params())

        def step(x, y):
            def forward(x, y):
                return loss_fn(net(x), y)

            loss, gradients = dyad.value_and_grad(forward, None, optimizer.parameters)(x, y)
            if amp.all_finite(gradients):
                optimizer(gradients)
            return loss

        return step, [*net.get_parameters(), *optimizer.get_parameters()]

    return make


@pytest.mark.parametrize("make_step", [plain_step, guarded_step])
@pytest.mark.parametrize("kind", list(kinds()))
def test_step_with_each_optimizer(kind, make_step):
    truth = require_same_curve(make_step(kind), whole, BATCHES)
    assert truth.given[-1] != truth.given[0]


@pytest.mark.parametrize("form", STATIC_FORMS)
@pytest.mark.parametrize("kind", [nn.Adam, nn.SGD, optim.AdamW])
def test_step_in_each_form(kind, form):
    require_same_curve(guarded_step(kind), form, BATCHES)


@pytest.mark.parametrize("kind", list(kinds()))
def test_training_cell_with_each_optimizer(kind):
    def make():
        net = perceptron()
        optimizer = made(kind, net.trainable_params())
        cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
        return cell, [*net.get_parameters(), *optimizer.get_parameters()]

    require_same_curve(make, called_in_graph_mode, BATCHES)
