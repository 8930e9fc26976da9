"""Every differentiable operator through the tape: its gradient, and the gradient of its gradient, against central
differences in float64."""

import numpy as np
import pytest
from arrays import values_of
from recorded import first_order, projected, second_order, tensor_of
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
    weighted,
    weightings,
)

from dyad import _core

TABLE = [
    op
    for op in _core.op_table()
    if op["gradient"] in ("rule", "body") and op["writes"] < 0 and not op["updates"] and not op["random"]
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
        self.results = run(op, case.arguments)
        self.weights = next(weightings(self.results, self.rng))
        self.directions = [
            self.rng.uniform(-1, 1, get(case.arguments, place).data.shape) for place in self.places
        ]

    def seeds(self):
        return [None if w is None else tensor_of(w) for w in self.weights]

    def tensors(self, arguments=None):
        return [get(arguments or self.case.arguments, place).tensor() for place in self.places]

    def value(self, arguments):
        return weighted(run(self.op, arguments), self.weights)

    def slope(self, arguments):
        """The sum of the first-order gradients along the directions."""
        found = projected(
            self.op, arguments, self.places, self.tensors(arguments), self.seeds(), self.direction_tensors()
        )
        return float(values_of(found))

    def direction_tensors(self):
        return [tensor_of(direction) for direction in self.directions]

    def compare(self, function, gradients, what):
        """Faults of the gradients of a function of the arguments, place by place."""
        here = function(self.case.arguments)
        for place, gradient in zip(self.places, gradients, strict=True):
            if f"takes `{place[0]}` as constant" in self.op["doc"]:
                continue
            direction = self.rng.uniform(-1, 1, get(self.case.arguments, place).data.shape)
            try:
                ahead = function(moved(self.case, place, direction, STEP))
                behind = function(moved(self.case, place, direction, -STEP))
            except (ValueError, IndexError):
                continue  # the case lies at the edge of what is accepted
            if not is_smooth(behind, here, ahead):
                continue
            numeric = (ahead - behind) / (2 * STEP)
            ours = inner(gradient, direction)
            if not abs(ours - numeric) <= TOLERANCE * max(1.0, abs(numeric), abs(here)):
                yield f"{self.op['name']}({self.case}): {what} of {place[0]}: {ours}, by differences {numeric}"


def inner(tensor, array):
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.sum(values_of(tensor) * array))


def points(op):
    for case in cases_of(op):
        point = Point(op, case)
        if any(weight is not None for weight in point.weights):
            yield point


def refused(error):
    """A factor that is not unique has no derivative, and its rule says so."""
    return "no derivative" in str(error)


def first_order_faults(point):
    try:
        found = first_order(point.op, point.case.arguments, point.places, point.tensors(), point.seeds())
    except ValueError as error:
        if refused(error):
            return []
        raise
    return list(point.compare(point.value, found, "gradient"))


def second_order_faults(point):
    directions = point.direction_tensors()
    try:
        found, by_seed = second_order(
            point.op, point.case.arguments, point.places, point.tensors(), point.seeds(), directions
        )
    except ValueError as error:
        if refused(error):
            return []
        raise
    faults = list(point.compare(point.slope, found, "second derivative"))
    # The gradient is linear in the seeds, so that it equals its derivative along them.
    slope = point.slope(point.case.arguments)
    used = [w for w in point.weights if w is not None]
    along = sum(inner(g, w) for g, w in zip(by_seed, used, strict=True))
    if np.isfinite(slope) and not abs(along - slope) <= TOLERANCE * max(1.0, abs(slope)):
        faults.append(f"{point.op['name']}({point.case}): derivative by the seed: {along}, must be {slope}")
    return faults


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_gradient_agrees_with_differences(op):
    faults = [fault for point in points(op) for fault in first_order_faults(point)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_second_derivative_agrees_with_differences(op):
    faults = [fault for point in points(op) for fault in second_order_faults(point)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])
