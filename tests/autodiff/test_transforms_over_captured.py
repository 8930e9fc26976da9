"""Every transform inside every other one, over Tensors that the inner function reads from around it.

The inner function reads Tensors as they are, through views of all kinds, and Parameters; the outer transform
differentiates or maps by what they come from. Each static form gives what the dynamic graph gives.
"""

import numpy as np
import pytest

import dyad
from dyad import (
    Parameter,
    Tensor,
    grad,
    jacfwd,
    jacrev,
    jit,
    jvp,
    no_grad,
    ops,
    value_and_grad,
    vjp,
    vmap,
)
from dyad.ops import derivative, jet, linearize


def tensor(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


W, DW, Q = tensor(3, 3), tensor(3, 3, seed=1), tensor(3, 3, seed=2)
U, V, M, STACK = tensor(3, seed=3), tensor(3, seed=4), tensor(4, 3, seed=5), tensor(2, 3, 3, seed=6)
P = Parameter(tensor(3, 3, seed=7), name="p")


def unpacked(w):
    a, b, _ = w
    return a * 2 + b


def iterated(w):
    total = 0
    for row in w:
        total = total * 2 + row
    return total


def of_a_constant(w):
    with no_grad():
        fixed = w[1:]
    return fixed[0] * w[1]


VIEWS = {
    "whole": lambda w: w.sum(0),
    "row": lambda w: w[1],
    "slices": lambda w: w[1:][0] * w[::2][1],
    "transposed": lambda w: w.T[2] * w.swapaxes(0, 1)[0],
    "reshaped": lambda w: w.reshape(9)[3:6] + w.reshape(-1, 1)[:3, 0],
    "unpacked": unpacked,
    "iterated": iterated,
    "view and whole": lambda w: w[0] * w.sum(),
    "constant view": of_a_constant,
    "Parameter": lambda w: P[1] * w[0] + P.T[0] * P.sum(),
}


def every_view(w):
    """All of them with factors of their own, so that each gradient that is lost is seen."""
    return sum(view(w) / (1 + number) for number, view in enumerate(VIEWS.values()))


def energy(u, a):
    return (ops.sin(u * a) * a * u).sum()


def field(u, a):
    return ops.tanh(u * a) * (a * a).sum()


# What stands inside: functions of `w` in which a transformed function reads `view(w)`.
INNER = {
    "call": lambda w, view: energy(U, view(w)),
    "grad": lambda w, view: grad(lambda u: energy(u, view(w)))(U),
    "value_and_grad": lambda w, view: sum(value_and_grad(lambda u: energy(u, view(w)))(U)),
    "vjp": lambda w, view: vjp(lambda u: field(u, view(w)), U)[1](V)[0],
    "jvp": lambda w, view: jvp(lambda u: field(u, view(w)), U, V)[1],
    "jacrev": lambda w, view: jacrev(lambda u: field(u, view(w)))(U),
    "jacfwd": lambda w, view: jacfwd(lambda u: field(u, view(w)))(U),
    "hessian": lambda w, view: jacfwd(jacrev(lambda u: energy(u, view(w))))(U),
    "grad of grad": lambda w, view: grad(lambda u: (grad(lambda v: energy(v, view(w)))(u) ** 2).sum())(U),
    "linearize": lambda w, view: linearize(lambda u: field(u, view(w)), U)[1](V),
    "derivative": lambda w, view: derivative(lambda u: field(u, view(w)), U, 2)[1],
    "jet": lambda w, view: jet(lambda u: field(u, view(w)), U, ops.stack((V, U)))[1],
    "vmap": lambda w, view: vmap(lambda m: field(m, view(w)))(M),
    "vmap of an argument": lambda w, view: vmap(lambda m, y: field(m, view(y)), (0, None))(M, w),
    "vmap of vmap": lambda w, view: vmap(lambda m: vmap(lambda n: field(n * m, view(w)))(M))(M),
    "vmap of grad": lambda w, view: vmap(grad(lambda m: energy(m, view(w))))(M),
    "vmap of grad by the argument": lambda w, view: vmap(grad(lambda m, y: energy(m, view(y)), 1), (0, None))(
        M, w
    ),
    "vmap of value_and_grad": lambda w, view: vmap(value_and_grad(lambda m: energy(m, view(w))))(M)[1],
    "vmap of vjp": lambda w, view: vmap(lambda m: vjp(lambda u: field(u, view(w)), m)[1](V)[0])(M),
    "vmap of jvp": lambda w, view: vmap(lambda m: jvp(lambda u: field(u, view(w)), m, V)[1])(M),
    "vmap of jacrev": lambda w, view: vmap(jacrev(lambda m: field(m, view(w))))(M),
    "vmap of jacfwd": lambda w, view: vmap(jacfwd(lambda m: field(m, view(w))))(M),
    "vmap of hessian": lambda w, view: vmap(jacfwd(jacrev(lambda m: energy(m, view(w)))))(M),
    "grad of vmap": lambda w, view: grad(lambda u: vmap(lambda m: energy(m * u, view(w)))(M).sum())(U),
    "jacfwd of vmap": lambda w, view: jacfwd(lambda u: vmap(lambda m: energy(m * u, view(w)))(M))(U),
}


def squared(fn):
    return lambda *given: (fn(*given) ** 2).sum()


def few(fn):
    return lambda w: fn(w).reshape(-1)[:3]


def pulled_back(fn):
    output, pull = vjp(fn, W)[:2]
    return pull(ops.cos(output))[0]


OUTER = {
    "grad": lambda fn: grad(squared(fn))(W),
    "value_and_grad": lambda fn: value_and_grad(squared(fn))(W),
    "vjp": pulled_back,
    "jvp": lambda fn: jvp(fn, W, DW)[1],
    "jacrev": lambda fn: jacrev(few(fn))(W),
    "jacfwd": lambda fn: jacfwd(few(fn))(W),
    "grad of grad": lambda fn: grad(squared(grad(squared(fn))))(W),
    "linearize": lambda fn: linearize(fn, W)[1](DW),
    "vmap": lambda fn: vmap(fn)(STACK),
    "vmap of grad": lambda fn: vmap(grad(squared(fn)))(STACK),
    "Parameter": lambda fn: grad(squared(lambda: fn(P)), None, weights=P)(),
    "input and Parameter": lambda fn: value_and_grad(squared(lambda x: fn(P * x)), 0, weights=P)(W),
    "closure": lambda fn: fn(Q),
}


def graph_mode(program):
    class Net(dyad.nn.Cell):
        def construct(self, x):
            return program(x)

    def call(x):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return Net()(x)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


FORMS = {
    "source": jit,
    "bytecode": lambda program: jit(program, capture_mode="bytecode"),
    "graph mode": graph_mode,
    "trace": lambda program: jit(program, capture_mode="trace"),
}


def parts(result):
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in parts(part)]
    return [result.asnumpy()]


def require_same(program):
    x = Tensor(1.5)
    wanted = parts(program(x))
    assert all(np.any(array) for array in wanted)
    for name, form in FORMS.items():
        static = form(program)
        for _ in range(2):
            for array, truth in zip(parts(static(x)), wanted, strict=True):
                scale = 1 + np.abs(truth).max()
                np.testing.assert_allclose(array / scale, truth / scale, rtol=1e-3, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_transforms_inside_transforms_agree_in_every_form(inner, outer):
    require_same(lambda x: OUTER[outer](lambda w: INNER[inner](w, every_view) * x))


@pytest.mark.parametrize("view", VIEWS)
def test_the_gradient_through_vmap_of_each_view_agrees_in_every_form(view):
    require_same(lambda x: OUTER["grad"](lambda w: INNER["vmap"](w, VIEWS[view]) * x))
