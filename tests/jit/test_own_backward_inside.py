"""Custom backward functions and gradient hooks inside of a captured program."""

import numpy as np
import pytest
from same_in_graphs import compare, same

import dyad
from dyad import Parameter, Tensor, grad, jit, nn, ops, value_and_grad
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.function import Function
from dyad.ops import HookBackward, InsertGradientOf, Primitive

x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))


class Scale(nn.Cell):
    def construct(self, a, b):
        return a * b

    def bprop(self, a, b, out, dout):
        return dout * b * 10, dout * a + out


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([2.0, 2.0, 2.0]), name="weight")
        self.internal_params = [self.weight]

    def construct(self, a):
        return a * self.weight

    def bprop(self, a, out, dout):
        return (dout * 7,), {self.weight: dout * a * 3}


class Frugal(nn.Cell):
    def __init__(self):
        super().__init__()
        self.used_bprop_inputs = [1]

    def construct(self, a, b):
        return a * b, b

    def bprop(self, a, b, out, dout):
        assert a is None
        assert out is None
        return dout[0] * b, dout[1]


class Negate(Primitive):
    def __call__(self, a):
        return a * 2

    def bprop(self, a, out, dout):
        return (-dout * a,)


class Cube(Function):
    @staticmethod
    def forward(ctx, a, power):
        ctx.save_for_backward(a)
        ctx.power = power
        return a**power

    @staticmethod
    def backward(ctx, dout):
        (a,) = ctx.saved_tensors
        return dout * a * ctx.power * 100, None


@custom_vjp
def tripled(a, b):
    return a * b


@tripled.defbwd
def tripled_backward(a, b, out, dout):
    return dout * 3 * b, None


@custom_vjp
def unfinished(a):
    return a * a


scale, weighted, frugal, negate = Scale(), Weighted(), Frugal(), Negate()

PROGRAMS = {
    "bprop": lambda t: grad(scale, (0, 1))(t, t + 1),
    "bprop of a part": lambda t: grad(lambda u: scale(u * 2, u).sum())(t),
    "bprop without gradient": lambda t: scale(t, t),
    "bprop of second order": lambda t: grad(lambda u: grad(lambda v: scale(v * v, v).sum())(u).sum())(t),
    "internal_params": lambda t: grad(weighted, 0, weighted.weight)(t),
    "used_bprop_inputs": lambda t: grad(frugal, (0, 1))(t, t * 2),
    "primitive": lambda t: grad(lambda u: negate(u * u).sum())(t),
    "function": lambda t: grad(lambda u: Cube.apply(u, 3).sum())(t),
    "custom_vjp": lambda t: grad(lambda u: tripled(u, u + 1).sum())(t),
    "insert gradient": lambda t: grad(lambda u: InsertGradientOf(lambda g: g * 5)(u * u).sum())(t),
    "hook backward": lambda t: grad(lambda u: HookBackward(lambda g: g[0] * 4)(u * u).sum())(t),
    "gradient inside bprop": lambda t: grad(lambda u: Nested()(u).sum())(t),
}


class Nested(nn.Cell):
    def construct(self, a):
        return a * a

    def bprop(self, a, out, dout):
        return (dout * grad(lambda v: (v**3).sum())(a),)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_custom_backward_is_used_in_a_graph(program):
    compare(program, x)


def test_a_missing_backward_is_the_same_error():
    def program(t):
        return grad(lambda u: unfinished(u).sum())(t)

    with pytest.raises(TypeError, match="unfinished has no backward function"):
        program(x)
    with pytest.raises(TypeError, match="unfinished has no backward function"):
        jit(program)(x)


def test_bprop_is_guarded():
    compiled = jit(lambda t: grad(scale)(t, t))
    before = compiled(x)
    original = Scale.bprop
    try:
        Scale.bprop = lambda self, a, b, out, dout: (dout * 0, dout)
        same(compiled(x), x * 0)
    finally:
        Scale.bprop = original
    same(compiled(x), before)


def test_hooks_of_a_tensor():
    seen = []

    def hook(gradient):
        seen.append(gradient)
        return gradient * 2

    def program(t):
        def inner(u):
            v = u * u
            v.register_hook(hook)
            return v.sum()

        return grad(inner)(t)

    expected = program(x)
    compiled = jit(program)
    same(compiled(x), expected)
    same(compiled(x), expected)
    assert len(seen) == 3
    same(seen[0], seen[2])


def test_hooks_of_a_parameter():
    weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")
    gradient = value_and_grad(lambda t: (t * weight).sum(), None, [weight])
    seen = []
    handle = weight.register_hook(lambda g: (seen.append(1), g * 10)[1])
    compiled = jit(lambda t: gradient(t))
    same(compiled(x), gradient(x))
    assert len(seen) == 2
    handle.remove()
    same(compiled(x), gradient(x))
    same(gradient(x)[1], (x,))
    assert len(seen) == 2
    weight.register_hook(lambda g: g - 1)
    same(compiled(x), gradient(x))


def test_backward_hooks_of_a_cell():
    log = []

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.Dense(3, 2)

        def construct(self, t):
            return self.inner(t * 2)

    net = Net()
    before = net.inner.register_backward_pre_hook(lambda cell, go: (log.append("pre"), (go[0] * 3,))[1])
    after = net.inner.register_backward_hook(
        lambda cell, gi, go: (log.append("hook"), (gi[0] * go[0].sum(),))[1]
    )
    gradient = grad(net, 0, net.trainable_params())
    compiled = jit(lambda t: gradient(t))
    row = x.reshape(1, 3)
    expected = gradient(row)
    assert log == ["pre", "hook"]
    same(compiled(row), expected)
    same(compiled(row), expected)
    assert log == ["pre", "hook"] * 3
    before.remove()
    same(compiled(row), gradient(row))
    after.remove()
    same(compiled(row), gradient(row))
    assert log == ["pre", "hook"] * 3 + ["hook"] * 2


def test_recomputing_gives_the_same_gradients():
    plain = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    weights = plain.trainable_params()
    gradient = grad(plain, 0, weights)
    row = x.reshape(1, 3)
    expected = gradient(row)
    same(jit(lambda t: gradient(t))(row), expected)
    same(jit(lambda t: grad(lambda u: dyad.recompute(plain, u), 0, weights)(t))(row), expected)
    plain.recompute()
    same(jit(lambda t: gradient(t))(row), expected)


def test_set_grad_changes_nothing():
    net = nn.Dense(3, 1)
    gradient = grad(net, 0, net.trainable_params())
    expected = gradient(x.reshape(1, 3))
    net.set_grad()
    same(jit(lambda t: gradient(t))(x.reshape(1, 3)), expected)


@pytest.mark.parametrize("switch", [dyad.no_grad, dyad.enable_grad])
def test_switches_of_recording_work_in_a_graph(switch):
    def program(t):
        def inner(u):
            a = u * u
            with switch():
                b = u * u
                if b.sum() > 0:
                    b = b + u
            return (a + b).sum()

        return grad(inner)(t)

    compare(program, x)


def test_a_recording_switch_as_decorator():
    @dyad.no_grad()
    def constant(u):
        if u.sum() > 100:
            return u
        return u * u

    compare(lambda t: grad(lambda u: (u * constant(u)).sum())(t), x)


def test_a_gradient_inside_no_grad_is_the_same_error():
    def program(t):
        with dyad.no_grad():
            return grad(lambda u: u * u)(t)

    gradient = jit(lambda t: grad(lambda u: u * u)(t))
    same(gradient(x), x * 2)
    message = "In no_grad context, you can not calculate gradient"
    with pytest.raises(RuntimeError, match=message):
        program(x)
    with pytest.raises(RuntimeError, match=message):
        jit(program)(x)
    with dyad.no_grad(), pytest.raises(RuntimeError, match=message):
        gradient(x)
    same(gradient(x), x * 2)


def test_stop_gradient_takes_any_object():
    compare(lambda t: grad(lambda u: (u * ops.stop_gradient({"a": u, "b": 3})["a"]).sum())(t), x)


def test_a_capture_that_fails_leaves_the_tape_as_it_was():
    def program(t):
        def inner(u):
            with dyad.no_grad():
                return u.asnumpy()

        return grad(inner)(t)

    with pytest.raises(AttributeError, match="asnumpy"):
        jit(program, fullgraph=True)(x)
    assert dyad._core.tape_depth() == 0
    assert dyad._core.grad_enabled()
    same(grad(lambda u: u * u)(x), x * 2)


def test_an_exception_of_host_code_leaves_the_tape_as_it_was():
    def program(t):
        def inner(u):
            with dyad.no_grad():
                return u * float(u.asnumpy()[7])

        return grad(inner)(t)

    compiled = jit(program)
    for _ in range(2):
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            compiled(x)
        assert dyad._core.tape_depth() == 0
        assert dyad._core.grad_enabled()
        same(grad(lambda u: u * u)(x), x * 2)


def test_a_hook_that_returns_nothing_on_one_path():
    def hook(gradient):
        if gradient.sum() > 5:
            return gradient * 2

    def program(t, s):
        def inner(u):
            v = u * s
            v.register_hook(hook)
            return (v * v).sum()

        return grad(inner)(t)

    compare(program, x, x)
    compare(program, x, x * 0)


@pytest.mark.parametrize("method", ["backward", "requires_grad_"])
def test_gradients_that_are_left_at_tensors_are_refused_by_strict(method):
    with pytest.raises(dyad._core.CaptureError, match=f"{method}: it cannot be called inside a static graph"):
        jit(lambda t: getattr(t.sum(), method)(), fullgraph=True)(x)


def test_gradients_that_are_left_at_tensors():
    def program(t):
        leaf = (t * 1).detach()
        leaf.requires_grad_()
        (leaf * leaf).sum().backward()
        return leaf.grad

    expected, compiled = program(x), jit(program)
    for _ in range(2):
        same(compiled(x), expected)


def test_the_gradient_of_a_tensor_is_read():
    """STRICT may refuse it, but gives no other value."""
    leaf = Tensor([1.0, 2.0])
    leaf.requires_grad_()
    compiled, strict = jit(lambda t: t.grad), jit(lambda t: t.grad, fullgraph=True)
    assert compiled(leaf) is None
    for _ in range(2):
        (leaf * leaf).sum().backward()
        same(compiled(leaf), leaf.grad)
    try:
        found = strict(leaf)
    except (dyad._core.CaptureError, AttributeError):
        return
    same(found, leaf.grad)


def test_hooks_of_an_argument():
    tensor = Tensor([1.0, 2.0, 3.0])
    compiled = jit(lambda t: grad(lambda u: u * u)(t))
    same(compiled(tensor), x * 2)
    handle = tensor.register_hook(lambda g: g * 10)
    same(compiled(tensor), x * 20)
    handle.remove()
    same(compiled(tensor), x * 2)


def test_no_grad_inside_a_branch():
    def program(t):
        def inner(u):
            if u.sum() > 3:
                with dyad.no_grad():
                    v = u * u
                return u * v
            return u

        return grad(inner)(t)

    compare(program, x)
