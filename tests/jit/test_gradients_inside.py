"""Gradients taken inside of a captured program: the results of the dynamic graph, in one graph."""

import functools

import numpy as np
import pytest
from same_in_graphs import compare, same

import dyad
from dyad import Tensor, grad, jit, nn, ops, value_and_grad
from dyad.ops import GradOperation

x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
row = x.reshape(1, 3)


def cubed(t, s):
    return (t * t * s).sum()


gradient_of_cubed = grad(cubed, (0, 1))
net = nn.Dense(3, 2)
gradient_by_weights = value_and_grad(lambda t: (net(t).sum(), t), None, net.trainable_params(), has_aux=True)
operation_by_list = GradOperation(get_by_list=True)(net)


class Keeper:
    def __init__(self):
        self.scale = 3.0
        self.gradient = grad(self.scaled)

    def scaled(self, t):
        return (t * t * self.scale).sum()


keeper = Keeper()


class Callable:
    def __call__(self, t):
        return (t**3).sum()


@jit
def jitted(t):
    return (t * t).sum()


PROGRAMS = {
    "made outside": lambda t: gradient_of_cubed(t, t + 1),
    "made inside": lambda t: grad(cubed, (0, 1))(t, t + 1),
    "lambda": lambda t: grad(lambda u: (u**3).sum())(t),
    "method": lambda t: grad(keeper.scaled)(t),
    "attribute": lambda t: keeper.gradient(t),
    "partial": lambda t: grad(functools.partial(cubed, s=t))(t),
    "callable object": lambda t: grad(Callable())(t),
    "jitted": lambda t: grad(jitted)(t),
    "operator": lambda t: grad(ops.sin)(t),
    "second order": lambda t: grad(lambda u: grad(lambda v: (v**3).sum())(u).sum())(t),
    "weights": lambda t: gradient_by_weights(t.reshape(1, 3)),
    "operation": lambda t: operation_by_list(t.reshape(1, 3)),
    "operation inside": lambda t: GradOperation(get_all=True, get_by_list=True)(net)(t.reshape(1, 3)),
    "cell": lambda t: grad(net)(t.reshape(1, 3)),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_gradients_of_any_callable_are_captured(program):
    compare(program, x)


def test_the_differentiated_function_is_guarded():
    """A gradient function from outside reads what its function reads when it is called."""
    compiled = jit(lambda t: keeper.gradient(t))
    try:
        same(compiled(x), x * 6)
        keeper.scale = 5.0
        same(compiled(x), x * 10)
    finally:
        keeper.scale = 3.0


def test_requires_grad_is_guarded():
    weight = dyad.Parameter(Tensor([2.0, 2.0, 2.0]), name="weight")
    gradient = grad(lambda t: (t * weight).sum(), None, weight)
    compiled = jit(lambda t: gradient(t))
    same(compiled(x), x)
    weight.requires_grad = False
    same(compiled(x), x * 0)


def test_jit_of_a_gradient_function():
    same(jit(grad(cubed, (0, 1)))(x, x), grad(cubed, (0, 1))(x, x))
    same(jit(grad(grad(lambda t: t**3)))(x[1]), Tensor(12.0))


def test_gradients_of_broadcast_operands():
    """The rule knows only the shape of what was broadcast."""
    compare(lambda t, s: grad(lambda u, v: (u * v).sum(), (0, 1))(t, s), row, Tensor([[2.0], [3.0]]))


def test_nodes_of_the_backward_pass_come_from_the_line_of_their_operator():
    def inner(t):
        a = t.sin()
        return (a * t).exp()

    text = str(dyad.ir(lambda t: grad(inner)(t))(x))
    first = inner.__code__.co_firstlineno
    cosine = next(line for line in text.splitlines() if "cos(" in line)
    assert f":{first + 1}:" in cosine
