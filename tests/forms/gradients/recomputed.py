"""Recomputed Cells and gradients that are switched off."""

from gradient import gradient_scene
from program import Raises, Scene

import dyad
from dyad import Parameter, Tensor, grad, nn, ops, recompute, value_and_grad

X = Tensor([[1.0, 2.0], [0.5, -1.0]])
V = Tensor([1.0, 2.0])
N = Tensor(3)


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([[0.5, 1.0], [-1.0, 0.25]]), name="weight")

    def construct(self, x):
        return ops.tanh(ops.matmul(x, self.weight)) * x


@gradient_scene(X, smooth=False)
def a_recomputed_cell():
    block = Block()
    block.recompute()
    return Scene(lambda x: block(x) * 2, transform=lambda f: value_and_grad(f, 0, [block.weight]))


@gradient_scene(X, smooth=False)
def two_recomputed_cells():
    first, second = Block(), Block()
    first.recompute()
    second.recompute()
    weights = [first.weight, second.weight]
    return Scene(lambda x: second(first(x)), transform=lambda f: value_and_grad(f, 0, weights))


@gradient_scene(X, smooth=False)
def a_recomputed_call():
    block = Block()
    return Scene(lambda x: recompute(block, x) * x, transform=lambda f: value_and_grad(f, 0, [block.weight]))


@gradient_scene(X, smooth=False)
def a_recomputed_cell_with_a_branch():
    class Chooses(nn.Cell):
        def construct(self, x):
            if x.sum() > 0:
                return ops.exp(x) * x
            return ops.sin(x)

    block = Chooses()
    block.recompute()
    return lambda x: block(x * 2)


@gradient_scene(X, N, smooth=False)
def a_recomputed_cell_inside_a_loop():
    block = Block()
    block.recompute()

    def function(x, n):
        while n > 0:
            x = block(x) + x
            n = n - 1
        return x

    return Scene(function, transform=lambda f: value_and_grad(f, 0, [block.weight]))


@gradient_scene(X, transform=lambda f: grad(grad(f)), smooth=False)
def second_order_of_a_recomputed_cell():
    class Cube(nn.Cell):
        def construct(self, x):
            return x * x * x

    block = Cube()
    block.recompute()
    return lambda x: block(x) + x


@gradient_scene(V, smooth=False)
def a_part_without_gradients():
    def function(x):
        with dyad.no_grad():
            factor = x * x
        return factor * x

    return function


@gradient_scene(V, smooth=False)
def a_function_without_gradients():
    @dyad.no_grad()
    def factor(x):
        return x * x

    return lambda x: factor(x) * x + x


@gradient_scene(V, N, smooth=False)
def a_part_without_gradients_inside_a_loop():
    def function(x, n):
        y = x
        while n > 0:
            with dyad.no_grad():
                scale = y.sum() * 0.1
            y = y * scale + x
            n = n - 1
        return y

    return function


@gradient_scene(V, smooth=False)
def a_branch_without_gradients():
    def function(x):
        with dyad.no_grad():
            y = x * x if x.sum() > 0 else x * 3
        return y * x

    return function


@gradient_scene(V, smooth=False, expect=Raises(RuntimeError))
def a_gradient_where_there_are_none():
    def function(x):
        with dyad.no_grad():
            slope = grad(lambda t: t * t)(x)
        return slope * x

    return function


@gradient_scene(V, smooth=False)
def a_call_that_fails_and_one_that_works():
    def function(x):
        if x.sum() > 0:
            raise ValueError("once")
        return x[0] * x

    return function
