"""A step written in Python may hand on the memory it was given: writes to it reach everyone who knows it."""

import numpy as np
import pytest
from values import read

from dyad import Function, Tensor, grad, nn, ops

X = Tensor(np.array([1.0, 2.0]))


class Same(nn.Cell):
    def construct(self, x):
        return x


class Tripled(nn.Cell):
    def construct(self, x):
        x.mul_(3.0)
        return x * 1.0


class SameFunction(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, dout):
        return dout


class First(Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, dout):
        return ops.concat((dout, dout * 0))


def hooked(cell):
    cell.register_backward_hook(lambda cell, grad_input, grad_output: None)
    return cell


def output_is_written(step):
    """y = 2x is handed on as z, and both become 2x²: the gradient of 4x⁴ + 2x²."""

    def function(x):
        y = x * 2
        z = step(y)
        z.mul_(x)
        return (y * y).sum() + z.sum()

    return function


@pytest.mark.parametrize(
    "step",
    [
        Same(),
        hooked(Same()),
        ops.InsertGradientOf(lambda gradient: gradient),
        ops.HookBackward(lambda gradient: None),
        SameFunction.apply,
    ],
    ids=["Cell", "Cell with a hook", "InsertGradientOf", "HookBackward", "Function"],
)
def test_a_write_to_the_output_reaches_the_input(step):
    assert read(grad(output_is_written(step))(X)) == [20.0, 136.0]


@pytest.mark.parametrize("cell", [Tripled(), hooked(Tripled())], ids=["plain", "with a hook"])
def test_a_write_inside_a_cell_reaches_the_caller(cell):
    def function(x):
        y = x * 2
        return cell(y).sum() + (y * y).sum()

    assert read(grad(function)(X)) == [78.0, 150.0]


def test_an_input_behind_a_hook_cannot_be_written():
    with pytest.raises(RuntimeError, match="is a view of an input that a gradient is asked for"):
        grad(lambda x: hooked(Same())(x).mul_(2.0))(Tensor(np.ones(2)))


def test_a_view_made_by_a_function_cannot_be_written():
    def function(x):
        y = x * 2
        First.apply(y).mul_(3.0)
        return y * y

    with pytest.raises(RuntimeError, match="mul_: the tensor is a view that was made inside no_grad"):
        grad(function)(X)


def test_a_function_that_writes_without_saying_so_is_refused():
    class Silent(Function):
        @staticmethod
        def forward(ctx, x):
            return x.mul_(3.0) * 1

        @staticmethod
        def backward(ctx, dout):
            return dout * 3

    with pytest.raises(RuntimeError, match=r"Silent: an input of shape \(2,\) .* was written in place"):
        grad(lambda x: Silent.apply(x * 2))(X)


def test_a_cell_with_bprop_that_writes_to_its_input_is_refused():
    class Own(Tripled):
        def bprop(self, x, out, dout):
            return (dout * 3,)

    with pytest.raises(RuntimeError, match=r"Own: an input of shape \(2,\) .* was written in place"):
        grad(lambda x: Own()(x * 2))(X)
