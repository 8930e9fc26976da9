"""Every differentiable operator in forward mode: the tangent weighed with a seed is the gradient from that seed weighed
with the direction, in the dynamic graph and inside a static one."""

import numpy as np
import pytest
from arrays import Array, values_of
from counted import note_comparison
from faces import canonical, materialise
from test_gradients import (
    MOST_ELEMENTS,
    SHOWN_FAULTS,
    element_count,
    float_cases,
    float_places,
    get,
    is_exact,
    run,
)

import dyad
from dyad import _core

TABLE = [
    op
    for op in _core.op_table()
    if op["gradient"] in ("rule", "body") and op["writes"] < 0 and not op["updates"] and not op["random"]
]
MOST_CASES = 10
MOST_GRAPHS = 2
TOLERANCE = 1e-9


def cases_of(op):
    """Small cases; where there are many, some from all over the samples."""
    cases = [case for case in float_cases(op) if element_count(case) <= MOST_ELEMENTS]
    return cases[:: max(1, len(cases) // MOST_CASES)] if cases else list(float_cases(op))[:1]


class Along:
    """One case as a function of its float tensors, with a direction to go in and seeds for the results."""

    def __init__(self, op, case):
        rng = np.random.default_rng(7)
        self.op, self.case, self.places = op, case, float_places(case)
        self.tensors = tuple(get(case.arguments, place).tensor() for place in self.places)
        self.directions = tuple(self._drawn(rng, tensor) for tensor in self.tensors)
        self.used = [i for i, result in enumerate(run(op, case.arguments)) if is_exact(result)]
        self.seeds = tuple(self._drawn(rng, self.results(*self.tensors)[i]) for i in range(len(self.used)))

    @staticmethod
    def _drawn(rng, tensor):
        return Array(rng.uniform(-1, 1, tensor.shape), "float64").tensor()

    def results(self, *tensors):
        given = {name: materialise(value) for name, value in self.case.arguments.items()}
        for (name, at), tensor in zip(self.places, tensors, strict=True):
            given[name] = tensor if at is None else [*given[name][:at], tensor, *given[name][at + 1 :]]
        result = canonical(self.op, given)
        results = list(result) if isinstance(result, tuple | list) else [result]
        return tuple(results[i] for i in self.used)

    def from_the_left(self):
        _, vjp_fn = dyad.vjp(self.results, *self.tensors)
        return inner(vjp_fn(*self.seeds), self.directions)

    def from_the_right(self):
        _, tangents = dyad.jvp(self.results, self.tensors, self.directions)
        return inner(tangents, self.seeds)


def inner(tensors, weights):
    with np.errstate(invalid="ignore", over="ignore"):
        return sum(
            float(np.sum(values_of(tensor) * values_of(weight)))
            for tensor, weight in zip(tensors, weights, strict=True)
        )


def agree(one, other):
    if not np.isfinite(one) or not np.isfinite(other):
        return True  # beside a pole the order of additions decides between infinity and none
    note_comparison()
    return abs(one - other) <= TOLERANCE * max(1.0, abs(one))


def faults_of(op, case):
    point = Along(op, case)
    if not point.used:
        return
    try:
        left = point.from_the_left()
    except ValueError as error:
        # A factor that is not unique: the rule says so instead of giving some gradient.
        if "no derivative" in str(error):
            return
        raise
    right = point.from_the_right()
    if not agree(left, right):
        yield f"{op['name']}({case}): forward mode gives {right}, reverse mode {left}"


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_forward_mode_agrees_with_reverse_mode(op):
    cases = cases_of(op)
    faults = [fault for case in cases for fault in faults_of(op, case)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def in_a_graph(op, places, used):
    """A static graph that gives the tangents."""
    operator = _core.named_op(op["name"])

    @dyad.jit
    def tangents(arguments, tensors, directions):
        def results(*moved):
            given = dict(arguments)
            for (name, at), tensor in zip(places, moved):  # noqa: B905 - graphs know no strict
                if at is None:
                    given[name] = tensor
                else:
                    given[name] = [*given[name][:at], tensor, *given[name][at + 1 :]]
            found = operator(**given)
            found = found if isinstance(found, (tuple, list)) else (found,)
            return tuple([found[i] for i in used])

        return dyad.jvp(results, tensors, directions)[1]

    return tangents


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_forward_mode_inside_a_graph(op):
    cases = cases_of(op)
    faults = []
    for case in (cases[-1:] + cases[:1])[:MOST_GRAPHS]:
        point = Along(op, case)
        if not point.used:
            continue
        arguments = {name: materialise(value) for name, value in case.arguments.items()}
        try:
            right = point.from_the_right()
        except ValueError as error:
            if "no derivative" in str(error):
                continue
            raise
        graph = in_a_graph(op, point.places, point.used)
        inside = inner(graph(arguments, point.tensors, point.directions), point.seeds)
        if not agree(right, inside):
            faults.append(f"{op['name']}({case}): the graph gives {inside}, the dynamic graph {right}")
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])
