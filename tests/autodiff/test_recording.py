"""When operators are recorded, and that nothing stays behind."""

import gc
import threading
import weakref

import numpy as np
import pytest
from values import floats, parameter, read

import dyad
from dyad import Tensor, enable_grad, grad, jacrev, nn, no_grad, ops, value_and_grad, vjp

X = floats(1.0, 2.0)


def test_nothing_is_recorded_inside_no_grad():
    def function(x):
        with no_grad():
            factor = x * 2
        return factor * x

    assert read(grad(function)(X)) == [2.0, 4.0]


def test_no_grad_as_a_decorator():
    @no_grad()
    def factor(x):
        return x * 2

    assert read(grad(lambda x: factor(x) * x)(X)) == [2.0, 4.0]
    assert read(factor(X)) == [2.0, 4.0]


def test_enable_grad_inside_no_grad():
    def function(x):
        with no_grad(), enable_grad():
            return x * x

    assert read(grad(function)(X)) == [2.0, 4.0]
    with no_grad(), enable_grad():
        assert read(grad(ops.square)(X)) == [2.0, 4.0]


def test_one_switch_object_may_be_entered_twice():
    switch = no_grad()
    with switch, switch:
        assert not dyad._core.grad_enabled()
    assert dyad._core.grad_enabled()


def test_an_exception_inside_no_grad_switches_back():
    with pytest.raises(ValueError, match="stop"), no_grad():
        raise ValueError("stop")
    assert read(grad(ops.square)(X)) == [2.0, 4.0]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: grad(ops.square),
        lambda: value_and_grad(ops.square),
        lambda: ops.GradOperation()(ops.square),
        lambda: vjp(ops.square, X),
        lambda: jacrev(ops.square),
    ],
)
def test_a_gradient_inside_no_grad_is_refused(ask):
    with no_grad(), pytest.raises(RuntimeError, match="In no_grad context, you can not calculate gradient"):
        ask()


def test_calling_inside_no_grad_is_refused():
    function = grad(ops.square)
    with (
        no_grad(),
        pytest.raises(RuntimeError, match="grad: In no_grad context, you can not calculate gradient"),
    ):
        function(X)
    assert read(function(X)) == [2.0, 4.0]


class Stop(Exception):
    pass


def raising(x):
    y = x * x
    if y.shape:
        raise Stop
    return y


@pytest.mark.parametrize(
    "transform",
    [
        lambda w: grad(raising, 0, w)(X),
        lambda w: value_and_grad(raising, 0, w)(X),
        lambda w: ops.GradOperation(get_all=True, get_by_list=True)(raising, w)(X),
        lambda w: vjp(raising, X, weights=w),
        lambda w: jacrev(raising)(X),
        lambda w: grad(grad(raising), 0, w)(X),
        lambda w: grad(lambda x: ops.InsertGradientOf(lambda g: raising(g))(x) * w, 0, w)(X),
    ],
)
def test_a_function_that_raises_leaves_everything_in_order(transform):
    w = parameter(3.0, 4.0)
    with pytest.raises(Stop):
        transform(w)
    assert dyad._core.tape_depth() == 0
    assert dyad._core.grad_enabled()
    assert not dyad._core.is_recorded(w * 2)
    assert read(X[0]) == 1.0
    assert read(grad(lambda x: x * w, 0, w)(X)) == ([3.0, 4.0], [1.0, 2.0])


def test_parameters_are_recorded_only_inside():
    w = parameter(3.0)
    assert not dyad._core.is_recorded(w * 2)
    seen = []
    grad(lambda x: seen.append(dyad._core.is_recorded(w * 2)) or x * w, None, w)(X)
    grad(lambda x: seen.append(dyad._core.is_recorded(w * 2)) or x * w)(X)
    assert seen == [True, False]
    assert not dyad._core.is_recorded(w * 2)


def test_what_a_finished_transform_left_behind_is_constant():
    kept = []

    def function(x):
        kept.append(x * 3)
        return x

    grad(function)(X)
    assert read(grad(lambda x: kept[0] * x)(X)) == [3.0, 6.0]
    assert read(grad(lambda x: kept[0])(X)) == [0.0, 0.0]


def test_a_parameter_that_gets_new_data_inside_is_released_afterwards():
    w = parameter(1.0, 2.0)

    def function(x):
        w.set_data(floats(5.0))
        return (x * w).sum()

    by_input, by_weight = grad(function, 0, w)(X)
    assert (read(by_input), read(by_weight)) == ([5.0, 5.0], [3.0])
    assert not dyad._core.is_recorded(w * 2)


def test_hooks_may_differentiate_and_raise():
    def function(hook):
        def hooked(x):
            y = x * 2
            y.register_hook(hook)
            return y

        return hooked

    assert read(grad(function(lambda g: grad(ops.square)(g)))(X)) == [4.0, 4.0]
    with pytest.raises(ZeroDivisionError):
        grad(function(lambda g: 1 / 0))(X)
    assert read(grad(ops.square)(X)) == [2.0, 4.0]


def test_threads_record_for_themselves():
    results = {}

    def work(factor):
        function = grad(lambda x: x * x * factor)
        results[factor] = [read(function(X)) for _ in range(200)]

    threads = [threading.Thread(target=work, args=(float(factor),)) for factor in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {factor: [[2.0 * factor, 4.0 * factor]] * 200 for factor in (1.0, 2.0, 3.0, 4.0)}


def test_values_kept_by_the_tape_are_freed():
    kept = []

    def function(x):
        y = ops.exp(x)
        kept.append(weakref.ref(y))
        return (y * y).sum()

    gc.disable()
    try:
        grad(function)(X)
        assert kept[0]() is None
    finally:
        gc.enable()


def fail(function, x):
    with pytest.raises(Stop):
        function(x)


def chain(x):
    for _ in range(20):
        x = ops.tanh(x * 1.5)
    return x


class Recorded(nn.Cell):
    def construct(self, x):
        return chain(x)

    def bprop(self, x, out, dout):
        return (dout * out,)


@pytest.mark.parametrize(
    "use",
    [
        lambda x: grad(chain)(x),
        lambda x: value_and_grad(chain)(x),
        lambda x: grad(grad(chain))(x),
        lambda x: vjp(chain, x)[1](x),
        lambda x: grad(Recorded())(x),
        lambda x: grad(lambda t: dyad.recompute(Recorded(), t))(x),
        lambda x: fail(grad(lambda t: raising(chain(t))), x),
        lambda x: Recorded()(x),
    ],
)
def test_memory_is_given_back(use):
    x = Tensor(np.ones(100_000, np.float32))
    use(x)
    gc.collect()
    before = dyad.runtime.memory_allocated()
    for _ in range(3):
        use(x)
    gc.collect()
    assert dyad.runtime.memory_allocated() <= before + 1000


@pytest.mark.parametrize("transform", [grad, value_and_grad])
def test_what_is_handed_out_keeps_nothing_else_alive(transform):
    x = Tensor(np.ones(100_000, np.float32))
    function = transform(lambda t: (t.sum(), chain(t)[:10] * 1.0), has_aux=True)
    before = dyad.runtime.memory_allocated()
    result = function(x)
    assert dyad.runtime.memory_allocated() < before + 2 * x.nbytes
    assert len(result) == 2


def test_results_do_not_depend_on_set_grad():
    net = nn.Dense(2, 1)
    expected = read(grad(net, 0, net.trainable_params())(floats([1.0, 2.0])))
    net.set_grad()
    assert read(grad(net, 0, net.trainable_params())(floats([1.0, 2.0]))) == expected


def test_set_grad_records_plain_calls():
    net = nn.Dense(2, 1)
    x = floats([1.0, 2.0])
    assert not dyad._core.is_recorded(net(x))
    net.set_grad()
    net(x).sum().backward()
    assert read(net.weight.grad) == [[1.0, 2.0]]
    assert read(net.bias.grad) == [1.0]
    net.set_grad(False)
    assert not dyad._core.is_recorded(net(x))


def test_set_grad_leaves_a_raising_call_in_order():
    class Faulty(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = parameter(1.0)

        def construct(self, x):
            raise Stop

    net = Faulty().set_grad()
    with pytest.raises(Stop):
        net(X)
    assert not dyad._core.is_recorded(net.w * 2)


def test_outside_transforms_constants_replace_the_values_of_a_leaf():
    leaf = Tensor([1.0, 2.0])
    leaf.requires_grad = True
    leaf[0] = 5.0
    leaf[1:].copy_(Tensor([3.0]))
    leaf.add_(1.0)
    (leaf * leaf).sum().backward()
    assert leaf.asnumpy().tolist() == [6.0, 4.0]
    assert leaf.grad.asnumpy().tolist() == [12.0, 8.0]
    with pytest.raises(RuntimeError, match="cannot be written in place"):
        leaf.mul_(leaf.detach().requires_grad_())
    saved = leaf * leaf
    leaf.mul_(2.0)
    with pytest.raises(RuntimeError, match="overwritten"):
        saved.sum().backward()
