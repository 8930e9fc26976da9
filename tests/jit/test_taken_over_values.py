"""Tensors and Parameters that take over values of another shape, and plain Tensors of a Parameter's values."""

import pytest

import dyad
from dyad import Parameter, Tensor, grad, jit, nn, ops

FORMS = pytest.mark.parametrize(
    "form",
    [lambda f: f, jit, lambda f: jit(f, capture_mode="bytecode"), lambda f: jit(f, capture_mode="trace")],
    ids=["dynamic", "static", "bytecode", "trace"],
)


def _assign(x, y):
    x.assign_value(y * 2)
    return x + 1


def _set_data(x, y):
    x.set_data(y * 2)
    return x + 1


@FORMS
@pytest.mark.parametrize("change", [_assign, _set_data])
@pytest.mark.parametrize("values", [[5, 6], [[1, 2], [3, 5]]], ids=["equal", "other"])
def test_another_shape_is_taken_over(form, change, values):
    target = Parameter(Tensor([1, 2]), name="p")
    twice = (Tensor(values) * 2).tolist()
    assert form(change)(target, Tensor(values)).tolist() == (Tensor(twice) + 1).tolist()
    assert target.asnumpy().tolist() == twice


@FORMS
def test_the_data_of_a_parameter_is_a_plain_tensor_over_its_memory(form):
    parameter = Parameter(Tensor([1.0, 2.0]), name="p")
    plain = form(lambda p: p.data)(parameter)
    assert type(plain) is Tensor
    plain[0] = 7.0
    assert parameter.asnumpy().tolist() == [7, 2]


def _write_into_value(p):
    kept = p.value()
    kept[0] = 7.0
    return kept


def _assign_after_value(p):
    kept = p.value()
    ops.assign(p, kept * 10)
    return kept


def _gradient_through_value(p):
    return grad(lambda p: (p.value() * p).sum())(p)


@FORMS
@pytest.mark.parametrize(
    ("use", "result", "left"),
    [
        (_write_into_value, [7, 2], [1, 2]),
        (_assign_after_value, [1, 2], [10, 20]),
        (_gradient_through_value, [2, 4], [1, 2]),
    ],
)
def test_value_returns_a_copy_through_which_gradients_pass(form, use, result, left):
    use = form(use)
    for _ in range(3):
        parameter = Parameter(Tensor([1.0, 2.0]), name="p")
        found = use(parameter)
        assert type(found) is Tensor
        assert found.tolist() == result and parameter.tolist() == left


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_a_value_stays_as_it_was_when_the_network_is_trained(mode):
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")

        def construct(self, x):
            return (self.weight.value() * x).sum()

    dyad.set_context(mode=mode)
    try:
        net = Scaled()
        before = net.weight.value()
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5))
        step(Tensor([2.0, 4.0]))
        step(Tensor([2.0, 4.0]))
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    assert before.tolist() == [1, 2] and net.weight.tolist() == [-1, -2]
