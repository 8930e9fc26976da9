"""Gradients of complex tensors: for a real loss, its derivative by the real part plus i times that by the imaginary
part. Checked against central differences over the complex samples of the table, in the first and second order."""

import numpy as np
import pytest
from arrays import Array, values_of
from counted import note_comparison
from faces import canonical, materialise
from samples import Case, expand
from test_gradients import (
    MOST_ELEMENTS,
    SHOWN_FAULTS,
    STEP,
    TOLERANCE,
    element_count,
    float_cases,
    is_smooth,
    moved,
    run,
)
from test_second_order import TABLE as DIFFERENTIABLE

import dyad
from dyad import Tensor, _core, ops

MOST_CASES = 8
sum_all = _core.named_op("sum")
real_part = _core.named_op("real_part")
conjugate = _core.named_op("conjugate")


def places_of(case: Case):
    return [
        (name, None)
        for name, value in case.arguments.items()
        if isinstance(value, Array) and value.dtype in ("float64", "complex128")
    ]


def gives_complex(op, case):
    return any(result.dtype == _core.complex128 for result in run(op, case.arguments))


def complex_cases(op):
    """Cases with complex arguments; of operators that make complex numbers of real ones, those."""
    cases = [case for text in op["samples"] for case in expand(op, text, dtypes=["complex128"])]
    cases = [case for case in cases if any(array.dtype == "complex128" for array in case.arrays())]
    if not cases:
        cases = [case for case in float_cases(op) if gives_complex(op, case)]
    cases = [case for case in cases if element_count(case) <= MOST_ELEMENTS and places_of(case)]
    return cases[:: max(1, len(cases) // MOST_CASES)]


CASES = [(op, cases) for op in DIFFERENTIABLE if (cases := complex_cases(op))]


def random_like(rng, shape, dtype):
    values = rng.uniform(-1, 1, shape)
    return values + 1j * rng.uniform(-1, 1, shape) if "complex" in dtype else values


class Loss:
    """A real number made of an operator's results: the real part of their inner product with fixed weights."""

    def __init__(self, op, case):
        self.op, self.case = op, case
        self.places = places_of(case)
        self.rng = np.random.default_rng(3)
        self.weights = []
        for result in self.results(case.arguments, self.tensors(case.arguments)):
            dtype = {_core.float64: "float64", _core.complex128: "complex128"}.get(result.dtype)
            shape = result.shape
            weight = Array(random_like(self.rng, shape, dtype), dtype).tensor() if dtype else None
            self.weights.append(weight)
        self.directions = [self.direction(name) for name, _ in self.places]

    def direction(self, name):
        array = self.case.arguments[name]
        return random_like(self.rng, array.data.shape, array.dtype)

    def tensors(self, arguments):
        return [arguments[name].tensor() for name, _ in self.places]

    def results(self, arguments, tensors):
        given = {name: materialise(value) for name, value in arguments.items()}
        given |= {name: tensor for (name, _), tensor in zip(self.places, tensors, strict=True)}
        result = canonical(self.op, given)
        return list(result) if isinstance(result, tuple | list) else [result]

    def derivative(self, arguments, tensors, order):
        """The loss, or its derivative along the directions, as a real tensor."""
        if order == 0:
            return inner(self.weights, self.results(arguments, tensors))
        directions = [
            Array(direction, arguments[name].dtype).tensor()
            for (name, _), direction in zip(self.places, self.directions, strict=True)
        ]
        return inner(directions, self.gradients(arguments, tensors, order))

    def gradients(self, arguments, tensors, order):
        mark = _core.tape_enter()
        try:
            inputs = [_core.as_input(tensor) for tensor in tensors]
            value = self.derivative(arguments, inputs, order - 1)
            return _core.differentiate([value], [None], inputs, mark, False)
        finally:
            _core.tape_exit()

    def number(self, arguments, order):
        return float(values_of(self.derivative(arguments, self.tensors(arguments), order)))

    def faults(self, order):
        arguments = self.case.arguments
        found = self.gradients(arguments, self.tensors(arguments), order)
        here = self.number(arguments, order - 1)
        for place, gradient in zip(self.places, found, strict=True):
            direction = self.direction(place[0])
            ahead = self.number(moved(self.case, place, direction, STEP), order - 1)
            behind = self.number(moved(self.case, place, direction, -STEP), order - 1)
            if not is_smooth(behind, here, ahead):
                continue
            numeric = (ahead - behind) / (2 * STEP)
            ours = float(np.sum(np.real(np.conj(values_of(gradient)) * direction)))
            note_comparison()
            if not abs(ours - numeric) <= TOLERANCE * max(1.0, abs(numeric), abs(here)):
                yield (
                    f"{self.op['name']}({self.case}): derivative {order} by {place[0]}: {ours}, "
                    f"by differences {numeric}"
                )


def inner(weights, values):
    parts = []
    for weight, value in zip(weights, values, strict=True):
        if weight is None:
            continue
        product = conjugate(weight) * value
        parts.append(sum_all(real_part(product)))
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("op", "cases"), CASES, ids=[op["name"] for op, _ in CASES])
def test_complex_gradient_agrees_with_differences(op, cases, order):
    faults = []
    for case in cases:
        loss = Loss(op, case)
        if any(weight is not None for weight in loss.weights):
            faults += loss.faults(order)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("x", [2 + 1j, -2 + 1j, -0.5 - 3j, 0.3 + 0.2j])
def test_the_slope_of_acosh_has_the_sign_of_its_branch(x):
    step = 1e-6
    slope = (np.arccosh(x + step) - np.arccosh(x - step)) / (2 * step)
    found = dyad.grad(lambda z: ops.real(ops.acosh(z)))(Tensor([x], dyad.complex128)).asnumpy()[0]
    np.testing.assert_allclose(found, np.conj(slope), rtol=1e-6)
