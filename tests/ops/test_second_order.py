"""Every differentiable operator through the tape: its gradient, the gradient of its gradient and once more, against
central differences in float64."""

import numpy as np
import pytest
from arrays import values_of
from counted import note_comparison
from recorded import Recorded
from test_gradients import (
    MOST_ELEMENTS,
    SHOWN_FAULTS,
    STEP,
    TOLERANCE,
    element_count,
    float_cases,
    float_places,
    get,
    is_smooth,
    moved,
    run,
    weightings,
)

from dyad import _core

# Some of its results are constants to gradients, but not to differences.
WITH_CONSTANT_RESULTS = {"layer_norm_moments"}
TABLE = [
    op
    for op in _core.op_table()
    if op["gradient"] in ("rule", "body")
    and op["name"] not in WITH_CONSTANT_RESULTS
    and op["numpy"]
    and "any_values" not in op["numpy"]  # a value to differentiate, not a random or an undefined one
    and op["writes"] < 0
]
MOST_CASES = 10


def cases_of(op):
    """Small cases; where there are many, some from all over the samples."""
    cases = [case for case in float_cases(op) if element_count(case) <= MOST_ELEMENTS]
    return cases[:: max(1, len(cases) // MOST_CASES)] if cases else list(float_cases(op))[:1]


class Point:
    """One case at which the slopes of an operator are compared."""

    def __init__(self, op, case):
        self.op, self.case = op, case
        self.places = float_places(case)
        self.rng = np.random.default_rng(7)
        self.weights = next(weightings(run(op, case.arguments), self.rng))
        directions = [self.direction(place) for place in self.places]
        self.recorded = Recorded(op, self.places, self.weights, directions)

    def direction(self, place):
        return self.rng.uniform(-1, 1, get(self.case.arguments, place).data.shape)

    def derivative(self, arguments, order):
        return float(values_of(self.recorded.derivative(arguments, self.recorded.tensors(arguments), order)))

    def gradients(self, order, **by):
        arguments = self.case.arguments
        return self.recorded.gradients(arguments, self.recorded.tensors(arguments), order, **by)

    def faults(self, order):
        """Where the gradient of that order differs from differences of the order below, place by place."""
        here = self.derivative(self.case.arguments, order - 1)
        for place, gradient in zip(self.places, self.gradients(order), strict=True):
            if f"takes `{place[0]}` as constant" in self.op["doc"]:
                continue
            direction = self.direction(place)
            try:
                ahead = self.derivative(moved(self.case, place, direction, STEP), order - 1)
                behind = self.derivative(moved(self.case, place, direction, -STEP), order - 1)
            except (ValueError, IndexError):
                continue  # the case lies at the edge of what is accepted
            if not is_smooth(behind, here, ahead):
                continue
            numeric = (ahead - behind) / (2 * STEP)
            ours = inner(gradient, direction)
            note_comparison()
            if not abs(ours - numeric) <= TOLERANCE * max(1.0, abs(numeric), abs(here)):
                yield (
                    f"{self.op['name']}({self.case}): derivative {order} by {place[0]}: {ours}, "
                    f"by differences {numeric}"
                )

    def seed_faults(self):
        """The gradient is linear in the seeds, so that it equals its derivative along them."""
        slope = self.derivative(self.case.arguments, 1)
        used = [weight for weight in self.weights if weight is not None]
        found = self.gradients(2, seeds=True)
        along = sum(inner(gradient, weight) for gradient, weight in zip(found, used, strict=True))
        if np.isfinite(slope) and not abs(along - slope) <= TOLERANCE * max(1.0, abs(slope)):
            yield f"{self.op['name']}({self.case}): derivative by the seed: {along}, must be {slope}"


def inner(tensor, array):
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.sum(values_of(tensor) * array))


def faults_of(op, order):
    for case in cases_of(op):
        point = Point(op, case)
        if all(weight is None for weight in point.weights):
            continue
        try:
            yield from point.faults(order)
            if order == 2:
                yield from point.seed_faults()
        except ValueError as error:
            # A factor that is not unique has no derivative, and its rule says so.
            if "no derivative" not in str(error):
                raise


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivative_agrees_with_differences(op, order):
    faults = list(faults_of(op, order))
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])
