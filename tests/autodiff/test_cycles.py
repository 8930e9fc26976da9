"""Rings of owners: a hook or a backward that holds the tensor it belongs to is freed like everything else."""

import gc

import numpy as np
import pytest

from dyad import Function, Parameter, Tensor, grad, nn, runtime, vjp

SIDE = 256
LARGE = Tensor(np.ones((SIDE, SIDE), np.float32))
BYTES = LARGE.nbytes


def fresh():
    return Tensor(np.ones((SIDE, SIDE), np.float32))


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2.0)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, dout):
        return dout * 2


class Remembers(nn.Cell):
    """Keeps what it computed, which is recorded, and has a hook, which holds the Cell."""

    def __init__(self):
        super().__init__()
        self.register_backward_hook(lambda cell, grad_input, grad_output: None)

    def construct(self, x):
        self.last = x * x
        return self.last


def hook_on_a_result(x):
    y = x * x
    y.register_hook(lambda gradient: gradient * y)
    return y


def hook_on_an_unused_result(x):
    hook_on_a_result(x)
    return x


def hook_on_the_input(x):
    x.register_hook(lambda gradient: gradient * x)
    return x * x


def dirty(x):
    return Doubled.apply(x * 1)


def dirty_and_unused(x):
    dirty(x)
    return x


def remembering_cell(x):
    cell = Remembers()
    cell.out = cell(x)
    return cell.out


def written_after_it_was_saved(x):
    y = x * 1
    y.copy_(y * y)
    return y.sum() + x


def written_through_a_view_after_it_was_saved(x):
    y = x * 1
    y[0] = (y[1] * y[2]) * y[0]
    y[1:].copy_(y[:-1] * y[1:])
    return y.sum() + x


def hook_on_a_tensor_itself(x):
    y = fresh()
    y.register_hook(lambda gradient: gradient * y)
    return x


def hook_on_a_parameter_itself(x):
    y = Parameter(fresh(), name="y")
    y.handle = y.register_hook(lambda gradient: gradient * y)
    return grad(lambda: y * x, None, y)()


def gradient_is_the_tensor(x):
    y = fresh()
    y.grad = y
    return x


def result_with_a_hook_outside(x):
    y = fresh()
    y.requires_grad_()
    z = y * 2
    z.register_hook(lambda gradient: gradient * z)
    return x


FUNCTIONS = [
    hook_on_a_result,
    hook_on_an_unused_result,
    hook_on_the_input,
    dirty,
    dirty_and_unused,
    remembering_cell,
    hook_on_a_tensor_itself,
    hook_on_a_parameter_itself,
    gradient_is_the_tensor,
    result_with_a_hook_outside,
]


def failing(function):
    def fails(x):
        function(x)
        raise KeyError("half-way")

    return fails


def require_no_growth(action):
    action()
    gc.collect()
    before = runtime.memory_allocated()
    for _ in range(5):
        action()
    gc.collect()
    assert runtime.memory_allocated() - before < BYTES


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_ring_is_freed(function):
    require_no_growth(lambda: grad(function)(LARGE))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_ring_is_freed_with_the_function_that_kept_it(function):
    require_no_growth(lambda: vjp(function, LARGE))
    require_no_growth(lambda: vjp(function, LARGE)[1](LARGE))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_ring_is_freed_after_a_failure(function):
    def action():
        with pytest.raises(KeyError, match="half-way"):
            grad(failing(function))(LARGE)

    require_no_growth(action)


@pytest.mark.parametrize(
    "function",
    [written_after_it_was_saved, written_through_a_view_after_it_was_saved],
    ids=lambda function: function.__name__,
)
def test_a_ring_of_writes_is_freed(function):
    def backward():
        with pytest.raises(RuntimeError, match="has overwritten it"):
            vjp(function, LARGE)[1](LARGE)

    require_no_growth(backward)
    require_no_growth(lambda: vjp(function, LARGE))
    require_no_growth(lambda: grad(lambda x: (function(x), x * 2)[1])(LARGE))


def test_hooks_that_were_removed_are_not_kept():
    w = Parameter(fresh(), name="w")

    def action():
        seen = fresh()
        w.register_hook(lambda gradient: gradient * seen).remove()

    require_no_growth(action)
