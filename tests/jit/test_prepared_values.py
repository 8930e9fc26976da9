"""Values that a graph computes from Parameters alone are kept between calls and never stale."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.array([1.0, 2.0], np.float32)), name="weight")

    def construct(self, x):
        return x * ops.exp(self.weight)


def expected(values):
    return np.exp(np.array(values, np.float32))


@pytest.fixture
def net():
    return Scaled()


ONES = Tensor(np.ones(2, np.float32))


def test_in_place_change_is_seen(net):
    graph = dyad.jit(net)
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([1, 2]), rtol=1e-6)
    ops.assign(net.weight, Tensor(np.array([0.5, 0.0], np.float32)))
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([0.5, 0]), rtol=1e-6)
    net.weight.set_data(Tensor(np.array([3.0, 1.0], np.float32)))
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([3, 1]), rtol=1e-6)


def test_write_through_an_array_is_seen(net):
    graph = dyad.jit(net)
    graph(ONES)
    array = net.weight.asnumpy()
    graph(ONES)
    array[:] = 0.25
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([0.25, 0.25]), rtol=1e-6)
    array[:] = 0.5
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([0.5, 0.5]), rtol=1e-6)
    array[:] = 0.75
    del array
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([0.75, 0.75]), rtol=1e-6)


def test_two_programs_share_a_parameter(net):
    graph = dyad.jit(net)

    @dyad.jit
    def other(x):
        ops.assign(net.weight, net.weight + 1)
        return x * ops.exp(net.weight)

    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([1, 2]), rtol=1e-6)
    np.testing.assert_allclose(other(ONES).asnumpy(), expected([2, 3]), rtol=1e-6)
    np.testing.assert_allclose(graph(ONES).asnumpy(), expected([2, 3]), rtol=1e-6)


def test_gradients_flow_through_prepared_values(net):
    graph = dyad.jit(net)
    graph(ONES)
    gradient = dyad.grad(lambda x: graph(x).sum(), None, net.trainable_params())(ONES)
    np.testing.assert_allclose(gradient[0].asnumpy(), expected([1, 2]), rtol=1e-6)
    second = dyad.grad(dyad.grad(lambda x: (graph(x) * x).sum()))(ONES)
    np.testing.assert_allclose(second.asnumpy(), 2 * expected([1, 2]), rtol=1e-6)


def test_a_graph_inside_a_graph_differentiates(net):
    inner = dyad.jit(net)
    weights = net.trainable_params()

    @dyad.jit
    def outer(x):
        return dyad.grad(lambda y: inner(y).sum(), None, weights)(x)

    inner(ONES)
    np.testing.assert_allclose(outer(ONES)[0].asnumpy(), expected([1, 2]), rtol=1e-6)
