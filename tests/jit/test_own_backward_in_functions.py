"""Backward functions and hooks inside the branches and loops of a graph, and in graphs that are differentiated."""

import numpy as np
import pytest
from same_in_graphs import compare, same

from dyad import Parameter, Tensor, _core, grad, jit, nn
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.function import Function
from dyad.ops import HookBackward, InsertGradientOf

x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))


class Scale(nn.Cell):
    def construct(self, a, b):
        return a * b, b

    def bprop(self, a, b, out, dout):
        return dout[0] * b * 10, dout[1] * a + out[0]


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 2.0, 2.0]), name="weight")
        self.internal_params = [self.weight]

    def construct(self, a):
        return a * self.weight

    def bprop(self, a, out, dout):
        return (dout * 7,), {self.weight: dout * a * 3}


class Wrong(nn.Cell):
    def construct(self, a):
        return a * a

    def bprop(self, a, out, dout):
        raise ValueError("no gradient here")


@custom_vjp
def tripled(a, b):
    return a * b


@tripled.defbwd
def tripled_backward(a, b, out, dout):
    return dout * 3 * b, None


class Cube(Function):
    @staticmethod
    def forward(ctx, a, power):
        doubled = a * 2
        ctx.save_for_backward(a, doubled)
        ctx.power = power
        return a**power

    @staticmethod
    def backward(ctx, dout):
        a, doubled = ctx.saved_tensors
        return dout * a * doubled * ctx.power, None


scale, weighted, wrong = Scale(), Weighted(), Wrong()


def five_times(gradient):
    return gradient * 5


def four_times(gradients):
    return gradients[0] * 4


STEPS = {
    "bprop": lambda u: scale(u, u + 1)[0],
    "bprop of both outputs": lambda u: sum(scale(u, u + 1)),
    "custom_vjp": lambda u: tripled(u, u + 1),
    "function": lambda u: Cube.apply(u, 3),
    "insert gradient": lambda u: InsertGradientOf(five_times)(u * u),
    "insert a lambda": lambda u: InsertGradientOf(lambda g: g * 6)(u * u),
    "hook backward": lambda u: HookBackward(four_times)(u * u),
}


def in_a_branch(step):
    def inner(u):
        return step(u).sum() if u.sum() > 3 else u.sum()

    return lambda t: grad(inner)(t)


def in_a_loop(step):
    def inner(u):
        count = u.sum() * 0
        while count < 2:
            u = step(u) * 0.5
            count = count + 1
        return u.sum()

    return lambda t: grad(inner)(t)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
@pytest.mark.parametrize("place", [in_a_branch, in_a_loop])
def test_inside_a_function_of_the_graph(place, step):
    compare(place(step), x)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
def test_in_a_graph_that_is_differentiated(step):
    def function(t):
        return step(t * 2)

    same(grad(function)(x), grad(jit(function))(x))


def test_parameters_of_bprop():
    def inner(u):
        return weighted(u) if u.sum() > 3 else u

    def program(t):
        return grad(inner, 0, weighted.weight)(t)

    compare(program, x)


def test_a_backward_that_raises_does_so_when_it_runs():
    def inner(u):
        return wrong(u) if u.sum() > 3 else u * 2

    compiled = jit(lambda t: grad(inner)(t))
    same(compiled(x * 0), Tensor([2.0, 2.0, 2.0]))
    with pytest.raises(ValueError, match="no gradient here"):
        compiled(x)


def test_effects_of_hooks_happen():
    log = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.relu = nn.ReLU()

        def construct(self, t):
            if t.sum() > 3:
                return self.relu(t * t)
            return t

    def see(cell, grad_input, grad_output):
        log.append((grad_input[0].asnumpy().tolist(), grad_output[0].asnumpy().tolist()))
        return (grad_input[0] * 2,)

    net = Net()
    net.relu.register_backward_hook(see)
    expected = grad(net)(x)
    seen = log.pop()
    compiled = jit(lambda t: grad(net)(t))
    same(compiled(x), expected)
    assert log == [seen]
    compiled(x * 0)
    assert log == [seen]
    same(grad(jit(lambda t: net(t)))(x), expected)
    assert log == [seen, seen]


def test_effects_of_bprop_happen():
    log = []

    class Noting(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, out, dout):
            log.append(dout.asnumpy().tolist())
            return (dout * a,)

    cell = Noting()
    compiled = jit(lambda t: grad(lambda u: cell(u).sum() if u.sum() > 3 else u.sum())(t))
    same(compiled(x), x)
    assert log == [[1.0, 1.0, 1.0]]


def test_hooks_of_tensors():
    def inner(u):
        if u.sum() > 3:
            v = u * u
            v.register_hook(five_times)
        else:
            v = u
        return v * u

    compare(lambda t: grad(inner)(t), x)


def test_a_hook_on_what_others_hold_is_refused_by_strict():
    def inner(u):
        kept = [u * u]
        if u.sum() > 3:
            kept[0].register_hook(five_times)
        return kept[0]

    with pytest.raises(_core.CaptureError, match="register_hook: inside a branch or loop"):
        jit(lambda t: grad(inner)(t), fullgraph=True)(x)
    compiled = jit(lambda t: grad(inner)(t))
    for given in (x, x, x * 0):
        same(compiled(given), grad(inner)(given))


def test_inside_a_branch_of_a_branch():
    def inner(u):
        if u.sum() > 3:
            v = u * 2
            if u.sum() > 5:
                v = scale(v, u)[0]
            return v
        return u

    compare(lambda t: grad(inner)(t), x)
    compare(lambda t: grad(inner)(t), x * 0.7)


def test_inside_a_loop_inside_a_branch():
    def inner(u):
        if u.sum() > 3:
            while u.sum() < 20:
                u = tripled(u, u + 1)
        return u

    compare(lambda t: grad(inner)(t), x)
