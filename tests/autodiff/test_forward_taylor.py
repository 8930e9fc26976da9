"""jet and derivative."""

import math

import numpy as np
import pytest
from values import floats, ints, read

import dyad
from dyad import Tensor, grad, jvp, ops
from dyad.ops import derivative, functional, jet

X = Tensor(np.array([0.5, 1.0]))
ONES = Tensor(np.ones((3, 2)))
ONCE = Tensor(np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]))


def numbers(tensor):
    return tensor.asnumpy()


def test_derivatives_of_a_path_through_a_function():
    output, series = jet(ops.sin, X, ONES)
    x, sin, cos = numbers(X), np.sin(numbers(X)), np.cos(numbers(X))
    np.testing.assert_allclose(numbers(output), np.sin(x))
    np.testing.assert_allclose(numbers(series), [cos, cos - sin, cos - 3 * sin - cos], rtol=1e-12)


def test_the_path_may_be_anything():
    """f(g(t)) has the derivatives that jet gives for the derivatives of g."""
    path = Tensor(np.array([[2.0, 3.0], [-1.0, 0.5], [0.25, 4.0]]))
    function = lambda x: ops.exp(ops.sin(x)) / (1 + x * x)  # noqa: E731

    def along(t):
        return function(X + t * path[0] + t**2 * path[1] / 2 + t**3 * path[2] / 6)

    t = Tensor(np.array([0.0, 0.0]))
    by_hand = [derivative(along, t, order)[1] for order in (1, 2, 3)]
    np.testing.assert_allclose(numbers(jet(function, X, path)[1]), [numbers(d) for d in by_hand], rtol=1e-10)


def test_a_series_without_axis_is_the_first_derivative():
    output, series = jet(ops.square, X, ONES[0])
    assert series.shape == (1, 2)
    assert read(series) == [[1.0, 2.0]]
    assert read(output) == [0.25, 1.0]


def test_tuples_of_inputs_and_outputs():
    output, series = jet(lambda x, y: (x * y, ops.exp(y)), (X, X), (ONES, ONES))
    assert [type(part) for part in (output, series)] == [list, list]
    np.testing.assert_allclose(numbers(output[0]), numbers(X) ** 2)
    x = numbers(X)
    np.testing.assert_allclose(numbers(series[0]), [2 * x, 2 * x + 2, 2 * x + 6])
    np.testing.assert_allclose(numbers(series[1]), np.outer([1.0, 2.0, 5.0], np.exp(x)))
    output, series = jet(lambda x, y: x * y, (X, X), (ONES, ONES))
    assert isinstance(output, Tensor)
    assert isinstance(series, Tensor)
    assert jet(ops.square, (X,), (ONES,))[1].shape == (3, 2)


@pytest.mark.parametrize("order", range(1, 6))
def test_derivative_of_each_order(order):
    output, found = derivative(lambda x: ops.exp(x * 2) + x**4, X, order)
    x = numbers(X)
    np.testing.assert_allclose(numbers(output), np.exp(2 * x) + x**4)
    power = math.perm(4, order) * (x ** (4 - order) if order <= 4 else 0 * x)
    np.testing.assert_allclose(numbers(found), 2**order * np.exp(2 * x) + power, rtol=1e-12)


def test_derivative_is_the_last_of_a_jet_that_moves_once():
    function = lambda x: ops.tanh(x) * ops.log(x)  # noqa: E731
    np.testing.assert_allclose(
        numbers(derivative(function, X, 3)[1]), numbers(jet(function, X, ONCE)[1][2]), rtol=1e-12
    )


def test_derivative_of_several_inputs_and_outputs():
    output, found = derivative(lambda x, y: (x * x * y, y), (X, X), 2)
    assert (type(output), type(found)) == (list, list)
    np.testing.assert_allclose(numbers(found[0]), 6 * numbers(X))
    assert read(found[1]) == [0.0, 0.0]


def test_reductions_products_and_views():
    w = Tensor(np.random.default_rng(2).standard_normal((2, 2)))

    def function(x):
        rows = ops.stack([x, x[::-1]])
        return ops.softmax(rows @ w, -1)[0].sum() + ops.logsumexp(rows @ w, -1).prod()

    def nested(x, order):
        if order == 0:
            return function(x)
        return jvp(lambda x: nested(x, order - 1), x, ops.ones_like(x))[1]

    for order in (1, 2, 3):
        np.testing.assert_allclose(
            numbers(derivative(function, X, order)[1]), numbers(nested(X, order)), rtol=1e-9
        )


def test_integers_are_computed_as_float32():
    output, series = jet(ops.sin, ints(1, 2), ints(1, 1))
    assert (output.dtype, series.dtype) == (dyad.float32, dyad.float32)
    np.testing.assert_allclose(numbers(series)[0], np.cos([1.0, 2.0]), rtol=1e-6)
    output, found = derivative(ops.sin, Tensor(np.array([1, 2])), 2)
    assert (output.dtype, found.dtype) == (dyad.float32, dyad.float32)


def test_inside_another_transform():
    assert read(grad(lambda x: derivative(lambda y: y**4, x, 2)[1])(floats(2.0, 3.0))) == [48.0, 72.0]
    twice = derivative(lambda x: derivative(lambda y: y**4, x, 2)[1], floats(2.0, 3.0), 1)[1]
    assert read(twice) == [48.0, 72.0]


def test_results_have_no_history():
    _, series = jet(ops.exp, X, ONES)
    assert not dyad._core.is_recorded(series)
    assert read(grad(lambda x: (x * series[0]).sum())(X)) == read(series[0])


@pytest.mark.parametrize("name", ["jet", "derivative", "linearize"])
def test_ops_has_the_names_and_the_package_has_not(name):
    assert getattr(ops, name) is getattr(functional, name)
    assert not hasattr(dyad, name)


HALF = Tensor(np.ones(2, np.float16))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: derivative(ops.sin, X, 0), ValueError, "derivative: order is 0; need 1 or more"),
        (
            lambda: derivative(ops.sin, X, 1.5),
            TypeError,
            "derivative: order is 1.5 of type float; need an int",
        ),
        (lambda: derivative(ops.sin, X, True), TypeError, "derivative: order is True of type bool"),
        (
            lambda: derivative(ops.sin, [X], 1),
            TypeError,
            "derivative: primals is of type list; need a Tensor or",
        ),
        (lambda: derivative(ops.sin, (2,), 1), TypeError, "derivative: primals holds an int; need Tensors"),
        (
            lambda: derivative(ops.sin, HALF, 1),
            TypeError,
            "derivative: primals has dtype Float16; need int32, int64",
        ),
        (lambda: jet(ops.sin, HALF, HALF), TypeError, "jet: primals has dtype Float16"),
        (
            lambda: jet(ops.sin, X, ints(1, 2)),
            TypeError,
            r"jet: series\[0\] has dtype Int32; need that of its input",
        ),
        (
            lambda: jet(ops.sin, X, (ONES,)),
            TypeError,
            "jet: primals is of type Tensor and series of type tuple",
        ),
        (
            lambda: jet(ops.sin, [X], [ONES]),
            TypeError,
            "jet: primals is of type list and series of type list",
        ),
        (lambda: jet(ops.mul, (X, X), (ONES,)), ValueError, "jet: series holds 1 Tensors for 2 primals"),
        (lambda: jet(ops.mul, (X, X), (ONES, ONES[:2])), ValueError, r"jet: the series have \[3, 2\] orders"),
        (
            lambda: jet(ops.sin, X, Tensor(np.ones((3, 5)))),
            ValueError,
            r"jet: series\[0\] has shape \(3, 5\); need an axis of orders and then the shape of its input, \(2,\)",
        ),
        (
            lambda: jet(ops.mul, (X, 2), (ONES, 2)),
            TypeError,
            r"jet: primals\[1\] is of type int; need a Tensor",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()
