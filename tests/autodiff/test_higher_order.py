"""Transforms of transforms."""

import numpy as np
from values import floats, parameter, read

import dyad
from dyad import Tensor, grad, nn, ops, value_and_grad


def test_derivatives_of_a_power():
    function = lambda x: x**5  # noqa: E731
    x = floats(2.0)
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0):
        function = grad(function)
        np.testing.assert_allclose(function(x).asnumpy(), [expected], rtol=1e-5)


def test_derivatives_of_the_sine():
    x = floats(0.5, dtype=np.float64)
    function = ops.sin
    for expected in (np.cos, lambda v: -np.sin(v), lambda v: -np.cos(v), np.sin):
        function = grad(function)
        np.testing.assert_allclose(function(x).asnumpy(), expected(np.array([0.5])))


def test_mixed_second_derivative():
    def inner(x, y):
        return grad(lambda a, b: a * a * b, 0)(x, y)

    assert read(grad(inner, (0, 1))(floats(3.0), floats(5.0))) == ([10.0], [6.0])


def test_hessian_vector_product():
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)
    v = floats(1.0, -1.0)

    def quadratic(x):
        return 0.5 * (x * ops.matmul(Tensor(matrix), x)).sum()

    product = grad(lambda x: (grad(quadratic)(x) * v).sum())(floats(5.0, 7.0))
    np.testing.assert_allclose(product.asnumpy(), matrix @ v.asnumpy())


def test_gradient_penalty_reaches_the_weights():
    w = parameter(3.0)

    def penalty(x):
        gradient = grad(lambda t: t * t * w)(x)
        return (gradient * gradient).sum()

    # gradient = 2 x w, so the penalty is 4 x² w² and its derivative by w is 8 x² w.
    assert read(grad(penalty, 0, w)(floats(2.0))) == ([144.0], [96.0])


def test_weights_of_an_inner_transform():
    w = parameter(3.0)

    def inner(x):
        return grad(lambda t: t * t * w * w, None, w)(x)

    # 2 x² w by w.
    assert read(grad(inner, 0, w)(floats(2.0))) == ([24.0], [8.0])


def test_value_of_an_inner_transform_counts_too():
    def inner(x):
        value, gradient = value_and_grad(lambda t: t * t * t)(x)
        return value + gradient

    assert read(grad(inner)(floats(2.0))) == [24.0]


def test_an_inner_transform_by_a_constant_leaves_the_outer_alone():
    def inner(x):
        return grad(lambda t: t * t)(floats(3.0)) * x

    assert read(grad(inner)(floats(2.0))) == [6.0]


def test_an_inner_transform_sees_outer_values_as_free_variables():
    def outer(x):
        return grad(lambda t: t * x)(floats(1.0)) * x

    assert read(grad(outer)(floats(4.0))) == [8.0]


def test_second_order_through_a_network():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 1))
    x = Tensor(np.array([[0.3, -0.2]], np.float32))
    weights = net.trainable_params()

    def slope(t):
        return grad(lambda s: net(s).sum())(t).sum()

    gradients = grad(slope, None, weights)(x)
    step = 1e-2
    for weight, gradient in zip(weights, gradients, strict=True):
        before = weight.asnumpy().copy()
        bumped = before.copy()
        bumped.flat[0] += step
        weight.set_data(Tensor(bumped))
        upper = float(slope(x).asnumpy())
        bumped.flat[0] -= 2 * step
        weight.set_data(Tensor(bumped))
        lower = float(slope(x).asnumpy())
        weight.set_data(Tensor(before))
        np.testing.assert_allclose(
            gradient.asnumpy().flat[0], (upper - lower) / (2 * step), rtol=1e-2, atol=1e-3
        )


def test_results_are_constants_afterwards():
    value, gradient = value_and_grad(lambda x: x * x)(floats(3.0))
    assert read(grad(lambda x: x * value * gradient)(floats(1.0))) == [54.0]
    assert not dyad._core.is_recorded(value)
    assert not dyad._core.is_recorded(gradient)
