"""Hooks that see gradients: of Cells, of Tensors, and placed by hand."""

import pytest
from values import floats, parameter, read

import dyad
from dyad import Tensor, grad, nn, ops

X = floats(1.0, 2.0)


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = parameter(3.0, 4.0)

    def construct(self, a, k=1, b=None):
        scaled = a * self.w * k
        return scaled if b is None else (scaled * b, scaled + b)


def logged(cell, log):
    cell.register_backward_pre_hook(lambda _, grad_output: log.append(("pre", read(grad_output))))
    cell.register_backward_hook(
        lambda _, grad_input, grad_output: log.append(("backward", read(grad_input), read(grad_output)))
    )
    return cell


def test_hooks_receive_the_gradients_of_outputs_and_inputs():
    log = []
    assert read(grad(logged(Scale(), log))(X)) == [3.0, 4.0]
    assert log == [("pre", ([1.0, 1.0],)), ("backward", ([3.0, 4.0],), ([1.0, 1.0],))]


def test_an_input_without_gradient_shows_none():
    log, cell = [], Scale()
    assert read(grad(logged(cell, log), None, cell.w)(X)) == [1.0, 2.0]
    assert log == [("pre", ([1.0, 1.0],)), ("backward", (None,), ([1.0, 1.0],))]


def test_several_inputs_and_outputs():
    log, ones = [], [1.0, 1.0]
    gradient = grad(logged(Scale(), log), (0, 2))(X, 2, X + 1)
    assert read(gradient) == ([18.0, 32.0], [7.0, 17.0])
    assert log == [("pre", (ones, ones)), ("backward", ([18.0, 32.0], [7.0, 17.0]), (ones, ones))]


def test_keywords_have_no_place_in_grad_input():
    log, cell = [], Scale()
    assert read(grad(lambda x: logged(cell, log)(x, b=x))(X)) == [10.0, 21.0]
    assert log[1] == ("backward", ([6.0, 12.0],), ([1.0, 1.0], [1.0, 1.0]))


def test_a_plain_call_runs_none():
    log = []
    logged(Scale(), log)(X)
    assert log == []


@pytest.mark.parametrize("wrap", [lambda gradient: gradient, lambda gradient: (gradient,)])
def test_the_result_of_a_hook_replaces_the_gradient(wrap):
    cell = Scale()
    handle = cell.register_backward_pre_hook(lambda _, grad_output: wrap(grad_output[0] * 2))
    assert read(grad(cell)(X)) == [6.0, 8.0]
    assert read(grad(cell, None, cell.w)(X)) == [2.0, 4.0]
    handle.remove()
    handle = cell.register_backward_hook(lambda _, grad_input, grad_output: wrap(grad_input[0] * 10))
    assert read(grad(cell, 0, cell.w)(X)) == ([30.0, 40.0], [1.0, 2.0])
    handle.remove()
    assert read(grad(cell)(X)) == [3.0, 4.0]


def test_several_hooks_run_in_order():
    cell = Scale()
    cell.register_backward_pre_hook(lambda _, grad_output: grad_output[0] + 1)
    cell.register_backward_pre_hook(lambda _, grad_output: grad_output[0] * 10)
    assert read(grad(cell, None, cell.w)(X)) == [20.0, 40.0]


def test_order_of_all_kinds():
    cell, log = Scale(), []
    cell.register_backward_hook(lambda *_: log.append("backward"))
    cell.register_backward_pre_hook(lambda *_: log.append("backward pre"))
    cell.register_forward_hook(lambda *_: log.append("forward"))
    cell.register_forward_pre_hook(lambda *_: log.append("forward pre"))
    grad(cell)(X)
    assert log == ["forward pre", "forward", "backward pre", "backward"]


def test_backward_hooks_stand_outside_the_forward_hooks():
    cell, log = Scale(), []
    cell.register_forward_pre_hook(lambda _, args: (args[0] * 10,))
    cell.register_forward_hook(lambda _, args, output: output * 100)
    logged(cell, log)
    assert read(grad(cell)(X)) == [3000.0, 4000.0]
    assert log == [("pre", ([1.0, 1.0],)), ("backward", ([300.0, 400.0],), ([1.0, 1.0],))]


def test_what_a_forward_hook_computes_is_differentiated():
    cell = Scale()
    cell.register_forward_hook(lambda _, args, output: output * args[0])
    assert read(grad(cell)(X)) == [6.0, 16.0]


def test_a_fresh_tensor_cuts_the_gradient():
    cell = Scale()
    cell.register_forward_pre_hook(lambda _, args: floats(7.0, 7.0))
    assert read(grad(cell, 0, cell.w)(X)) == ([0.0, 0.0], [7.0, 7.0])
    cell = Scale()
    cell.register_forward_hook(lambda _, args, output: floats(7.0, 7.0))
    assert read(grad(cell, 0, cell.w)(X)) == ([0.0, 0.0], [0.0, 0.0])


def test_one_cell_called_twice():
    log, cell = [], Scale()
    logged(cell, log)
    grad(lambda x: cell(cell(x)))(X)
    assert [entry[0] for entry in log] == ["pre", "backward", "pre", "backward"]
    assert log[0][1] == ([1.0, 1.0],)
    assert log[2][1] == ([3.0, 4.0],)


def test_cell_hooks_to_the_second_order():
    class Cube(nn.Cell):
        def construct(self, x):
            return x * x * x

    cell = Cube()
    cell.register_backward_hook(lambda _, grad_input, grad_output: grad_input[0] * 2)
    assert read(grad(cell)(X)) == [6.0, 24.0]
    assert read(grad(grad(cell))(X)) == [24.0, 48.0]


def with_hook(hook, times=1):
    def function(a):
        b = a * 2
        for _ in range(times):
            b.register_hook(hook)
        return b * 3

    return function


def test_tensor_hook_sees_and_replaces():
    seen = []
    assert read(grad(with_hook(lambda g: seen.append(read(g))))(X)) == [6.0, 6.0]
    assert seen == [[3.0, 3.0]]
    assert read(grad(with_hook(lambda g: g * 2))(X)) == [12.0, 12.0]
    assert read(grad(with_hook(lambda g: g + 1, times=2))(X)) == [10.0, 10.0]


def test_tensor_hooks_run_in_order_and_can_be_removed():
    log = []

    def function(a):
        b = a * 2
        b.register_hook(lambda g: log.append("first"))
        removed = b.register_hook(lambda g: log.append("removed"))
        b.register_hook(lambda g: log.append("second"))
        removed.remove()
        return b * 3

    grad(function)(X)
    assert log == ["first", "second"]


def test_hook_of_an_argument():
    x, log = floats(1.0, 2.0), []
    handle = x.register_hook(lambda g: log.append(read(g)) or g * 10)
    assert read(grad(lambda t: t * t)(x)) == [20.0, 40.0]
    assert read(grad(lambda t: floats(1.0))(x)) == [0.0, 0.0]
    assert log == [[2.0, 4.0], [0.0, 0.0]]
    handle.remove()
    assert read(grad(lambda t: t * t)(x)) == [2.0, 4.0]


def test_hook_of_a_parameter():
    w, log = parameter(3.0, 4.0), []
    handle = w.register_hook(lambda g: log.append(read(g)) or g * 10)
    assert read(grad(lambda x: x * w + w, None, w)(X)) == [20.0, 30.0]
    assert log == [[2.0, 3.0]]
    assert read(grad(lambda x: x, None, w)(X)) == [0.0, 0.0]
    assert len(log) == 2
    handle.remove()
    assert read(grad(lambda x: x * w, None, [w])(X)) == ([1.0, 2.0],)
    assert len(log) == 2


def test_hook_backward():
    seen = []

    def function(hook):
        return lambda a: ops.HookBackward(hook)(a * 2) * 3

    assert read(grad(function(lambda g: seen.append(read(g))))(X)) == [6.0, 6.0]
    assert seen == [([3.0, 3.0],)]
    assert read(grad(function(lambda g: g[0] * 2))(X)) == [12.0, 12.0]
    assert read(grad(function(lambda g: (g[0] * 2,)))(X)) == [12.0, 12.0]


def test_hook_backward_of_several_tensors():
    seen = []
    hook = ops.HookBackward(lambda g: seen.append(read(g)))
    assert read(grad(lambda a: sum(hook(a, a * 2)))(X)) == [3.0, 3.0]
    assert seen == [([1.0, 1.0], [1.0, 1.0])]


def test_insert_gradient_of():
    assert read(grad(lambda a: ops.InsertGradientOf(lambda g: g * 2)(a) * 3)(X)) == [6.0, 6.0]
    clip = ops.InsertGradientOf(lambda g: ops.clip_by_value(g, Tensor(-1.0), Tensor(1.0)))
    assert read(grad(lambda a: clip(a) * 3)(X)) == [1.0, 1.0]
    assert read(ops.InsertGradientOf(lambda g: g * 2)(X)) == [1.0, 2.0]


def test_registering_inside_construct_adds_one_hook_per_call():
    log = []

    class Registers(nn.Cell):
        def construct(self, x):
            y = x * 2
            y.register_hook(lambda g: log.append(1))
            return y

    cell = Registers()
    for count in (1, 2, 3):
        grad(cell)(X)
        assert len(log) == count


def test_a_gradient_from_a_hook_gets_the_dtype_of_the_tensor():
    x = floats(1.0, 2.0)
    x.register_hook(lambda g: (g * 3).astype(dyad.int32))
    gradient = grad(lambda a: a * 2)(x)
    assert (read(gradient), gradient.dtype) == ([6.0, 6.0], dyad.float32)


def test_what_a_hook_puts_aside_is_its_own():
    seen = []
    w = parameter(3.0, 4.0)
    w.register_hook(lambda g: seen.append(g))
    gradient = grad(lambda x: x * w, None, w)(X)
    gradient.add_(5.0)
    assert read(seen) == [[1.0, 2.0]]
