"""`vmap` together with the other transforms, in every order."""

import numpy as np
import pytest

from dyad import (
    GRAPH_MODE,
    Tensor,
    get_context,
    grad,
    jacfwd,
    jacrev,
    jit,
    jvp,
    nn,
    ops,
    set_context,
    value_and_grad,
    vjp,
    vmap,
)


def tensor(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def loss(x):
    return (ops.sin(x) * x).sum()


def field(x):
    return ops.tanh(x) * x.sum()


def slope(x, v):
    return jvp(loss, x, v)[1]


def pulled_back(x, v):
    return vjp(field, x)[1](v)[0]


def steepness(x):
    return (grad(loss)(x) ** 2).sum()


X, V = tensor(4, 3), tensor(4, 3, seed=1)

FUNCTIONS = {
    "grad": (grad(loss), (X,)),
    "grad of grad": (grad(steepness), (X,)),
    "value and grad": (value_and_grad(loss), (X,)),
    "jvp": (slope, (X, V)),
    "vjp": (pulled_back, (X, V)),
    "jacfwd": (jacfwd(field), (X,)),
    "jacrev": (jacrev(field), (X,)),
    "hessian": (jacfwd(jacrev(loss)), (X,)),
}
FORMS = {
    "called": vmap,
    "compiled": lambda fn: jit(vmap(fn)),
    "inside": lambda fn: jit(lambda *args: vmap(fn)(*args)),
}


def parts(result):
    return [part.asnumpy() for part in (result if isinstance(result, tuple) else (result,))]


def check(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def by_loop(fn, *stacks):
    results = [parts(fn(*slices)) for slices in zip(*stacks, strict=True)]
    return [np.stack(slices) for slices in zip(*results, strict=True)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transforms_of_every_slice(name, form):
    fn, stacks = FUNCTIONS[name]
    check(parts(FORMS[form](fn)(*stacks)), by_loop(fn, *stacks))


@pytest.mark.parametrize("form", ["called", "compiled"])
def test_transforms_of_all_slices(form):
    compiled = jit if form == "compiled" else lambda fn: fn
    gradients = by_loop(grad(loss), X)
    check(parts(compiled(grad(lambda x: vmap(loss)(x).sum()))(X)), gradients)
    check(parts(compiled(lambda x, v: jvp(vmap(loss), x, v)[1])(X, V)), by_loop(slope, X, V))
    check(parts(compiled(grad(lambda x: (vmap(grad(loss))(x) ** 2).sum()))(X)), by_loop(grad(steepness), X))
    whole = jacfwd(vmap(loss))(X).asnumpy()
    check([whole], [np.eye(4)[:, :, None] * gradients[0][None]])


def test_slices_of_slices():
    x = tensor(2, 4, 3)
    check(parts(vmap(vmap(grad(loss)))(x)), [np.stack([by_loop(grad(loss), part)[0] for part in x])])


@pytest.mark.parametrize("form", ["called", "compiled"])
def test_gradients_of_an_ensemble(form):
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    parameters = cells.trainable_params()
    x = tensor(4, 5, 3)

    def total(x):
        return (vmap(cells)(x) ** 2).sum()

    def by_hand(x):
        return sum((cell(part) ** 2).sum() for cell, part in zip(cells, x, strict=True))

    gradients = grad(total, None, parameters)
    found = jit(gradients)(x) if form == "compiled" else gradients(x)
    check(parts(tuple(found)), parts(tuple(grad(by_hand, None, parameters)(x))))


class Scaled(nn.Cell):
    """A product that says three times too much of its gradient."""

    def construct(self, x, w):
        return x * w

    def bprop(self, x, w, out, dout):
        return dout * w * 3, dout * x * 3


def test_a_backward_of_its_own():
    scaled, w = Scaled(), tensor(3, seed=2)
    check(parts(vmap(grad(scaled), (0, None))(X, w)), [np.stack([3 * w.asnumpy()] * 4)])

    def total(x, w):
        return vmap(scaled, (0, None))(x, w).sum()

    check(parts(jit(grad(total))(X, w)), [np.stack([3 * w.asnumpy()] * 4)])
    check(parts(jit(grad(total, 1))(X, w)), [3 * X.asnumpy().sum(0)])


@pytest.fixture
def graph_mode():
    before = get_context("mode")
    set_context(mode=GRAPH_MODE)
    yield
    set_context(mode=before)


@pytest.mark.usefixtures("graph_mode")
def test_in_graph_mode():
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    check(parts(vmap(loss)(X)), by_loop(loss, X))
    check(parts(vmap(grad(loss))(X)), by_loop(grad(loss), X))
    check(parts(grad(lambda x: vmap(loss)(x).sum())(X)), by_loop(grad(loss), X))
    stacks = tensor(4, 5, 3)
    wanted = [np.stack([cell(part).asnumpy() for cell, part in zip(cells, stacks, strict=True)])]
    check(parts(vmap(cells)(stacks)), wanted)
