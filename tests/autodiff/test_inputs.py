"""Which gradient an argument or weight gets, by what it is and how it is used."""

import functools

import numpy as np
import pytest
from values import floats, ints, parameter, read

import dyad
from dyad import Parameter, Tensor, grad, mutable, nn, ops


def test_gradient_has_dtype_and_shape_of_its_input():
    for dtype in (np.float16, np.float32, np.float64):
        gradient = grad(lambda x: ops.exp(x) * 0)(Tensor(np.ones((2, 3), dtype)))
        assert (gradient.shape, gradient.dtype) == ((2, 3), dyad.dtype.__dict__[np.dtype(dtype).name])


def test_an_int_tensor_is_differentiated_with_the_same_formulas():
    gradient = grad(lambda x, w: w * x)(ints(1, 2), ints(3, 4))
    assert (read(gradient), gradient.dtype) == ([3, 4], dyad.int32)
    gradient = grad(lambda x: x * 2.5)(ints(1, 2))
    assert (read(gradient), gradient.dtype) == ([2, 2], dyad.int32)


def test_a_bool_tensor_gets_zeros():
    gradient = grad(lambda mask, x: mask * x)(Tensor([True, False]), floats(1.0, 2.0))
    assert (read(gradient), gradient.dtype) == ([False, False], dyad.bool_)


def test_a_cast_to_int_passes_the_gradient_on():
    assert read(grad(lambda x: x.astype(dyad.int32) * 3)(floats(1.5))) == [3.0]


def test_what_is_not_used_gets_zeros():
    w = parameter(1.0, 2.0)
    by_input, by_weight = grad(lambda x, y: x * 2, (0, 1), w)(floats(1.0), ints(1, 2, 3))
    assert read(by_input) == ([2.0], [0, 0, 0])
    assert read(by_weight) == [0.0, 0.0]


def test_what_is_cut_gets_zeros():
    assert read(grad(lambda x: ops.stop_gradient(x) * 2)(floats(1.0))) == [0.0]
    assert read(grad(lambda x: ops.stop_gradient(x * x) * x)(floats(3.0))) == [9.0]


def test_stop_gradient_takes_any_object():
    assert ops.stop_gradient("text") == "text"
    assert ops.stop_gradient(None) is None
    stopped = ops.stop_gradient({"a": floats(1.0), "b": (2, floats(3.0))})
    assert read(stopped) == {"a": [1.0], "b": (2, [3.0])}
    assert read(grad(lambda x: ops.stop_gradient([x, x])[1] * x)(floats(3.0))) == [3.0]


def test_a_weight_that_wants_no_gradient_gets_zeros():
    frozen = parameter(3.0, requires_grad=False)
    assert read(grad(lambda x: x * frozen, 0, frozen)(floats(2.0))) == ([3.0], [0.0])
    assert read(grad(lambda x: x * x)(frozen)) == [0.0]
    frozen.requires_grad = True
    assert read(grad(lambda x: x * frozen, None, frozen)(floats(2.0))) == [2.0]


def test_a_parameter_as_argument_and_free_variable_gets_the_sum():
    w = parameter(3.0)
    assert read(grad(lambda x: x * w, 0, [w])(w)) == ([6.0], ([6.0],))
    assert read(grad(lambda x: x * w)(w)) == [6.0]


def test_the_same_tensor_twice_gets_partials():
    x, w = floats(3.0), parameter(3.0)
    assert read(grad(ops.mul, (0, 1))(x, x)) == ([3.0], [3.0])
    assert read(grad(lambda a, b: a * b * b, (0, 1))(x, x)) == ([9.0], [18.0])
    assert read(grad(lambda a, b: a * b * b, (0, 1))(w, w)) == ([9.0], [18.0])


def test_keywords_count_by_their_position():
    def product(a, b=2.0, *, c=1.0):
        return a * b * c

    x, y = floats(2.0), floats(5.0)
    assert read(grad(product, 1)(x, b=y)) == [2.0]
    assert read(grad(product, (0, 1))(b=y, a=x)) == ([5.0], [2.0])
    assert read(grad(product, 2)(x, c=y)) == [4.0]
    assert read(grad(product, 2)(x, 3.0, c=y)) == [6.0]
    assert read(grad(lambda a, **more: a * more["k"], 1)(x, k=y)) == [2.0]


def test_keywords_of_a_cell_count_by_the_parameters_of_construct():
    class Product(nn.Cell):
        def construct(self, a, b):
            return a * b

    assert read(grad(Product(), 1)(b=floats(5.0), a=floats(2.0))) == [2.0]


def test_starred_arguments():
    assert read(grad(lambda *xs: xs[0] * xs[1], (0, 1))(floats(2.0), floats(5.0))) == ([5.0], [2.0])


def test_a_plain_container_is_skipped():
    def product(pair, x):
        return pair[0] * x

    assert grad(product)((floats(2.0),), floats(5.0)) == ()
    assert read(grad(product, (0, 1))([floats(2.0)], floats(5.0))) == [2.0]


def test_a_mutable_container_gets_its_structure():
    x, y = floats(2.0), floats(5.0)
    assert read(grad(lambda pair: pair[0] * pair[1])(mutable((x, y)))) == ([5.0], [2.0])
    assert read(grad(lambda pair: pair[0] * pair[1])(mutable([x, y]))) == [[5.0], [2.0]]
    assert read(grad(lambda d: d["a"] * d["b"][0])(mutable({"a": x, "b": (y,)}))) == {
        "a": [5.0],
        "b": ([2.0],),
    }
    assert read(grad(lambda pair, z: pair[0] * z, (0, 1))(mutable((x,)), y)) == (([5.0],), [2.0])


def test_a_mutable_number_gets_a_number():
    assert grad(lambda k: k * k)(mutable(3.0)) == 6.0
    assert grad(lambda k: k * k)(mutable(3)) == 6
    assert isinstance(grad(lambda k: k * k)(mutable(3)), int)
    assert grad(lambda k, x: x * k)(mutable(3.0), floats(1.0, 4.0)) == 5.0
    assert grad(lambda pair: pair[0] * pair[1])(mutable((2.0, 5.0))) == (5.0, 2.0)


def test_a_value_is_the_same_with_and_without_grad():
    def overwritten(q):
        b = q * 2
        v = b.view(2, 1)
        v[0] = 9.0
        return b * b

    x = floats(1.0, 2.0)
    value, gradient = dyad.value_and_grad(overwritten)(x)
    assert read(value) == read(overwritten(x)) == [81.0, 16.0]
    assert read(gradient) == [0.0, 16.0]


def test_the_gradient_is_that_at_the_values_used():
    w = parameter(3.0)

    def reassigned(x):
        y = x * w
        ops.assign(w, x * 10)
        return y + x * w

    assert read(grad(reassigned)(floats(2.0))) == [23.0]


def test_lists_and_attributes_carry_gradients():
    def inserted(q):
        values = [q]
        values.insert(0, q * q)
        return values[0] + values[1]

    class Keeper(nn.Cell):
        def construct(self, q):
            self.h = q * q
            return self.h + q

    assert read(grad(inserted)(floats(3.0))) == [7.0]
    assert read(grad(Keeper())(floats(3.0))) == [7.0]


def test_an_overwritten_value_raises_or_is_kept():
    def overwritten(q):
        b = q * 2
        c = b * b
        b[0] = 100.0
        return c

    try:
        assert read(grad(overwritten)(floats(1.0, 2.0))) == [8.0, 16.0]
    except RuntimeError as error:
        assert "mul" in str(error)


def test_broadcast_is_undone():
    gradient = grad(lambda x, y: x * y, (0, 1))(Tensor(np.ones((2, 1), np.float32)), floats(1.0, 2.0, 3.0))
    assert read(gradient) == ([[6.0], [6.0]], [2.0, 2.0, 2.0])


def test_gradients_at_ties_are_shared():
    x = floats(1.0, 1.0)
    assert read(grad(lambda t: t.max())(x)) == [0.5, 0.5]
    assert read(grad(ops.maximum, (0, 1))(x, x)) == ([0.5, 0.5], [0.5, 0.5])
    assert read(grad(ops.relu)(floats(0.0))) == [0.0]
    assert read(grad(ops.abs)(floats(0.0))) == [0.0]


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_functions_are_differentiated_in_both_modes(mode):
    before = dyad.get_context("mode")
    dyad.set_context(mode=mode)
    try:
        assert read(grad(lambda q: q * q)(floats(3.0))) == [6.0]
    finally:
        dyad.set_context(mode=before)


def test_a_dense_layer_against_numpy():
    layer = nn.Dense(3, 2)
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    by_input, by_weight = grad(lambda t: layer(t).sum(), 0, layer.trainable_params())(x)
    np.testing.assert_allclose(by_input.asnumpy(), np.tile(layer.weight.asnumpy().sum(0), (2, 1)), rtol=1e-6)
    np.testing.assert_allclose(by_weight[0].asnumpy(), np.tile(x.asnumpy().sum(0), (2, 1)), rtol=1e-6)
    assert read(by_weight[1]) == [2.0, 2.0]
    assert isinstance(layer.weight, Parameter)


def test_keywords_of_a_decorated_method_are_bound_without_self():
    def traced(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    class Model:
        @traced
        def loss(self, x, y):
            return x * x * y

    loss = Model().loss
    assert read(grad(loss, 1)(floats(2.0), y=floats(5.0))) == [4.0]
    assert read(grad(loss, (0, 1))(y=floats(5.0), x=floats(2.0))) == ([20.0], [4.0])
