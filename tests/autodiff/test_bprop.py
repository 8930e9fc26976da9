"""A Cell's own backward."""

import pytest
from values import floats, parameter, read

from dyad import Tensor, float16, grad, jit, nn, ops, set_context

X, Y = floats(2.0), floats(5.0)


def cell_with(bprop, construct=lambda self, a, b: a * b, **attributes):
    kind = type("Own", (nn.Cell,), {"construct": construct, "bprop": bprop})
    cell = kind()
    for name, value in attributes.items():
        setattr(cell, name, value)
    return cell


def test_it_is_used_instead_of_the_recorded_one():
    cell = cell_with(lambda self, a, b, out, dout: (dout * b * 100, dout + out))
    assert read(grad(cell, (0, 1))(X, Y)) == ([500.0], [11.0])
    assert read(grad(lambda a, b: cell(a, b) * 3, (0, 1))(X, Y)) == ([1500.0], [13.0])


def test_a_plain_call_does_not_look_at_it():
    assert read(cell_with(lambda self, strange: None)(X, Y)) == [10.0]


def test_nothing_in_construct_is_recorded():
    w = parameter(3.0)
    cell = cell_with(lambda self, a, out, dout: (dout,), construct=lambda self, a: a * w)
    assert read(grad(cell, 0, w)(X)) == ([1.0], [0.0])


def test_one_input_may_give_a_bare_gradient():
    cell = cell_with(lambda self, a, out, dout: dout * 7, construct=lambda self, a: a * 2)
    assert read(grad(cell)(X)) == [7.0]


def test_none_means_zeros():
    cell = cell_with(lambda self, a, b, out, dout: (None, dout))
    assert read(grad(cell, (0, 1))(X, Y)) == ([0.0], [1.0])


def test_dtype_is_converted():
    cell = cell_with(lambda self, a, b, out, dout: (dout, dout.astype(float16)))
    first, second = grad(cell, (0, 1))(X, Y)
    assert (first.dtype, second.dtype) == (X.dtype, Y.dtype)


FORMS = [lambda f: f, jit, lambda f: jit(f, capture_mode="bytecode")]


@pytest.mark.parametrize("form", FORMS)
def test_a_gradient_of_the_broadcast_shape_is_summed_to_that_of_the_input(form):
    cell = cell_with(lambda self, a, b, out, dout: (dout * b, dout * a))
    rows, row = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor([1.0, 10.0, 100.0]).astype(float16)
    for around in (lambda f: form(grad(f, (0, 1))), lambda f: grad(form(f), (0, 1))):
        first, second = around(cell)(rows, row)
        assert (first.dtype, second.dtype) == (rows.dtype, row.dtype)
        assert read((first, second)) == ([[1.0, 10.0, 100.0]] * 2, [5.0, 7.0, 9.0])
        by_scalar, by_column = around(cell)(Tensor(2.0), Tensor([[1.0], [3.0]]))
        assert read((by_scalar, by_column)) == (4.0, [[2.0], [2.0]])


@pytest.mark.parametrize("form", FORMS)
def test_a_gradient_that_the_input_does_not_broadcast_to_is_refused(form):
    cell = cell_with(lambda self, a, b, out, dout: (dout.sum(), dout))
    with pytest.raises(
        RuntimeError, match=r"the gradient for input 0 has shape \(\); the input has shape \(1,\)"
    ):
        form(grad(cell, (0, 1)))(X, Y)


def test_tuple_outputs_have_tuple_gradients():
    cell = cell_with(
        lambda self, a, out, dout: (dout[0] * 10 + dout[1] * out[1],),
        construct=lambda self, a: (a * 2, a * 3),
    )
    assert read(grad(cell)(X)) == [16.0]
    assert read(grad(lambda a: cell(a)[0])(X)) == [10.0]


def test_numbers_keywords_and_defaults_are_inputs_too():
    bprop = lambda self, a, b, out, dout: (dout * b, dout)  # noqa: E731
    assert read(grad(cell_with(bprop))(X, 4.0)) == [4.0]
    assert read(grad(lambda a, b: cell_with(bprop)(a, b=b), (0, 1))(X, Y)) == ([5.0], [1.0])
    assert read(grad(cell_with(bprop, construct=lambda self, a, b=9.0: a * b))(X)) == [9.0]


def test_starred_bprop():
    cell = cell_with(lambda self, *values: (values[-1] * 2, values[-1] * 3))
    assert read(grad(cell, (0, 1))(X, Y)) == ([2.0], [3.0])


def test_gradients_of_a_container_argument():
    cell = cell_with(
        lambda self, pair, out, dout: ((dout * pair[1], dout * pair[0]),),
        construct=lambda self, pair: pair[0] * pair[1],
    )
    assert read(grad(lambda a, b: cell((a, b)), (0, 1))(X, Y)) == ([5.0], [2.0])


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = parameter(3.0)
        self.internal_params = [self.w]

    def construct(self, a):
        return a * self.w

    def bprop(self, a, out, dout):
        return (dout * self.w,), {self.w: dout * a * 7}


def test_internal_params_get_gradients():
    cell = Scaled()
    assert read(grad(cell, 0, [cell.w])(X)) == ([3.0], ([14.0],))
    assert read(grad(cell, None, cell.w)(X)) == [14.0]


@pytest.mark.parametrize(
    ("used", "expected"), [([1], (None, [5.0], None)), ([2], (None, None, [10.0])), ([], (None,) * 3)]
)
def test_inputs_that_are_not_used_are_let_go(used, expected):
    seen = []

    def bprop(self, a, b, out, dout):
        seen.append(read((a, b, out)))
        return dout, dout

    assert read(grad(cell_with(bprop, used_bprop_inputs=used), (0, 1))(X, Y)) == ([1.0], [1.0])
    assert seen == [expected]


def test_bprop_is_differentiated_itself():
    cell = cell_with(lambda self, a, out, dout: (dout * out,), construct=lambda self, a: ops.exp(a))
    first = grad(cell)
    third = grad(grad(first))(floats(0.0))
    assert read(third) == [1.0]

    square = cell_with(lambda self, a, out, dout: (dout * 2 * a,), construct=lambda self, a: a * a)
    assert read(grad(grad(square))(floats(3.0))) == [2.0]
    assert read(grad(grad(lambda a: square(a) * a))(floats(3.0))) == [18.0]


def test_grad_inside_bprop():
    cell = cell_with(
        lambda self, a, out, dout: (grad(lambda t: t * t * t)(a) * dout,), construct=lambda self, a: a * 0
    )
    assert read(grad(cell)(X)) == [12.0]
    assert read(grad(grad(cell))(X)) == [12.0]


def test_grad_inside_construct():
    cell = cell_with(lambda self, a, out, dout: (dout * 5,), construct=lambda self, a: grad(ops.square)(a))
    assert read(cell(X)) == [4.0]
    assert read(grad(cell)(X)) == [5.0]


def test_bprop_debug_lets_it_look_around(capsys):
    def bprop(self, a, b, out, dout):
        print("gradient", float(dout.asnumpy()[0]))
        return dout, dout

    cell = cell_with(bprop)
    cell.bprop_debug = True
    grad(cell, (0, 1))(X, Y)
    assert capsys.readouterr().out == "gradient 1.0\n"


def test_check_bprop_accepts_what_is_right():
    set_context(check_bprop=True)
    cell = cell_with(lambda self, a, b, out, dout: (dout * b, dout * a))
    assert read(grad(cell, (0, 1))(X, Y)) == ([5.0], [2.0])


def test_hooks_beside_bprop():
    log = []
    cell = cell_with(lambda self, a, b, out, dout: (dout * b, dout * a))
    cell.register_forward_pre_hook(lambda *_: log.append("pre"))
    handle = cell.register_forward_hook(lambda *_: log.append("forward"))
    cell.register_backward_pre_hook(lambda *_: log.append("backward pre"))
    cell.register_backward_hook(lambda *_: log.append("backward"))
    assert read(grad(cell, (0, 1))(X, Y)) == ([5.0], [2.0])
    assert log == ["pre", "backward pre", "backward"]
    handle.remove()


def test_a_child_with_bprop_in_a_network():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(1, 1)
            self.double = cell_with(lambda self, a, out, dout: (dout * 20,), construct=lambda self, a: a * 2)

        def construct(self, x):
            return self.double(self.dense(x))

    net = Net()
    weight_gradient, _ = grad(net, None, net.trainable_params())(Tensor([[3.0]]))
    assert read(weight_gradient) == [[60.0]]


def test_an_input_that_is_overwritten_is_noticed():
    cell = cell_with(lambda self, a, b, out, dout: (dout * b, dout * a))

    def function(a):
        b = a * 3
        c = cell(b, b)
        b.add_(1.0)
        return c

    with pytest.raises(RuntimeError, match=r"Own: its gradient needs input 0 of shape \(1,\) as it was"):
        grad(function)(X)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("internal_params", [3], r"Own: internal_params is \[3\]; need a list of Parameters"),
        ("used_bprop_inputs", "ab", "Own: used_bprop_inputs is 'ab'; need a list of ints"),
    ],
)
def test_wrong_settings_of_a_bprop(attribute, value, message):
    cell = cell_with(lambda self, a, b, out, dout: (dout, dout))
    setattr(cell, attribute, value)
    with pytest.raises(TypeError, match=message):
        grad(cell)(X, X)


def test_a_bprop_that_is_not_a_method_is_refused():
    with pytest.raises(TypeError, match="Own: bprop is of type int; need a method"):
        grad(cell_with(5))(X, X)


def test_a_forward_hook_that_is_left_out_must_be_a_function_all_the_same():
    with pytest.raises(TypeError, match="register_forward_hook: the hook is of type int"):
        cell_with(lambda self, a, b, out, dout: (dout, dout)).register_forward_hook(3)
