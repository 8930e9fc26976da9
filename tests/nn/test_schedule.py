"""Learning rates per step against their formulas, as lists and as Cells."""

import math
import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn

STEPS = 25
PER_EPOCH = 2


def staired(value, is_stair):
    return math.floor(value) if is_stair else value


LISTS = {
    "exponential_decay_lr": lambda e, s: 0.1 * 0.5 ** staired(e / 3, s),
    "natural_exp_decay_lr": lambda e, s: 0.1 * math.exp(-0.5 * (e // 3 * 3 if s else e)),
    "inverse_decay_lr": lambda e, s: 0.1 / (1 + 0.5 * staired(e / 3, s)),
}
CELLS = {
    "ExponentialDecayLR": lambda t, s: 0.1 * 0.5 ** staired(t / 3, s),
    "NaturalExpDecayLR": lambda t, s: 0.1 * math.exp(-0.5 * (t // 3 * 3 if s else t)),
    "InverseDecayLR": lambda t, s: 0.1 / (1 + 0.5 * staired(t / 3, s)),
}


def per_epoch(rate):
    return [rate(step // PER_EPOCH) for step in range(STEPS)]


def rates(schedule):
    return [float(schedule(Tensor(step, dyad.int32)).asnumpy()) for step in range(STEPS)]


@pytest.mark.parametrize("is_stair", [False, True])
@pytest.mark.parametrize("name", LISTS)
def test_decaying_lists(name, is_stair):
    found = getattr(nn, name)(0.1, 0.5, STEPS, PER_EPOCH, 3, is_stair)
    np.testing.assert_allclose(found, per_epoch(lambda epoch: LISTS[name](epoch, is_stair)))


@pytest.mark.parametrize("is_stair", [False, True])
@pytest.mark.parametrize("name", CELLS)
def test_decaying_cells(name, is_stair):
    schedule = getattr(nn, name)(0.1, 0.5, 3, is_stair)
    assert isinstance(schedule, nn.learning_rate_schedule.LearningRateSchedule)
    np.testing.assert_allclose(rates(schedule), [CELLS[name](t, is_stair) for t in range(STEPS)], rtol=1e-5)


def test_cosine_decay_follows_its_formula():
    def rate(t):
        return 0.01 + 0.5 * (0.1 - 0.01) * (1 + math.cos(math.pi * min(t, 5) / 5))

    np.testing.assert_allclose(nn.cosine_decay_lr(0.01, 0.1, STEPS, PER_EPOCH, 5), per_epoch(rate))
    np.testing.assert_allclose(
        rates(nn.CosineDecayLR(0.01, 0.1, 5)), list(map(rate, range(STEPS))), rtol=1e-5
    )


@pytest.mark.parametrize("anew", [False, True])
def test_polynomial_decay_follows_its_formula(anew):
    def rate(t):
        span = 5 * max(math.ceil(t / 5), 1) if anew else 5
        return (0.1 - 0.01) * (1 - min(t, span) / span) ** 0.5 + 0.01

    found = nn.polynomial_decay_lr(0.1, 0.01, STEPS, PER_EPOCH, 5, 0.5, anew)
    np.testing.assert_allclose(found, per_epoch(rate))
    schedule = nn.PolynomialDecayLR(0.1, 0.01, 5, 0.5, anew)
    np.testing.assert_allclose(rates(schedule), list(map(rate, range(STEPS))), rtol=1e-5)


def test_warm_up():
    def rate(t):
        return 0.1 * min(t, 4) / 4

    np.testing.assert_allclose(nn.warmup_lr(0.1, STEPS, PER_EPOCH, 4), per_epoch(rate))
    np.testing.assert_allclose(rates(nn.WarmUpLR(0.1, 4)), list(map(rate, range(STEPS))), rtol=1e-6)


def test_piecewise_constant_lr_changes_at_its_milestones():
    assert nn.piecewise_constant_lr([2, 5], [0.1, 0.05]) == [0.1, 0.1, 0.05, 0.05, 0.05]
    assert nn.piecewise_constant_lr((1,), (0.1,)) == [0.1]


def test_a_schedule_takes_a_number_and_a_tensor():
    schedule = nn.WarmUpLR(0.5, 10)
    assert float(schedule(3)) == float(schedule(Tensor([3], dyad.int32))[0]) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: nn.CosineDecayLR(0.1, 0.01, 5),
            ValueError,
            "min_lr is 0.1 and max_lr 0.01; need min_lr < max_lr",
        ),
        (lambda: nn.CosineDecayLR(0, 0.1, 5), TypeError, "CosineDecayLR: min_lr is 0 of type int"),
        (lambda: nn.CosineDecayLR(0.0, 0.1, 0), ValueError, "decay_steps is 0; need an int of at least 1"),
        (lambda: nn.ExponentialDecayLR(-0.1, 0.5, 3), ValueError, "learning_rate is -0.1"),
        (lambda: nn.ExponentialDecayLR(0.1, 1, 3), TypeError, "decay_rate is 1 of type int; need a float"),
        (lambda: nn.InverseDecayLR(0.1, 0.5, 3, 1), TypeError, "is_stair is 1 of type int"),
        (lambda: nn.WarmUpLR(-1.0, 5), ValueError, "learning_rate is -1.0; need a float of 0 or more"),
        (lambda: nn.PolynomialDecayLR(0.1, 0.01, 5, 0.0), ValueError, "power is 0.0"),
        (lambda: nn.cosine_decay_lr(0.01, 0.1, 0, 2, 5), ValueError, "cosine_decay_lr: total_step is 0"),
        (lambda: nn.exponential_decay_lr(0.1, 0.5, 6, 2.0, 1), TypeError, "step_per_epoch is 2.0"),
        (lambda: nn.warmup_lr(0.1, 6, 2, 0), ValueError, "warmup_epoch is 0"),
        (lambda: nn.piecewise_constant_lr([2], [0.1, 0.2]), ValueError, "1 milestones and 2 learning rates"),
        (
            lambda: nn.piecewise_constant_lr([3, 2], [0.1, 0.2]),
            ValueError,
            "milestone[1] is 2 after 3; need milestones that grow",
        ),
        (lambda: nn.piecewise_constant_lr(3, [0.1]), TypeError, "milestone is of type int"),
        (lambda: nn.piecewise_constant_lr([3], [1]), TypeError, "learning_rates[0] is 1 of type int"),
    ],
)
def test_wrong_settings_are_refused(make, error, message):
    with pytest.raises(error, match=re.escape(message)):
        make()
