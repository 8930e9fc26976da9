"""Forward mode inside of a captured program, and compiled by Graph mode: the results of the dynamic graph."""

import numpy as np
import pytest
from same_in_graphs import compare, same

import dyad
from dyad import Tensor, custom_vjp, grad, jacfwd, jacrev, jit, jvp, nn, ops, vjp
from dyad.ops import derivative, jet, linearize

x = Tensor(np.array([0.5, 2.0, 3.0], np.float32))
v = Tensor(np.array([1.0, -1.0, 0.5], np.float32))
net = nn.Dense(3, 2)
pushed = nn.Jvp(net)


def block(t):
    hidden = ops.softmax(ops.tanh(net(t.reshape(1, 3))), -1)
    return hidden * t.sum(), {"largest": t.max()}


@custom_vjp
def scaled(t):
    return t * 2


scaled.defbwd(lambda t, out, dout: (dout * 3,))


def twice(function, t):
    product = linearize(function, t)[1]
    return product(v), product(t)


def written(t):
    copied = t * 1
    copied[0] = t[1] * t[2]
    copied[1:].mul_(t[:1])
    return copied


PROGRAMS = {
    "jvp": lambda t: jvp(block, t, v),
    "two inputs": lambda t: jvp(lambda a, b: (a * b, a + b), (t, t + 1), [v, t]),
    "aux": lambda t: jvp(lambda a: (a * a, a + 1), t, v, has_aux=True),
    "linearize": lambda t: twice(block, t),
    "jacfwd": lambda t: jacfwd(lambda a, b: (a * b, a.sum()), (0, 1))(t, t + 1),
    "jet": lambda t: jet(lambda a: ops.exp(ops.sin(a)), t, ops.stack([v, t, v])),
    "jet of two": lambda t: jet(lambda a, b: (a * b, b), (t, t), (ops.stack([v, t]), ops.stack([t, t]))),
    "derivative": lambda t: derivative(lambda a: ops.exp(a) * a, t, 4),
    "jvp of grad": lambda t: jvp(grad(lambda a: (a * a * a).sum()), t, v),
    "grad of jvp": lambda t: grad(lambda a: jvp(ops.exp, a, v)[1])(t),
    "jvp of jvp": lambda t: jvp(lambda a: jvp(lambda b: b**3, a, v)[1], t, v),
    "hessian": lambda t: jacfwd(jacrev(lambda a: (ops.softmax(a, -1) ** 2).sum()))(t),
    "own backward": lambda t: jvp(scaled, t, v),
    "writes": lambda t: jvp(written, t, v),
    "stop": lambda t: jvp(lambda a: ops.stop_gradient(a) * a, t, v),
    "unused": lambda t: jvp(lambda a: v * 2, t, v),
    "cell": lambda t: pushed(t.reshape(1, 3), v.reshape(1, 3)),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_inside_a_graph(program):
    compare(program, x)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_in_graph_mode(program):
    expected = program(x)
    dyad.set_context(mode=dyad.GRAPH_MODE)
    try:
        same(expected, program(x))
        same(expected, program(x))
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)


def test_a_graph_without_dead_code():
    """Placeholders of gradients, used while a rule is transposed, leave no nodes."""
    graph = jit(lambda t: jvp(lambda a: ops.softmax(a, -1), t, v)[1])
    same(graph(x), jvp(lambda a: ops.softmax(a, -1), x, v)[1])
    assert dyad.explain(graph)(x).nodes_after == 2  # softmax and the product with its Jacobian


def test_jvp_and_vjp_of_a_jitted_function():
    function = jit(lambda t: ops.softmax(t, -1) * t)
    plain = lambda t: ops.softmax(t, -1) * t  # noqa: E731
    same(jvp(plain, x, v), jvp(function, x, v))
    same(vjp(plain, x)[1](v), vjp(function, x)[1](v))
    same(jvp(grad(plain), x, v), jvp(grad(function), x, v))


def test_wrong_tangents_are_named_inside_a_graph():
    with pytest.raises(ValueError, match=r"jvp: tangent 0 has shape \(2,\); need that of its input, \(3,\)"):
        jit(lambda t: jvp(ops.square, t, t[:2]))(x)
