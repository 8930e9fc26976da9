"""Recomputed Cells: the same gradients, less kept."""

import contextlib

import numpy as np
import pytest
from values import floats, parameter, read

import dyad
from dyad import Tensor, grad, nn, ops, value_and_grad


class Block(nn.Cell):
    def __init__(self, rate=0.0):
        super().__init__()
        self.first, self.second = nn.Dense(4, 8), nn.Dense(8, 4)
        self.dropout = nn.Dropout(p=rate)
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return self.second(self.dropout(ops.tanh(self.first(x))))


class Stack(nn.Cell):
    def __init__(self, count=3, rate=0.0):
        super().__init__()
        self.blocks = nn.CellList([Block(rate) for _ in range(count)])

    def construct(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


def bits(structure):
    return [tensor.asnumpy().tobytes() for tensor in structure]


def gradients_of(net, x, call=None):
    dyad.set_seed(3)
    value, (by_input, by_weight) = value_and_grad(call or net, 0, net.trainable_params())(x)
    return bits([value, by_input, *by_weight])


@pytest.fixture
def x():
    return Tensor(np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32))


@pytest.mark.parametrize("rate", [0.0, 0.5])
@pytest.mark.parametrize("kwargs", [{}, {"use_reentrant": False}])
def test_gradients_are_equal_bit_for_bit(x, rate, kwargs):
    net = Stack(rate=rate)
    net.set_train()
    expected = gradients_of(net, x)
    for block in net.blocks:
        block.recompute(**kwargs)
    assert gradients_of(net, x) == expected
    assert [block.calls for block in net.blocks] == [3, 3, 3]


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_the_function_form(x, rate):
    net = Stack(rate=rate)
    net.set_train()
    expected = gradients_of(net, x)

    def call(t):
        for block in net.blocks:
            t = t + dyad.recompute(block, t)
        return t

    assert gradients_of(net, x, call) == expected


def test_a_parent_covers_its_children(x):
    net = Stack()
    expected = gradients_of(net, x)
    net.recompute()
    for block in net.blocks:
        block.recompute()
        block.calls = 0
    assert gradients_of(net, x) == expected
    assert [block.calls for block in net.blocks] == [2, 2, 2]


def test_the_random_stream_goes_on_as_if_nothing_was_recomputed(x):
    net = Stack(rate=0.5)
    net.set_train()
    gradients_of(net, x)
    expected = read(ops.rand(3))
    net.recompute()
    gradients_of(net, x)
    assert read(ops.rand(3)) == expected


def test_a_plain_call_runs_once(x):
    block = Block()
    block.recompute()
    block(x)
    assert block.calls == 1


def test_precision_is_that_of_the_first_run(x):
    net = Stack().to_float(dyad.float16)
    expected = gradients_of(net, x)
    net.recompute()
    assert gradients_of(net, x) == expected


class Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = parameter(3.0)

    def construct(self, pair, *, scale):
        return {"product": pair[0] * pair[1] * self.w, "scaled": [pair[0] * scale, "text"]}


def test_containers_and_keywords():
    cell = Pair()

    def call(a, b):
        return dyad.recompute(cell, (a, b), scale=b)

    value, gradients = value_and_grad(call, (0, 1), cell.w)(floats(2.0), floats(5.0))
    assert read(value) == {"product": [30.0], "scaled": [[10.0], "text"]}
    assert read(gradients) == (([20.0], [8.0]), [10.0])


def test_an_output_that_is_not_used():
    cell = Pair()
    function = lambda a: dyad.recompute(cell, (a, a), scale=a)["scaled"][0]  # noqa: E731
    assert read(grad(function, 0, cell.w)(floats(3.0))) == ([6.0], [0.0])


def test_second_order(x):
    block = Block()
    penalty = lambda t: (grad(lambda s: block(s).sum())(t) ** 2).sum()  # noqa: E731
    expected = grad(penalty, 0, block.trainable_params())(x)
    block.recompute()
    got = grad(penalty, 0, block.trainable_params())(x)
    for left, right in zip([expected[0], *expected[1]], [got[0], *got[1]], strict=True):
        np.testing.assert_allclose(left.asnumpy(), right.asnumpy(), rtol=1e-5, atol=1e-6)


def test_context_fn(x):
    log = []

    @contextlib.contextmanager
    def noting(name):
        log.append(name)
        yield

    block = Block()
    grad(lambda t: dyad.recompute(block, t, context_fn=lambda: (noting("first"), noting("second"))))(x)
    assert log == ["first", "second"]


def test_running_statistics_are_updated_once(x):
    plain, recomputed = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    for net in (plain, recomputed):
        net.set_train()
    recomputed.recompute()
    for net in (plain, recomputed):
        grad(net, None, net.trainable_params())(x)
    assert bits([plain.moving_mean, plain.moving_variance]) == bits(
        [recomputed.moving_mean, recomputed.moving_variance]
    )


def test_less_is_kept(x):
    wide = Tensor(np.ones((256, 4), np.float32))

    def peak(net):
        during = []
        function = value_and_grad(lambda t: (net(t), during.append(dyad.runtime.memory_allocated()))[0], 0)
        before = dyad.runtime.memory_allocated()
        function(wide)
        return during[0] - before

    net = Stack(count=8)
    whole = peak(net)
    net.recompute()
    assert peak(net) < whole / 3


def test_an_input_that_is_overwritten_is_noticed(x):
    block = Block()

    def function(t):
        scaled = t * 2
        y = dyad.recompute(block, scaled)
        scaled.add_(1.0)
        return y

    with pytest.raises(RuntimeError, match=r"Block: its gradient needs input 0 of shape \(5, 4\) as it was"):
        grad(function)(x)


def test_a_second_run_that_gives_other_outputs_is_an_error():
    class Alternates(nn.Cell):
        def __init__(self, results):
            super().__init__()
            self.results = iter(results)

        def construct(self, x):
            return next(self.results)(x)

    fewer = Alternates([lambda x: (x, x * 2), lambda x: x])
    with pytest.raises(
        RuntimeError, match="Alternates: recomputing gave 1 Tensors where the first run gave 2"
    ):
        grad(lambda x: dyad.recompute(fewer, x))(floats(1.0, 2.0))
    smaller = Alternates([lambda x: x * 2, lambda x: x.sum()])
    with pytest.raises(
        RuntimeError, match=r"recomputing gave output 0 the shape \(\) where the first run gave \(2,\)"
    ):
        grad(lambda x: dyad.recompute(smaller, x))(floats(1.0, 2.0))


def test_recorded_tensors_that_are_not_arguments_get_their_gradient():
    shared = parameter(2.0, 3.0, name="shared")

    class Reads(nn.Cell):
        def construct(self, x):
            return ops.exp(x * self.scale) * shared * shared

    def function(cell):
        def call(x):
            cell.scale = x * x
            return cell(x) + cell.scale

        return call

    plain, recomputed = Reads(), Reads()
    recomputed.recompute()
    x = floats(0.5, 1.0)
    assert read(grad(function(recomputed), 0, shared)(x)) == read(grad(function(plain), 0, shared)(x))

    def second(cell):
        return grad(lambda a: grad(function(cell), 0, shared)(a), 0, shared)(x)

    np.testing.assert_allclose(np.array(read(second(recomputed))), read(second(plain)), rtol=1e-6)


def test_a_captured_tensor_that_was_overwritten_is_noticed():
    class Reads(nn.Cell):
        def construct(self, x):
            return x * self.scale

    cell = Reads()
    cell.recompute()

    def function(x):
        cell.scale = x * x
        y = cell(x)
        cell.scale.add_(1.0)
        return y

    with pytest.raises(RuntimeError, match="Reads: its gradient needs captured Tensor 0"):
        grad(function)(floats(0.5, 1.0))
