"""`Cell.to`: Parameters and buffers change their dtype and device in place."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, grad, jit, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 3, weight_init="ones", bias_init="zeros")
        self.steps = Parameter(Tensor([1, 2]), requires_grad=False)
        self.register_buffer("scale", Tensor([1.0, 2.0, 4.0]))
        self.register_buffer("places", Tensor([0, 1]))

    def construct(self, x):
        return self.dense(x) * self.scale


def dtypes(net):
    return {name: each.dtype for name, each in (*net.parameters_and_names(), *net.named_buffers())}


def test_floats_are_converted_and_integers_stay():
    net = Net()
    assert net.to(dyad.float16) is net
    half, whole = dyad.float16, dyad.int64
    assert dtypes(net) == {
        "dense.weight": half, "dense.bias": half, "steps": whole, "scale": half, "places": whole,
    }  # fmt: skip
    assert net.dense.weight.asnumpy().tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"dtype": dyad.float64},
        {"device": "CPU", "dtype": dyad.float64},
        {"device": "CPU", "dtype": dyad.float64, "non_blocking": True},
        {"tensor": Tensor([1.0], dyad.float64)},
    ],
)
def test_every_way_to_name_it(arguments):
    assert Net().to(**arguments).dense.weight.dtype == dyad.float64


@pytest.mark.parametrize(
    "arguments",
    [(dyad.float64,), (dyad.float64, True), ("CPU", dyad.float64), (Tensor([1.0], dyad.float64), False)],
)
def test_by_place(arguments):
    assert Net().to(*arguments).dense.weight.dtype == dyad.float64


def test_a_device_alone_keeps_the_dtypes():
    net = Net()
    weight = net.dense.weight
    before = dtypes(net)
    net.to("CPU")
    assert dtypes(net) == before
    assert net.dense.weight is weight


def test_holders_of_a_parameter_see_it():
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    shared = nn.CellList([net.dense, net.dense])
    net.to(dyad.float64)
    assert [each.dtype for each in optimizer.parameters] == [dyad.float64] * 2
    assert shared[1].weight is net.dense.weight
    x = Tensor(np.ones((1, 2)), dyad.float64)
    gradients = dyad.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)(x)[1]
    optimizer(gradients)
    np.testing.assert_allclose(net.dense.weight.asnumpy(), [[0.5, 0.5], [0, 0], [-1, -1]])


@pytest.mark.parametrize("form", ["dynamic", "jit", "graph mode"])
def test_networks_that_ran_before(form, request):
    net = Net()
    if form == "graph mode":
        dyad.set_context(mode=dyad.GRAPH_MODE)
        request.addfinalizer(lambda: dyad.set_context(mode=dyad.PYNATIVE_MODE))
    run = jit(net) if form == "jit" else net
    x = Tensor([[1.0, 2.0]])
    assert run(x).dtype == dyad.float32
    net.to(dyad.float16)
    assert run(x.astype(dyad.float16)).dtype == dyad.float16
    net.to(dyad.float32)
    assert run(x).asnumpy().tolist() == [[3.0, 6.0, 12.0]]
    gradient = grad(lambda x: ops.sum(run(x)))(x)
    assert gradient.asnumpy().tolist() == [[7.0, 7.0]]


def test_parameters_that_have_no_values_yet():
    net = nn.Dense(2, 2)
    net.weight = Parameter(dyad.common.initializer.initializer("ones", (2, 2), dyad.float32), name="weight")
    assert net.to(dyad.float16).weight.asnumpy().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((dyad.int32,), TypeError, "Cell.to: dtype is dyad.int32; need one of floats or complex numbers"),
        ((3,), TypeError, "Cell.to: device is an int; need the name of a device, a dtype or a Tensor"),
        ((dyad.float16, 2), TypeError, "Cell.to: non_blocking is 2 of type int; need a bool"),
        (("abacus",), ValueError, "to: device is 'abacus'"),
    ],
)
def test_to_rejects_wrong_arguments_and_converts_nothing(arguments, error, text):
    net = Net()
    with pytest.raises(error, match=text):
        net.to(*arguments)
    assert net.dense.weight.dtype == dyad.float32
