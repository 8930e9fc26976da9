"""Graph mode compiles the gradient function itself, once for what it was asked for."""

import gc
import weakref

import numpy as np
import pytest
from same_in_graphs import same

import dyad
from dyad import Tensor, grad, nn, ops, value_and_grad, vjp
from dyad._src.autodiff.jacobians import jacrev
from dyad._src.autodiff.transformed import GRAPHS_OF_TRANSFORMS
from dyad.ops import GradOperation

x = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
row = x.reshape(1, 3)


@pytest.fixture(autouse=True)
def _graph_mode():
    dyad.set_context(mode=dyad.GRAPH_MODE)
    yield
    dyad.set_context(mode=dyad.PYNATIVE_MODE)


def graphs(function):
    return len(function.__dict__[GRAPHS_OF_TRANSFORMS].entries)


def test_a_gradient_function_is_compiled_once():
    def square(t, s):
        assert dyad._core.current_graph() is not None  # it is read, and never run as it stands
        return (t * t * s).sum()

    for _ in range(3):
        same(grad(square, (0, 1))(x, x), (x * x * 2, x * x))
    assert graphs(square) == 1
    same(grad(square, 1)(x, x), x * x)
    same(value_and_grad(square)(x, x), (Tensor(36.0), x * x * 2))
    assert graphs(square) == 3


def test_methods_cells_and_operators():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 1)

        def construct(self, t):
            return self.dense(t)

        def loss(self, t):
            return self.construct(t).sum()

    one, other = Net(), Net()
    for _ in range(3):
        same(grad(one.loss)(row), one.dense.weight.value())
        same(grad(other.loss)(row), other.dense.weight.value())
    assert graphs(Net.loss) == 2
    for _ in range(2):
        same(GradOperation(get_by_list=True)(one)(row)[0], row)
    assert graphs(one) == 1
    same(grad(ops.square)(x), x * 2)
    same(jacrev(lambda t: t * t)(x), ops.diag(x * 2))
    same(grad(grad(lambda t: t**3))(x[1]), Tensor(12.0))


def test_value_and_grad_with_weights_compiles_once():
    net = nn.Dense(3, 2)

    def forward(t):
        return net(t).sum(), t

    for _ in range(2):
        (_, kept), gradients = value_and_grad(forward, None, net.trainable_params(), has_aux=True)(row)
        assert len(gradients) == 2
        same(kept, row)
    assert graphs(forward) == 1
    net.bias.requires_grad = False
    same(grad(forward, None, [net.bias])(row)[0], Tensor([0.0, 0.0]))


def test_what_cannot_be_captured_says_so_at_strict():
    def function(t):
        return t.asnumpy()

    dyad.set_context(jit_syntax_level=dyad.STRICT)
    try:
        with pytest.raises(AttributeError, match="asnumpy"):
            grad(function)(x)
    finally:
        dyad.set_context(jit_syntax_level=dyad.LAX)


def test_what_cannot_be_captured_is_run_by_python():
    def function(t):
        return (t * t * float(t.asnumpy()[0])).sum()

    for given in (x, x, x * 3):
        same(grad(function)(given), given * 2 * float(given.asnumpy()[0]))


def test_graphs_go_with_the_function():
    def function(t):
        return t * t

    grad(function)(x)
    graph = weakref.ref(function.__dict__[GRAPHS_OF_TRANSFORMS])
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None
    assert graph() is None


def test_a_cell_with_graphs_is_copied_without_them():
    import copy

    net = nn.Dense(3, 1)
    grad(net)(row)
    copied = copy.deepcopy(net)
    assert GRAPHS_OF_TRANSFORMS not in copied.__dict__
    same(grad(copied)(row), grad(net)(row))


def test_vjp_compiles_its_function():
    def square(t):
        assert dyad._core.current_graph() is not None
        return t * t

    for _ in range(2):
        output, product = vjp(square, x)
        same(output, x * x)
        same(product(x), (x * x * 2,))
    assert graphs(square) == 1
