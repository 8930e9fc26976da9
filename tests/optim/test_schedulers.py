"""Schedulers write the rates that their definitions say, epoch by epoch."""

import math

import pytest
from walk import parameters

import dyad
from dyad import nn
from dyad.experimental import optim
from dyad.experimental.optim import lr_scheduler as schedulers


def two_groups():
    first, *rest = parameters()
    return optim.SGD([{"params": [first]}, {"params": rest, "lr": 0.4}], 0.1)


def rates_over(make, epochs=12):
    """Rates of the first group from the start on, and those of the second as multiples of the first."""
    optimizer = two_groups()
    scheduler = make(optimizer)
    seen = []
    for _ in range(epochs):
        seen.append([float(rate) for rate in scheduler.get_last_lr()])
        scheduler.step()
    return seen


def check(make, factor, epochs=12):
    for epoch, (first, second) in enumerate(rates_over(make, epochs)):
        assert first == pytest.approx(0.1 * factor(epoch), rel=1e-5, abs=1e-9), epoch
        assert second == pytest.approx(0.4 * factor(epoch), rel=1e-5, abs=1e-9), epoch


FACTORS = {
    "StepLR": (lambda o: schedulers.StepLR(o, 3, 0.5), lambda e: 0.5 ** (e // 3)),
    "MultiStepLR": (
        lambda o: schedulers.MultiStepLR(o, [2, 5, 5], 0.5),
        lambda e: 0.5 ** ((e >= 2) + 2 * (e >= 5)),
    ),
    "ExponentialLR": (lambda o: schedulers.ExponentialLR(o, 0.8), lambda e: 0.8**e),
    "ConstantLR": (lambda o: schedulers.ConstantLR(o, 0.25, 4), lambda e: 0.25 if e < 4 else 1),
    "LinearLR": (
        lambda o: schedulers.LinearLR(o, 0.5, 0.9, 4),
        lambda e: 0.5 + 0.4 * min(e, 4) / 4,
    ),
    "LinearLR to zero": (lambda o: schedulers.LinearLR(o, 1.0, 0.0, 4), lambda e: 1 - min(e, 4) / 4),
    "PolynomialLR": (
        lambda o: schedulers.PolynomialLR(o, 6, 2.0),
        lambda e: (1 - min(e, 6) / 6) ** 2,
    ),
    "LambdaLR": (lambda o: schedulers.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
    "LambdaLR of groups": (
        lambda o: schedulers.LambdaLR(o, [lambda e: 0.9**e, lambda e: 0.9**e]),
        lambda e: 0.9**e,
    ),
    "MultiplicativeLR": (lambda o: schedulers.MultiplicativeLR(o, lambda e: 0.9), lambda e: 0.9**e),
    "CosineAnnealingLR": (
        lambda o: schedulers.CosineAnnealingLR(o, 4),
        lambda e: (1 + math.cos(math.pi * e / 4)) / 2,
    ),
    "CosineAnnealingWarmRestarts": (
        lambda o: schedulers.CosineAnnealingWarmRestarts(o, 3),
        lambda e: (1 + math.cos(math.pi * (e % 3) / 3)) / 2,
    ),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factor_of_each_epoch(name):
    check(*FACTORS[name])


@pytest.mark.parametrize("name", [name for name in FACTORS if name != "MultiplicativeLR"])
def test_going_to_an_epoch_gives_the_same_rate(name):
    make, factor = FACTORS[name]
    for epoch in (0, 1, 3, 7):
        optimizer = two_groups()
        scheduler = make(optimizer)
        scheduler.step(epoch)
        assert float(optimizer.lrs[0]) == pytest.approx(0.1 * factor(epoch), rel=1e-5, abs=1e-9), epoch


def test_restarts_grow_longer():
    seen = rates_over(lambda o: schedulers.CosineAnnealingWarmRestarts(o, 2, 2, 0.01), 14)
    starts = [epoch for epoch, (first, _) in enumerate(seen) if first == pytest.approx(0.1)]
    assert starts == [0, 2, 6]
    optimizer = two_groups()
    scheduler = schedulers.CosineAnnealingWarmRestarts(optimizer, 2, 2, 0.01)
    scheduler.step(6.5)
    height = (1 + math.cos(math.pi * 0.5 / 8)) / 2
    assert float(optimizer.lrs[0]) == pytest.approx(0.01 + 0.09 * height)
    assert scheduler.last_epoch == 6


@pytest.mark.parametrize(
    ("mode", "height"),
    [
        ("triangular", lambda e: 1.0),
        ("triangular2", lambda e: 0.5 ** (e // 6)),
        ("exp_range", lambda e: 0.9**e),
    ],
)
def test_cyclic_lr_follows_its_triangle(mode, height):
    def make(optimizer):
        return schedulers.CyclicLR(optimizer, 0.1, [0.5, 0.9], 2, 4, mode, 0.9)

    triangle = [0, 0.5, 1, 0.75, 0.5, 0.25]
    for epoch, (first, second) in enumerate(rates_over(make)):
        assert first == pytest.approx(0.1 + 0.4 * triangle[epoch % 6] * height(epoch), rel=1e-4)
        assert second == pytest.approx(0.1 + 0.8 * triangle[epoch % 6] * height(epoch), rel=1e-4)


def test_cyclic_with_its_own_scale():
    def make(optimizer):
        return schedulers.CyclicLR(optimizer, 0.1, 0.3, 1, scale_fn=lambda cycle: 1 / cycle)

    assert [first for first, _ in rates_over(make, 4)] == pytest.approx([0.1, 0.3, 0.1, 0.2])


def test_schedulers_can_be_combined():
    optimizer = two_groups()
    both = [schedulers.ExponentialLR(optimizer, 0.9), schedulers.StepLR(optimizer, 2, 0.5)]
    for _ in range(3):
        for scheduler in both:
            scheduler.step()
    assert float(optimizer.lrs[0]) == pytest.approx(0.1 * 0.9**3 * 0.5)


def test_sequential_lr_switches_at_its_milestone():
    def make(optimizer):
        warm = schedulers.ConstantLR(optimizer, 0.1, 100)
        rest = schedulers.ExponentialLR(optimizer, 0.5)
        return schedulers.SequentialLR(optimizer, [warm, rest], [3])

    seen = [first for first, _ in rates_over(make, 6)]
    assert seen == pytest.approx([0.01, 0.01, 0.01, 0.1, 0.05, 0.025])


def test_one_strict_graph_runs_a_sequence():
    def run(form):
        optimizer = two_groups()
        parts = [schedulers.ConstantLR(optimizer, 0.1, 100)]
        parts += [schedulers.ExponentialLR(optimizer, 0.5), schedulers.StepLR(optimizer, 1, 0.1)]
        sequence = schedulers.SequentialLR(optimizer, parts, [2, 4])
        step = form(sequence.step)
        rates = []
        for _ in range(6):
            step()
            rates.append([float(rate) for rate in sequence.get_last_lr()])
        return rates, int(sequence.last_epoch), step

    rates, epoch, step = run(lambda function: dyad.jit(function, fullgraph=True))
    assert (rates, epoch) == run(lambda function: function)[:2]
    assert step.misses == 1


def test_reduce_lr_on_plateau_waits_and_cools_down():
    optimizer = two_groups()
    scheduler = schedulers.ReduceLROnPlateau(
        optimizer, factor=0.5, patience=1, cooldown=1, min_lr=[0.03, 0.3]
    )
    rates = []
    for loss in [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5]:
        scheduler.step(loss)
        rates.append([float(rate) for rate in scheduler.get_last_lr()])
    firsts = [first for first, _ in rates]
    assert firsts == pytest.approx([0.1, 0.1, 0.05, 0.05, 0.05, 0.03, 0.03, 0.03, 0.03])
    assert rates[-1][1] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("mode", "kind", "better", "worse"),
    [("min", "abs", 0.85, 0.95), ("max", "rel", 1.15, 1.05), ("max", "abs", 1.15, 1.05)],
)
def test_plateau_counts_an_improvement_beyond_the_threshold(mode, kind, better, worse):
    scheduler = schedulers.ReduceLROnPlateau(two_groups(), mode, threshold=0.1, threshold_mode=kind)
    scheduler.step(1.0)
    scheduler.step(worse)
    assert (scheduler.best, scheduler.wait) == (1.0, 1)
    scheduler.step(better)
    assert (scheduler.best, scheduler.wait) == (better, 0)


def test_state_of_a_scheduler_goes_on_where_it_was():
    optimizer = two_groups()
    scheduler = schedulers.StepLR(optimizer, 2, 0.5)
    for _ in range(3):
        scheduler.step()
    other = schedulers.StepLR(two_groups(), 7, 0.1)
    other.load_state_dict(scheduler.state_dict())
    other.step()
    assert (other.last_epoch, other.step_size) == (4, 2)


def test_a_scheduler_of_a_user():
    class Halving(schedulers.LRScheduler):
        def get_lr(self):
            return [rate * 0.5 if self.last_epoch else rate * 1.0 for rate in self._last_lr]

    assert [first for first, _ in rates_over(Halving, 3)] == pytest.approx([0.1, 0.05, 0.025])


@pytest.fixture
def strict_graphs():
    before = {name: dyad.get_context(name) for name in ("mode", "jit_syntax_level")}
    dyad.set_context(mode=dyad.GRAPH_MODE, jit_syntax_level=dyad.STRICT)
    yield
    dyad.set_context(**before)


CYCLES = {
    f"CyclicLR {mode}": lambda o, mode=mode: schedulers.CyclicLR(o, 0.1, [0.5, 0.9], 2, 3, mode, 0.9)
    for mode in ("triangular", "triangular2", "exp_range")
}


@pytest.mark.parametrize("name", [*FACTORS, *CYCLES])
def test_steps_inside_a_strict_graph(name, strict_graphs):
    make = CYCLES[name] if name in CYCLES else FACTORS[name][0]
    scheduler = make(two_groups())

    class Epoch(nn.Cell):
        def construct(self):
            scheduler.step()
            return scheduler.get_last_lr()

    expected = rates_over(make, 9)[1:]
    epoch = Epoch()
    for number, rates in enumerate(expected):
        assert [float(rate) for rate in epoch()] == pytest.approx(rates, rel=1e-6, abs=1e-9), number
    assert scheduler.last_epoch == len(expected)
    assert len(epoch.compile_cache) == 1


def test_a_plateau_inside_a_strict_graph():
    losses = [1.0, 0.9, 0.9, 0.9, 0.9, 0.2, 0.3, 0.3, 0.3, float("nan"), 0.3]

    def run(form):
        scheduler = schedulers.ReduceLROnPlateau(two_groups(), patience=1, cooldown=1)
        step = form(lambda loss: (scheduler.step(loss), *scheduler.get_last_lr())[1:])
        rates = [[float(rate) for rate in step(dyad.Tensor(loss))] for loss in losses]
        return rates, scheduler.state_dict()

    strict = dyad.JitConfig(jit_syntax_level="STRICT")
    assert run(lambda function: dyad.jit(function, jit_config=strict)) == run(lambda function: function)


def test_a_group_of_none_has_a_rate():
    optimizer = optim.Adam([{"params": []}, {"params": parameters(), "lr": 1.0}], 0.1)
    scheduler = schedulers.ExponentialLR(optimizer, 0.5)
    scheduler.step()
    assert [float(rate) for rate in scheduler.get_last_lr()] == pytest.approx([0.05, 0.5])
    assert optimizer(tuple(p * 0 for p in optimizer.parameters))
