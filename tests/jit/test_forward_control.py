"""Forward mode through branches, loops and calls of a static graph: the tangents of the dynamic graph."""

import numpy as np
import pytest
from same_in_graphs import same

from dyad import Tensor, custom_vjp, grad, jacfwd, jacrev, jit, jvp, ops
from dyad.ops import derivative, linearize

x = Tensor(np.array([0.5, 2.0, 3.0], np.float32))
v = Tensor(np.array([1.0, -1.0, 0.5], np.float32))
signs = (x, -x)


def branch(t):
    if t.sum() > 0:
        return ops.exp(t) * t
    return ops.sin(t) + t * 2


def one_arm(t):
    total = t * t
    if t.sum() > 0:
        total = total * t
    return total


def loop(t):
    total = t
    count = 0
    while total.sum() < 200 and count < 6:
        total = total * ops.tanh(t) * 2 + t
        count = count + 1
    return total, count


def nested(t):
    total = t * 1
    while ops.abs(total).sum() < 30:
        if total.sum() > 0:  # noqa: SIM108 - a branch of statements is meant
            total = total * 1.5 + ops.sin(t)
        else:
            total = total * 2 - t * t
    return total


def power(t, n):
    if n.sum() < 1:
        return ops.ones_like(t)
    return power(t, n - 1) * t


def recursive(t):
    return power(t, (t * t).sum() * 0 + 4)


def writing(t):
    total = ops.zeros_like(t) + t
    if t.sum() > 0:
        total[0] = t[1] * t[2]
    return total


@custom_vjp
def deciding(t):
    return ops.exp(t) * t if t.sum() > 0 else ops.sin(t)


def backward_of_deciding(t, out, dout):
    if t.sum() > 0:
        return (dout * (out + ops.exp(t)),)
    return (dout * ops.cos(t),)


deciding.defbwd(backward_of_deciding)


def called_own_backward(t):
    return deciding(t)


FUNCTIONS = [branch, one_arm, loop, nested, recursive, writing, deciding, called_own_backward]


def numeric(function, t, v):
    output = lambda s: function(s)[0] if function is loop else function(s)  # noqa: E731
    step = 1e-6
    t, v = Tensor(t.asnumpy().astype(np.float64)), Tensor(v.asnumpy().astype(np.float64))
    return (output(t + step * v) - output(t - step * v)) / (2 * step)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_tangents_of_a_graph_equal_those_of_the_dynamic_graph(function):
    graph = jit(lambda t, v: jvp(function, t, v))
    for t in signs:
        expected = jvp(function, t, v)
        same(expected[0], graph(t, v)[0])
        tangent = graph(t, v)[1]
        tangent = tangent[0] if function is loop else tangent
        np.testing.assert_allclose(tangent.asnumpy(), numeric(function, t, v).asnumpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "function", [branch, one_arm, nested, recursive, writing, deciding, called_own_backward]
)
def test_hessian_vector_products(function):
    loss = lambda t: (function(t) ** 2).sum()  # noqa: E731
    forward_over_reverse = jit(lambda t, v: jvp(grad(loss), t, v)[1])
    reverse_over_forward = jit(lambda t, v: grad(lambda t: jvp(loss, t, v)[1])(t))
    for t in signs:
        expected = jvp(grad(loss), t, v)[1].asnumpy()
        np.testing.assert_allclose(forward_over_reverse(t, v).asnumpy(), expected, rtol=1e-4)
        np.testing.assert_allclose(reverse_over_forward(t, v).asnumpy(), expected, rtol=1e-4)


@pytest.mark.parametrize("function", [branch, nested])
def test_jacobians_and_higher_orders(function):
    for t in signs:
        for transform in (
            jacfwd(function),
            jacfwd(jacrev(function)),
            lambda t: jvp(lambda t: jvp(function, t, v)[1], t, v),
            lambda t: derivative(function, t, 3),
            lambda t: linearize(function, t)[1](v),
        ):
            one, other = transform(t), jit(lambda t: transform(t))(t)  # noqa: B023
            parts = zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]
            for dynamic, static in parts:
                np.testing.assert_allclose(static.asnumpy(), dynamic.asnumpy(), rtol=1e-4)
