"""Every optimizer inside a static graph updates its Parameters and its state as in the dynamic graph."""

import numpy as np
import pytest
from walk import gradients, parameters

import dyad
from dyad import Tensor, mint, nn
from dyad.experimental import optim

SCHEDULE = [0.1, 0.05, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
OPTIMIZERS = {
    "nn.ASGD": lambda: nn.ASGD(parameters(), 0.02, t0=1.0),
    "nn.AdaFactor": lambda: nn.AdaFactor(parameters(), 0.02, scale_parameter=False, relative_step=False),
    "nn.AdaFactor of its own rate": lambda: nn.AdaFactor(parameters(), None),
    "nn.AdaMax": lambda: nn.AdaMax(parameters(), 0.02),
    "nn.Adadelta": lambda: nn.Adadelta(parameters(), 0.02),
    "nn.Adagrad": lambda: nn.Adagrad(parameters(), 0.1, 0.02),
    "nn.Adam": lambda: nn.Adam(parameters(), 0.02),
    "nn.Adam with everything": lambda: nn.Adam(
        parameters(), SCHEDULE, use_nesterov=True, weight_decay=0.1, loss_scale=2.0, use_amsgrad=True
    ),
    "nn.AdamOffload": lambda: nn.AdamOffload(parameters(), 0.02),
    "nn.AdamWeightDecay": lambda: nn.AdamWeightDecay(parameters(), 0.02, weight_decay=0.1),
    "nn.FTRL": lambda: nn.FTRL(parameters(), learning_rate=0.02, l1=0.01),
    "nn.LARS": lambda: nn.LARS(nn.Momentum(parameters(), 0.02, 0.9)),
    "nn.Lamb": lambda: nn.Lamb(parameters(), nn.WarmUpLR(0.1, 4)),
    "nn.LazyAdam": lambda: nn.LazyAdam(parameters(), 0.02),
    "nn.Momentum": lambda: nn.Momentum(parameters(), 0.02, 0.9),
    "nn.Momentum by a schedule": lambda: nn.Momentum(parameters(), nn.CosineDecayLR(0.01, 0.1, 4), 0.9, 0.1),
    "nn.Momentum of groups": lambda: nn.Momentum(_groups(), 0.02, 0.9, 0.1, use_nesterov=True),
    "nn.ProximalAdagrad": lambda: nn.ProximalAdagrad(parameters(), learning_rate=0.02, l1=0.01),
    "nn.RMSProp": lambda: nn.RMSProp(parameters(), 0.02, momentum=0.5),
    "nn.RMSProp centered": lambda: nn.RMSProp(parameters(), 0.02, centered=True),
    "nn.Rprop": lambda: nn.Rprop(parameters(), 0.02),
    "nn.SGD": lambda: nn.SGD(parameters(), 0.02, 0.9, nesterov=True),
    "nn.SGD by a list": lambda: nn.SGD(parameters(), SCHEDULE, weight_decay=0.1),
    **{
        f"{module.__name__}.{name}": lambda module=module, name=name: getattr(module, name)(
            parameters(), lr=0.02
        )
        for module, names in (
            (optim, "ASGD Adadelta Adagrad Adam AdamW Adamax NAdam RAdam RMSprop Rprop SGD"),
            (mint.optim, "Adam AdamW FusedAdamW SGD"),
        )
        for name in names.split()
    },
}


def _groups():
    first, *others = parameters()
    return [{"params": [first], "lr": 0.1}, {"params": others, "weight_decay": 0.0}]


def dynamic(optimizer):
    return optimizer


def in_a_function(optimizer):
    @dyad.jit
    def step(gradients):
        return optimizer(gradients)

    return step


def traced(optimizer):
    return dyad.jit(optimizer, capture_mode="trace")


def in_graph_mode(optimizer):
    def step(gradients):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return optimizer(gradients)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return step


def history(make, form):
    """(what each of four steps gives, Parameters and state after it)."""
    optimizer = make()
    held = [*optimizer.parameters, *optimizer.get_parameters()]
    step = form(optimizer)
    steps = []
    for number in range(4):
        result = step(tuple(Tensor(g) for g in gradients(number)))
        shown = [
            r.asnumpy() if isinstance(r, Tensor) else r
            for r in (result if isinstance(result, tuple) else [result])
        ]
        steps.append((type(result), shown, [(p.name, p.asnumpy().copy()) for p in held]))
    return steps


@pytest.mark.parametrize("form", [in_a_function, traced, in_graph_mode])
@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in OPTIMIZERS.items()])
def test_optimizer_as_a_graph(make, form):
    np.testing.assert_equal(history(make, form), history(make, dynamic))


def test_every_optimizer_has_a_case():
    tried = {type(make()) for make in OPTIMIZERS.values()}
    missing = [
        f"{module.__name__}.{name}"
        for module, base in ((nn, nn.Optimizer), (optim, optim.Optimizer), (mint.optim, optim.Optimizer))
        for name in module.__all__
        if isinstance(kind := getattr(module, name), type)
        and issubclass(kind, base)
        and kind is not base
        and kind not in tried
    ]
    assert not missing


def test_rate_changed_between_steps_is_seen():
    def rates_as(form):
        optimizer = optim.SGD(parameters(), lr=0.02)
        step = form(optimizer)
        for rate in (0.02, 0.5, 0.1):
            optimizer.param_groups[0]["lr"] = rate
            step(tuple(Tensor(g) for g in gradients(0)))
        return [p.asnumpy() for p in optimizer.parameters]

    np.testing.assert_equal(rates_as(in_a_function), rates_as(dynamic))
