"""The gradient graph of every differentiable operator: its text is read back, verified and run, and gives what the tape
gives on real tensors."""

import numpy as np
import pytest
from arrays import Array
from comparison import near
from faces import materialise
from graphs import outcome, tensors_in
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
from dyad import _core, ops

TABLE = [op for op in _core.op_table() if op["gradient"] in ("rule", "body")]
MOST_CASES = 2


def cases_of(op):
    """The first and the last of the small cases, which have the least in common."""
    cases = [case for case in float_cases(op) if element_count(case) <= MOST_ELEMENTS]
    return [*cases[:1], *cases[1:][-1:]] or list(float_cases(op))[:1]


class Point:
    """One case as a function of its float tensors that gives one number: the results weighed with seeds."""

    def __init__(self, op, case):
        rng = np.random.default_rng(7)
        self.op, self.case, self.places = op, case, float_places(case)
        results = run(op, case.arguments)
        self.used = [i for i, result in enumerate(results) if is_exact(result)]
        self.tensors = tuple(get(case.arguments, place).tensor() for place in self.places)
        self.seeds = tuple(drawn(rng, results[i]) for i in self.used)
        self.directions = tuple(drawn(rng, tensor) for tensor in self.tensors)
        self.noughts = tuple(ops.zeros_like(tensor) for tensor in self.tensors)
        self.arguments = {name: materialise(value) for name, value in case.arguments.items()}

    def gradient(self, order):
        """(function, arguments) of the gradient of that order."""
        first = gradient_function(_core.named_op(self.op["name"]), self.places, self.used)
        given = (self.arguments, self.tensors, self.seeds)
        if order == 1:
            return as_results(first), (self.noughts, *given)
        return as_results(second_gradient(first)), (self.noughts, *given, self.directions)


def drawn(rng, tensor):
    return Array(rng.uniform(-1, 1, tensor.shape), "float64").tensor()


def gradient_function(operator, places, used):
    def gradients(arguments, tensors, seeds):
        def weighed(*moved):
            given = dict(arguments)
            for (name, at), tensor in zip(places, moved):  # noqa: B905 - graphs know no strict
                tensor = tensor * 1  # a copy that operators may write to
                given[name] = tensor if at is None else [*given[name][:at], tensor, *given[name][at + 1 :]]
            found = operator(**given)
            found = found if isinstance(found, (tuple, list)) else (found,)
            return sum([ops.sum(found[i] * seed) for i, seed in zip(used, seeds)])  # noqa: B905

        found = dyad.grad(weighed, tuple(range(len(tensors))))(*tensors)
        return found if isinstance(found, tuple) else (found,)

    return gradients


def second_gradient(first):
    def gradients(arguments, tensors, seeds, directions):
        def along(*moved):
            found = first(arguments, moved, seeds)
            return sum([ops.sum(one * direction) for one, direction in zip(found, directions)])  # noqa: B905

        found = dyad.grad(along, tuple(range(len(tensors))))(*tensors)
        return found if isinstance(found, tuple) else (found,)

    return gradients


def as_results(gradients):
    """The gradients as results of a graph: one that is known beforehand would be none, if nothing were added to it."""

    def results(noughts, *given):
        return [one + nought for one, nought in zip(gradients(*given), noughts)]  # noqa: B905

    return results


def faults_of(op, case, order):
    point = Point(op, case)
    if not point.used:
        return
    program, given = point.gradient(order)
    state = _core.get_generator_state()
    wanted = outcome(program, *given)
    if isinstance(wanted, ValueError) and "no derivative" in str(wanted):
        return  # a factor that is not unique: the rule says so
    if isinstance(wanted, Exception):
        raise wanted
    text = str(dyad.ir(program)(*given))
    parsed = _core.parse_graph(text)
    parsed.verify()
    if parsed.text() != text:
        yield f"{op['name']}({case}): read back, the graph is\n{parsed.text()}and was\n{text}"
    _core.set_generator_state(*state)
    found = parsed.compile().run(list(tensors_in(given)))
    if not near(found, wanted):
        yield f"{op['name']}({case}): the graph gives {found}, the tape {wanted}\n{text}"


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_gradient_graph_is_read_back_and_run(op):
    cases = cases_of(op)
    faults = [fault for case in cases[:MOST_CASES] for fault in faults_of(op, case, order=1)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("op", [op for op in TABLE if op["gradient"] == "rule"], ids=lambda op: op["name"])
def test_second_gradient_graph_is_read_back_and_run(op):
    cases = cases_of(op)
    faults = [fault for case in cases[:1] for fault in faults_of(op, case, order=2)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])
