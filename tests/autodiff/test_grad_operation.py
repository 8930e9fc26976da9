"""GradOperation: its flags, its second argument and the gradient to start from."""

import numpy as np
import pytest
from values import floats, ints, parameter, read

from dyad import ParameterTuple, Tensor, jit, nn
from dyad.ops import GradOperation
from dyad.ops import composite as C

X, Y = floats(2.0), floats(3.0)


def product(x, y):
    return x * y


@pytest.mark.parametrize(
    ("get_all", "args", "expected"),
    [
        (False, (X, Y), [3.0]),
        (False, (2.0, Y), ()),
        (True, (X, Y), ([3.0], [2.0])),
        (True, (X, 3.0), ([3.0],)),
        (True, (2.0, Y), ([2.0],)),
    ],
)
def test_by_arguments(get_all, args, expected):
    assert read(GradOperation(get_all)(product)(*args)) == expected
    keywords = dict(zip(("y", "x"), reversed(args), strict=True))
    assert read(GradOperation(get_all)(product)(**keywords)) == expected


def test_without_arguments_there_is_nothing_to_return():
    w = parameter(5.0)
    assert GradOperation()(lambda: w * 2)() == ()
    assert GradOperation(get_all=True)(lambda: w * 2)() == ()
    assert GradOperation(get_all=True, get_by_list=True)(lambda: w * 2, [])() == ((), ())


def test_by_parameters():
    v, w = parameter(5.0, name="v"), parameter(7.0, name="w")

    def weighted(x, y):
        return x * y * v * w

    by_list = GradOperation(get_by_list=True)
    assert read(by_list(weighted, v)(X, Y)) == [42.0]
    assert read(by_list(weighted, [v])(X, Y)) == ([42.0],)
    assert read(by_list(weighted, (w, v))(X, Y)) == ([30.0], [42.0])
    assert by_list(weighted, [])(X, Y) == ()
    both = GradOperation(get_all=True, get_by_list=True)
    assert read(both(weighted, [v, w])(X, Y)) == (([105.0], [70.0]), ([42.0], [30.0]))
    assert read(both(weighted, v)(X, Y)) == (([105.0], [70.0]), [42.0])


def test_a_cell_brings_its_own_parameters():
    layer = nn.Dense(1, 1)
    layer.weight.set_data(floats([4.0]))
    layer.weight.requires_grad = True
    gradients = GradOperation(get_by_list=True)(layer)(floats([3.0]))
    assert read(gradients) == ([[3.0]], [1.0])
    layer.bias.requires_grad = False
    assert read(GradOperation(get_by_list=True)(layer)(floats([3.0]))) == ([[3.0]],)


def test_params_without_the_flag_are_passed_over():
    assert read(GradOperation()(product, [parameter(1.0)])(X, Y)) == [3.0]


def test_ints_are_differentiated():
    assert read(GradOperation(get_all=True)(lambda t: t * 3)(ints(1, 2))) == ([3, 3],)


def test_sens_is_the_last_argument_or_a_keyword():
    operation = GradOperation(get_all=True, sens_param=True)
    assert read(operation(product)(X, Y, floats(10.0))) == ([30.0], [20.0])
    assert read(operation(product)(X, Y, sens=floats(10.0))) == ([30.0], [20.0])
    assert read(operation(product)(X, Y, (floats(10.0),))) == ([30.0], [20.0])


def test_sens_follows_the_outputs():
    operation = GradOperation(sens_param=True)

    def outputs(x):
        return x * 2, {"a": x * 3}, "text"

    assert read(operation(outputs)(X, (floats(1.0), floats(10.0)))) == [32.0]
    assert read(operation(outputs)(X, (floats(1.0), {"a": floats(10.0)}))) == [32.0]
    assert read(operation(outputs)(X, [floats(1.0), floats(10.0)])) == [32.0]


def test_a_number_is_the_sens_of_an_output_without_dimensions():
    assert read(GradOperation(sens_param=True)(lambda x: x.sum())(X, 4.0)) == [4.0]


def test_it_is_found_where_programs_look():
    assert C.GradOperation is GradOperation

    class GradientNet(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.operation = C.GradOperation(get_all=True)

        def construct(self, x):
            return self.operation(self.net)(x)

    assert read(GradientNet(nn.ReLU())(floats(-1.0, 2.0))) == ([0.0, 1.0],)


def with_constants(x):
    return x * 2, 3, [x * 5, "a"], {"k": x * 7, "c": None}


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_outputs_that_hold_constants(form):
    assert read(form(GradOperation(get_all=True)(with_constants))(X)) == ([14.0],)
    operation = GradOperation(get_all=True, sens_param=True)(with_constants)
    shaped = (floats(1.0), 3, [floats(10.0), "a"], {"k": floats(100.0), "c": None})
    assert read(form(operation)(X, shaped)) == ([752.0],)
    assert read(form(operation)(X, (floats(1.0), floats(10.0), floats(100.0)))) == ([752.0],)


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_an_output_without_tensors(form):
    operation = GradOperation(get_all=True, sens_param=True)(lambda x: x.shape)
    assert read(form(operation)(X, (1,))) == ([0.0],)


def test_sens_of_another_structure_is_refused():
    operation = GradOperation(sens_param=True)(with_constants)
    with pytest.raises(RuntimeError, match="2 output gradients were given for 3 outputs"):
        operation(X, (floats(1.0), [floats(1.0)]))


def test_sens_of_a_dict_goes_by_its_keys():
    operation = GradOperation(sens_param=True)(lambda x: {"a": x, "b": x * 10})
    assert read(operation(X, {"b": floats(1.0), "a": floats(5.0)})) == [15.0]


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize(("shape", "of_loss"), [((1,), ()), ((1, 1), ()), ((), (1,)), ((1, 1), (1,))])
def test_the_scale_of_one_element_may_have_another_shape_than_the_loss(static, shape, of_loss):
    net = nn.Dense(4, 3, weight_init="ones")
    weights = ParameterTuple(net.trainable_params())

    def loss(x):
        return net(x).mean().reshape(of_loss)

    def step(x, scale):
        return GradOperation(get_by_list=True, sens_param=True)(loss, weights)(x, scale)

    x = Tensor(np.arange(8, dtype=np.float32).reshape(2, 4))
    step = jit(step) if static else step
    of_one = step(x, Tensor(np.full(shape, 8, np.float32)))
    for one, scalar in zip(of_one, step(x, Tensor(np.full(of_loss, 8, np.float32))), strict=True):
        assert one.shape == scalar.shape and (one.asnumpy() == scalar.asnumpy()).all()
    with pytest.raises(ValueError, match=r"an output gradient has shape \(2,\); need that of the output"):
        step(x, Tensor([1.0, 1.0]))
