import pytest

from dyad import Tensor, grad, jit, nn


class Double(nn.Cell):
    def construct(self, x, *, factor=2.0):
        return x * factor


def value(tensor):
    return tensor.asnumpy().tolist()


def test_pre_hook_sees_the_arguments_and_may_replace_them():
    net, seen = Double(), []
    handle = net.register_forward_pre_hook(lambda cell, args: seen.append((cell, args)))
    x = Tensor([1.0])
    assert value(net(x)) == [2.0]
    assert seen == [(net, (x,))]
    handle.remove()
    net.register_forward_pre_hook(lambda cell, args: Tensor([5.0]))
    assert value(net(x)) == [10.0]
    assert len(seen) == 1


def test_forward_hook_may_replace_the_output():
    net = Double()
    handle = net.register_forward_hook(lambda cell, args, output: output + 1.0)
    assert value(net(Tensor([1.0]))) == [3.0]
    handle.remove()
    handle.remove()
    assert value(net(Tensor([1.0]))) == [2.0]


def test_hooks_with_kwargs():
    net = Double()
    net.register_forward_pre_hook(lambda cell, args, kwargs: (args, {"factor": 5.0}), with_kwargs=True)
    net.register_forward_hook(lambda cell, args, kwargs, output: (output, kwargs), with_kwargs=True)
    output, kwargs = net(Tensor([1.0]), factor=3.0)
    assert value(output) == [5.0]
    assert kwargs == {"factor": 5.0}


def test_pre_hook_with_kwargs_must_return_a_pair():
    net = Double()
    net.register_forward_pre_hook(lambda cell, args, kwargs: 5, with_kwargs=True)
    with pytest.raises(
        RuntimeError, match=r"Double: .*returned an int; need None or a tuple \(args, kwargs\)"
    ):
        net(Tensor([1.0]))


def test_order_is_registration_order_unless_prepended():
    net, order = Double(), []
    net.register_forward_hook(lambda *_: order.append("first"))
    net.register_forward_hook(lambda *_: order.append("second"))
    net.register_forward_hook(lambda *_: order.append("prepended"), prepend=True)
    net.register_forward_pre_hook(lambda *_: order.append("before"))
    net(Tensor([1.0]))
    assert order == ["before", "prepended", "first", "second"]


def test_always_called_hook_runs_when_construct_raises():
    class Faulty(nn.Cell):
        def construct(self, x):
            raise ValueError("stop")

    net, seen = Faulty(), []
    net.register_forward_hook(lambda cell, args, output: seen.append(output), always_call=True)
    net.register_forward_hook(lambda cell, args, output: seen.append("never"))
    with pytest.raises(ValueError, match="stop"):
        net(Tensor([1.0]))
    assert seen == [None]


@pytest.mark.parametrize(
    "registration",
    [
        "register_forward_pre_hook",
        "register_forward_hook",
        "register_backward_pre_hook",
        "register_backward_hook",
    ],
)
def test_a_hook_must_be_callable(registration):
    with pytest.raises(TypeError, match=f"{registration}: the hook is of type int; need a callable"):
        getattr(Double(), registration)(5)


def test_backward_hooks_are_registered_and_removed():
    net = Double()
    handles = [net.register_backward_pre_hook(print), net.register_backward_hook(print)]
    assert len(net._backward_pre_hooks) == len(net._backward_hooks) == 1
    for handle in handles:
        handle.remove()
    assert not net._backward_pre_hooks and not net._backward_hooks


def test_arguments_are_checked_with_hooks_too():
    net = Double()
    net.register_forward_hook(lambda cell, args, output: None)
    with pytest.raises(TypeError, match="Double: missing a required argument: 'x'"):
        net()


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


class CompiledProduct(nn.Cell):
    @jit
    def construct(self, x, y):
        return x * y


def doubled_where_positive(cell, args):
    if args[0].sum() > 0:
        return args[0] * 2, args[1]
    return None


def tripled_where_positive(cell, args, output):
    if output.sum() > 0:
        return output * args[1]
    return None


@pytest.mark.parametrize("kind", [Product, CompiledProduct])
@pytest.mark.parametrize("mode", [None, "ast", "bytecode"])
@pytest.mark.parametrize("around", ["gradient", "function"])
def test_hooks_that_data_decides_replace_several_inputs(kind, mode, around):
    cell = kind()
    cell.register_forward_pre_hook(doubled_where_positive)
    cell.register_forward_hook(tripled_where_positive)

    def form(function):
        return function if mode is None else jit(function, capture_mode=mode)

    net = cell if around == "gradient" else form(lambda x, y: cell(x, y) + x)
    by_inputs = form(grad(net, (0, 1))) if around == "gradient" else grad(net, (0, 1))
    own = 0.0 if around == "gradient" else 1.0
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for _ in range(2):
        first, second = by_inputs(x, y)
        assert first.tolist() == [18.0 + own, 32.0 + own]
        assert second.tolist() == [12.0, 32.0]
        first, second = by_inputs(-x, y)
        assert first.tolist() == [3.0 + own, 4.0 + own]
        assert second.tolist() == [-1.0, -2.0]
