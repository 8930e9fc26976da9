"""A gradient that is asked for in pieces: new_graph, the program itself, end_graph, grad."""

import numpy
import pytest

from dyad import Parameter, Tensor, nn, no_grad, ops
from dyad.common.api import _pynative_executor as executor


def in_pieces(fn, how, weights, *args, position=None, sens=()):
    executor.set_grad_flag(True)
    executor.new_graph(fn, *args)
    value = fn(*args)
    executor.end_graph(fn, value, *args)
    assert executor.check_run(how, fn, weights, position, *args, *sens)
    return value, executor.grad(fn, how, weights, position, *args, *sens)


def test_gradients_of_a_closure_are_those_of_grad():
    net = nn.Dense(3, 2)
    x = Tensor(numpy.ones((4, 3), numpy.float32))
    calls = []

    def loss(x):
        calls.append(1)
        return ops.square(net(x)).mean()

    value, found = in_pieces(loss, ops.GradOperation(False, True), net.trainable_params(), x)
    assert len(calls) == 1
    wanted_value, wanted = ops.value_and_grad(loss, None, net.trainable_params())(x)
    assert value == wanted_value
    for one, other in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)


def test_arguments_weights_and_the_gradient_of_the_output():
    weight = Parameter(Tensor([3.0, 4.0]), name="weight")
    x, y = Tensor([1.0, 2.0]), Tensor([5.0, 6.0])
    how = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)
    _, (inputs, weights) = in_pieces(
        lambda x, y: x * weight + y, how, [weight], x, y, sens=(Tensor([10.0, 100.0]),)
    )
    assert [part.asnumpy().tolist() for part in inputs] == [[30.0, 400.0], [10.0, 100.0]]
    assert weights[0].asnumpy().tolist() == [10.0, 200.0]
    _, second = in_pieces(lambda x, y: x * y, ops.GradOperation(), None, x, y, position=1)
    assert second.asnumpy().tolist() == [1.0, 2.0]


def test_an_aborted_recording_ends_with_the_next():
    weight = Parameter(Tensor(2.0), name="weight")
    executor.new_graph(None)
    _ = weight * weight
    _, (found,) = in_pieces(lambda: weight * 3, ops.GradOperation(False, True), [weight])
    assert found == 3
    assert not executor.requires_grad()
    with pytest.raises(RuntimeError, match="new_graph first"):
        executor.end_graph(None, weight)


class Failing(nn.Cell):
    def construct(self, x):
        raise ValueError(f"no result for {(x * x).shape}")


def test_an_exception_that_leaves_the_recorded_cell_ends_the_recording():
    net, x = Failing(), Tensor([1.0, 2.0])
    executor.new_graph(net, x)
    with pytest.raises(ValueError, match="no result"):
        net(x)
    assert not executor.requires_grad()
    assert not (x * 2).requires_grad
    with pytest.raises(RuntimeError, match="new_graph first"):
        executor.end_graph(net, x, x)
    with pytest.raises(ValueError, match="no result"):
        net(x)


def test_an_exception_that_leaves_the_caller_of_new_graph_ends_the_recording():
    weight, x = Parameter(Tensor([2.0, 3.0]), name="weight"), Tensor([1.0, 2.0])

    def failing(x):
        raise ValueError(f"no result for {(x * weight).shape}")

    for _ in range(3):
        with pytest.raises(ValueError, match="no result"):
            in_pieces(failing, ops.GradOperation(), None, x)
        assert not executor.grad_flag()
        assert not (x * weight).requires_grad
    with pytest.raises(ValueError, match="no result"):
        in_pieces(failing, ops.GradOperation(), None, x)
    found = ops.grad(lambda x: x * weight)(x)
    assert found.asnumpy().tolist() == [2.0, 3.0]
    assert not found.requires_grad and not executor.requires_grad()


def test_an_exception_that_leaves_the_block_of_new_graph_ends_the_recording():
    weight, x = Parameter(Tensor([2.0, 3.0]), name="weight"), Tensor([1.0, 2.0])

    def failing(x):
        raise ValueError(f"no result for {(x * weight).shape}")

    try:
        executor.new_graph(failing, x)
        with pytest.MonkeyPatch.context():
            inner = ops.grad(lambda x: x * x)(x)
        assert executor.requires_grad() and inner.asnumpy().tolist() == [2.0, 4.0]
        value = failing(x)
        executor.end_graph(failing, value, x)
    except ValueError:
        assert not executor.requires_grad()
    with pytest.raises(ValueError, match="no result"):
        executor.new_graph(failing, x)
        executor.end_graph(failing, failing(x), x)
    found = ops.grad(lambda x: x * weight)(x)
    assert not found.requires_grad and not (x * weight).requires_grad
    with pytest.MonkeyPatch.context():
        executor.new_graph(None)
    assert executor.requires_grad()
    executor.end_graph(None, x * weight)
    assert executor.grad(None, ops.GradOperation(False, True), [weight], None)[0].asnumpy().tolist() == [
        1.0,
        2.0,
    ]


def begin(fn, *args):
    executor.new_graph(fn, *args)


def test_a_function_that_only_begins_a_recording_leaves_it_open():
    weight = Parameter(Tensor(2.0), name="weight")
    begin(None)
    assert executor.requires_grad()
    value = weight * weight
    assert ops.grad(lambda x: x * x)(Tensor(3.0)) == 6
    executor.end_graph(None, value)
    (found,) = executor.grad(None, ops.GradOperation(False, True), [weight], None)
    assert found == 4


def test_the_flag_stops_recording_and_no_grad_stays():
    weight = Parameter(Tensor(2.0), name="weight")

    def partly(x):
        before = executor.grad_flag()
        executor.set_grad_flag(False)
        kept = weight * x
        executor.set_grad_flag(before)
        return weight * kept

    _, (found,) = in_pieces(partly, ops.GradOperation(False, True), [weight], Tensor(5.0))
    assert found == 10
    with no_grad():
        executor.set_grad_flag(True)
        assert not executor.requires_grad()
        with pytest.raises(RuntimeError, match="In no_grad context"):
            executor.new_graph(None)
