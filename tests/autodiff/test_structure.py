"""Structure of gradients: every combination of positions, weights, ids and additional outputs."""

import itertools

import pytest
from values import floats, parameter, read

import dyad
from dyad import ParameterTuple

X, Y = floats(2.0), floats(3.0)
# d/dx, d/dy, d/dv, d/dw of x*y*v*w at (2, 3, 5, 7).
BY_POSITION = {0: [105.0], 1: [70.0]}
BY_WEIGHT = {"v": [42.0], "w": [30.0]}

POSITIONS = [None, 0, 1, (0,), (1,), (0, 1), (1, 0)]
WEIGHTS = [None, "v", [], ["v"], ("w",), ["v", "w"], ("w", "v"), "tuple"]


def make():
    v, w = parameter(5.0, name="v"), parameter(7.0, name="w")

    def product(x, y):
        return x * y * v * w

    def product_and_more(x, y):
        return x * y * v * w, x + y, "text"

    return {"v": v, "w": w}, product, product_and_more


def weights_argument(chosen, parameters):
    if chosen == "tuple":
        return ParameterTuple(parameters.values())
    if chosen is None or isinstance(chosen, str):
        return parameters.get(chosen)
    return type(chosen)(parameters[name] for name in chosen)


def with_id(key, gradient, ids):
    return (key, gradient) if ids else gradient


def expected(positions, weights, ids):
    if positions is not None:
        listed = positions if isinstance(positions, tuple) else (positions,)
        inputs = tuple(with_id(position, BY_POSITION[position], ids) for position in listed)
        inputs = inputs[0] if len(inputs) == 1 else inputs
        if weights is None:
            return inputs
    if weights in ("v", "w"):
        by_weight = with_id(weights, BY_WEIGHT[weights], ids)
    else:
        names = tuple(BY_WEIGHT) if weights == "tuple" else weights
        by_weight = tuple(with_id(name, BY_WEIGHT[name], ids) for name in names)
    return by_weight if positions is None else (inputs, by_weight)


CASES = [
    (positions, weights, ids)
    for positions, weights, ids in itertools.product(POSITIONS, WEIGHTS, (False, True))
    if not (positions is None and weights is None)
]


@pytest.mark.parametrize(("positions", "weights", "ids"), CASES)
def test_the_four_calls(positions, weights, ids):
    parameters, product, product_and_more = make()
    given = weights_argument(weights, parameters)
    gradient = expected(positions, weights, ids)
    options = {"grad_position": positions, "weights": given, "return_ids": ids}

    assert read(dyad.grad(product, **options)(X, Y)) == gradient
    assert read(dyad.value_and_grad(product, **options)(X, Y)) == ([210.0], gradient)
    more = dyad.grad(product_and_more, has_aux=True, **options)(X, Y)
    assert read(more) == (gradient, ([5.0], "text"))
    more = dyad.value_and_grad(product_and_more, has_aux=True, **options)(X, Y)
    assert read(more) == (([210.0], [5.0], "text"), gradient)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_function_without_arguments(weights):
    parameters, product, _ = make()
    if weights is None:
        return
    result = dyad.grad(lambda: product(X, Y), None, weights_argument(weights, parameters))()
    assert read(result) == expected(None, weights, False)


@pytest.mark.parametrize("positions", [0, (0,), (0, 1), (1, 0)])
def test_arguments_that_are_not_tensors_are_left_out(positions):
    _, product, _ = make()
    result = read(dyad.grad(product, positions)(2.0, Y))
    assert result == (() if positions in (0, (0,)) else BY_POSITION[1])
    assert dyad.grad(lambda x, y: X * x * y, positions)(2.0, 3.0) == ()
    assert read(dyad.grad(product, positions, return_ids=True)(2.0, Y)) == (
        () if positions in (0, (0,)) else (1, BY_POSITION[1])
    )


def test_without_tensors_the_weights_part_stays():
    parameters, product, _ = make()
    result = dyad.grad(product, 0, [parameters["v"]])(2.0, Y)
    assert read(result) == ((), ([42.0],))


def test_get_grad_finds_by_position_and_by_parameter():
    parameters, product, _ = make()
    gradients = dyad.grad(product, (0, 1), list(parameters.values()), return_ids=True)(X, Y)
    assert read(dyad.get_grad(gradients, 1)) == BY_POSITION[1]
    assert read(dyad.get_grad(gradients, parameters["w"])) == BY_WEIGHT["w"]
    single = dyad.grad(product, 0, return_ids=True)(X, Y)
    assert read(dyad.get_grad(single, 0)) == BY_POSITION[0]


def two_outputs(x, y):
    return x * x * y, x + y


def test_outputs_are_summed():
    x, y = floats(2.0), floats(5.0)
    assert read(dyad.grad(two_outputs)(x, y)) == [21.0]
    assert read(dyad.grad(two_outputs, (0, 1))(x, y)) == ([21.0], [5.0])
    assert read(dyad.grad(two_outputs, (0, 1))(x, 3)) == [13.0]
    assert read(dyad.grad(two_outputs, has_aux=True)(x, y)) == ([20.0], ([7.0],))
    assert read(dyad.value_and_grad(two_outputs, has_aux=True)(x, y)) == (([20.0], [7.0]), [20.0])


def test_nested_outputs_keep_their_structure():
    def nested(x):
        return {"a": x * 2, "b": [x * 3, (x * 4, None)]}, "text", 5, x

    value, gradient = dyad.value_and_grad(nested)(X)
    assert read(value) == ({"a": [4.0], "b": [[6.0], ([8.0], None)]}, "text", 5, [2.0])
    assert read(gradient) == [10.0]


@pytest.mark.parametrize("output", [3.0, None, "text", ()])
def test_an_output_without_tensors_gives_zeros(output):
    value, gradient = dyad.value_and_grad(lambda x: output)(X)
    assert value == output
    assert read(gradient) == [0.0]


def test_the_aux_outputs_are_cut_for_outer_transforms_too():
    def inner(x):
        _, aux = dyad.grad(lambda t: (t * t, t * 3), has_aux=True)(x)
        return aux[0] * x

    assert read(dyad.grad(inner)(X)) == [6.0]


def test_methods_cells_and_operators_are_functions_too():
    class Holder:
        def method(self, x):
            return x * x

    assert read(dyad.grad(Holder().method)(X)) == [4.0]
    assert read(dyad.grad(dyad.ops.mul, (0, 1))(X, Y)) == ([3.0], [2.0])
    assert read(dyad.grad(lambda x: x * x)(X)) == [4.0]
    assert read(dyad.ops.grad(dyad.nn.ReLU())(floats(-1.0, 2.0))) == [0.0, 1.0]
