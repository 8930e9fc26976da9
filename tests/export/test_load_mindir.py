"""Files that MindSpore 2.10 wrote load and give what it gave, in every form."""

import numpy as np
import pytest
from forms import FORMS, in_graph_mode
from reference_files import NAMES, Expectation

import dyad
from dyad import Tensor, nn, ops


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_gives_what_the_reference_gave(name, form):
    expected = Expectation(name)
    net = nn.GraphCell(dyad.load(expected.path))
    expected.check(form(net, *expected.inputs()))


def test_there_are_files():
    assert len(NAMES) >= 12


def test_parameters_have_their_names():
    net = nn.GraphCell(dyad.load(Expectation("mlp").path))
    assert [parameter.name for parameter in net.trainable_params()] == [
        "0.weight", "0.bias", "2.weight", "2.bias",
    ]  # fmt: skip
    assert [path for path, _ in net.parameters_and_names()] == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_state_is_kept_between_calls():
    expected = Expectation("state")
    net = nn.GraphCell(dyad.load(expected.path))
    (x,) = expected.inputs()
    net(x)
    before, double, count = net(x)
    np.testing.assert_allclose(before.asnumpy(), x.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(double.asnumpy(), 4 * x.asnumpy(), rtol=1e-6)
    assert count == 2


@pytest.mark.parametrize("form", FORMS)
def test_a_training_step_trains(form):
    expected = Expectation("momentum_step")
    net = nn.GraphCell(dyad.load(expected.path))
    losses = [float(form(net, *expected.inputs())) for _ in range(20)]
    assert losses[-1] < losses[0] / 2


def test_open_sizes_take_any_size():
    net = nn.GraphCell(dyad.load(Expectation("sizes").path))
    for size in (1, 2, 7):
        sums, doubled, twice = net(ops.ones((size, 2, 2)))
        assert sums.shape == (size,)
        assert doubled.shape == (2 * size, 2, 2)
        assert twice == 2 * size


def test_a_graph_takes_other_shapes_than_at_export():
    net = nn.GraphCell(dyad.load(Expectation("mlp").path))
    assert net(ops.ones((7, 4))).shape == (7, 3)


def test_long_loops_need_no_stack():
    net = nn.GraphCell(dyad.load(Expectation("loop").path), {"w": Tensor([1.0])})
    x, turns = net(ops.zeros((3,)), Tensor(5000, dyad.int32))
    assert turns == 5000
    assert x[0] == 5000
    x, turns = in_graph_mode(net, ops.zeros((3,)), Tensor(5000, dyad.int32))
    assert turns == 5000
    assert x[0] == 5000


@pytest.mark.parametrize("name", ["mlp", "lenet", "branch", "loop"])
def test_gradients_flow_through(name):
    expected = Expectation(name)
    net = nn.GraphCell(dyad.load(expected.path))
    inputs = expected.inputs()

    def total(*given):
        made = net(*given)
        return (made[0] if isinstance(made, tuple) else made).sum()

    gradient = dyad.grad(total)(*inputs).asnumpy()
    step = 1e-2
    moved = Tensor(inputs[0].asnumpy() + step * np.sign(gradient))
    slope = (total(moved, *inputs[1:]) - total(*inputs)).item() / step
    assert slope == pytest.approx(np.abs(gradient).sum(), rel=0.05)


def test_a_loaded_graph_trains():
    net = nn.GraphCell(dyad.load(Expectation("mlp").path))
    optimizer = nn.Adam(net.trainable_params(), 0.05)
    x, y = ops.ones((4, 4)), ops.zeros((4, 3))
    step = dyad.value_and_grad(lambda: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)
    first = None
    for _ in range(30):
        loss, gradients = step()
        first = loss if first is None else first
        optimizer(gradients)
    assert loss < first / 10


def test_a_graph_is_part_of_another_network():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.GraphCell(dyad.load(Expectation("mlp").path))

        def construct(self, x):
            return self.inner(x) * 2

    expected = Expectation("mlp")
    outer = Outer()
    (x,) = expected.inputs()
    expected.check(outer(x) / 2)
    expected.check(in_graph_mode(outer, x) / 2)
    assert next(path for path, _ in outer.parameters_and_names()) == "inner.0.weight"
