"""custom_vjp, Function, and Primitives with their own backward."""

import collections

import numpy as np
import pytest
from values import floats, read

import dyad
from dyad import Function, Tensor, custom_vjp, grad, nn, ops

X, Y = floats(2.0), floats(5.0)


def test_custom_vjp():
    @custom_vjp
    def product(a, b):
        return a * b

    @product.defbwd
    def backward(a, b, out, dout):
        return dout * b * 100, dout * out

    assert read(product(X, Y)) == [10.0]
    assert read(grad(product, (0, 1))(X, Y)) == ([500.0], [10.0])
    assert product.__name__ == "product"


def test_custom_vjp_to_the_second_order():
    exponential = custom_vjp(ops.exp)
    exponential.defbwd(lambda x, out, dout: (dout * out,))
    assert read(grad(grad(exponential))(floats(0.0))) == [1.0]


class Square(Function):
    @staticmethod
    def forward(ctx, x, factor=1.0):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, dout):
        (x,) = ctx.saved_tensors
        return dout * 2 * x * ctx.factor, None


def test_the_backward_of_a_function_is_its_gradient():
    assert read(Square.apply(X, 3.0)) == [12.0]
    assert read(grad(lambda x: Square.apply(x, 3.0))(X)) == [12.0]
    assert read(grad(grad(lambda x: Square.apply(x, 3.0)))(X)) == [6.0]


class Exponential(Function):
    @staticmethod
    def forward(ctx, x):
        out = ops.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, dout):
        return dout * ctx.saved_tensors[0]


def test_function_that_saves_its_output():
    first = grad(Exponential.apply)
    assert read(first(floats(0.0))) == [1.0]
    assert read(grad(first)(floats(0.0))) == [1.0]
    assert read(grad(grad(first))(floats(0.0))) == [1.0]


def test_outputs_that_are_not_differentiable():
    seen = []

    class WithIndex(Function):
        @staticmethod
        def forward(ctx, x):
            index = (x * 0).astype(dyad.int32)
            ctx.mark_non_differentiable(index)
            return x * 3, index

        @staticmethod
        def backward(ctx, dout, dindex):
            seen.append(read(dindex))
            return dout * 3

    assert read(grad(lambda x: WithIndex.apply(x)[0] + WithIndex.apply(x)[1])(X)) == [3.0]
    assert seen == [[0]]


@pytest.mark.parametrize(("materialize", "expected"), [(True, [0.0]), (False, None)])
def test_materialized_gradients(materialize, expected):
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            seen.append(read(second))
            return first * 2

    assert read(grad(lambda x: Two.apply(x)[0])(X)) == [2.0]
    assert seen == [expected]


def test_needs_input_grad():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, a, b, c):
            seen.append(ctx.needs_input_grad)
            return a * b * c

        @staticmethod
        def backward(ctx, dout):
            return dout, None, None

    grad(Product.apply)(X, Y, 3.0)
    Product.apply(X, Y, 3.0)
    assert seen == [(True, False, False), (False, False, False)]


def test_a_dirty_input_is_an_output():
    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, dout):
            return dout * 2

    def function(x):
        y = x * 3
        return Doubled.apply(y) * 5

    assert read(grad(function)(X)) == [30.0]


def test_names_of_the_reference():
    assert dyad._Function is dyad.common._Function is Function
    assert dyad._no_grad is dyad.common.api._no_grad is dyad.no_grad


class OwnSquare(ops.Primitive):
    def __init__(self):
        super().__init__("OwnSquare")

    def __call__(self, a):
        return a * a

    def bprop(self, a, out, dout):
        return (dout * 100,)


def test_primitive_with_bprop():
    assert read(OwnSquare()(X)) == [4.0]
    assert read(grad(OwnSquare())(X)) == [100.0]


def test_a_primitive_of_the_table_with_bprop():
    class OwnReLU(ops.ReLU):
        def bprop(self, x, out, dout):
            return (dout * 7,)

    assert read(grad(OwnReLU())(floats(-1.0))) == [7.0]


def test_a_saved_tensor_that_is_overwritten_is_noticed():
    def function(x):
        y = x * 3
        z = Square.apply(y, 1.0)
        y.add_(1.0)
        return z

    with pytest.raises(
        RuntimeError, match=r"Square: its gradient needs saved tensor 0 of shape \(1,\) as it was"
    ):
        grad(function)(X)


def test_a_dirty_leaf_is_refused():
    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, dout):
            return dout * 2

    with pytest.raises(
        RuntimeError, match="mark_dirty: A leaf tensor that need grad is being used in an inplace operator"
    ):
        grad(Doubled.apply)(floats(2.0))


def test_function_with_named_outputs():
    Pair = collections.namedtuple("Pair", "double triple")

    class Both(Function):
        @staticmethod
        def forward(ctx, x):
            return Pair(x * 2, x * 3)

        @staticmethod
        def backward(ctx, double, triple):
            return double * 2 + triple * 3

    def difference(x):
        both = Both.apply(x)
        return both.double - both.triple

    assert read(grad(difference)(X)) == [-1.0]


def test_function_refuses_a_keyword_that_a_gradient_flows_through():
    class Product(Function):
        @staticmethod
        def forward(ctx, x, factor=1):
            return x * factor

        @staticmethod
        def backward(ctx, dout):
            return dout

    assert read(Product.apply(X, factor=Y)) == [10.0]
    with pytest.raises(
        TypeError, match="Product: keyword 'factor' is a Tensor that a gradient flows through"
    ):
        grad(lambda x: Product.apply(Y, factor=x))(X)


class Sum(Function):
    """Its gradients have the shape and dtype they happen to have."""

    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, dout):
        return Tensor([[1, 1, 1], [1, 1, 1], [2, 2, 2]]), dout.astype(dyad.float64)


def test_a_gradient_of_the_broadcast_shape_is_summed_and_cast():
    by_x, by_y = grad(Sum.apply, (0, 1))(floats(3.0, 3.0, 3.0), Tensor(np.ones((3, 3), np.float32)))
    assert by_x.dtype == by_y.dtype == dyad.float32
    assert read(by_x) == [4.0, 4.0, 4.0] and by_y.shape == (3, 3)


def returning(*gradients):
    class Broken(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2

        @staticmethod
        def backward(ctx, dout):
            return gradients

    return Broken


@pytest.mark.parametrize(
    ("gradients", "y", "message"),
    [
        (
            (floats(1.0), floats(1.0)),
            3.0,
            "Input is not tensor, but gradient is not none: the input is a float",
        ),
        ((floats(1.0), 4), floats(3.0), "4 of type int as gradient 1. Gradient should be none or tensor"),
        (
            (floats(1.0, 2.0, 3.0), None),
            floats(3.0, 4.0),
            r"shape \(3,\). For custom function, grad tensor should be",
        ),
        ((floats(1.0),), floats(3.0), "Function backward return a wrong number of gradients: 1 for 2 inputs"),
    ],
)
def test_gradients_that_do_not_fit(gradients, y, message):
    x = floats(2.0, 3.0) if "shape" in message else X
    with pytest.raises(RuntimeError, match=message):
        grad(returning(*gradients).apply)(x, y)


@pytest.mark.parametrize(
    ("bprop", "error", "text"),
    [
        (lambda self, x, y, out, dout: (dout,), TypeError, "For user defined method 'bprop' of net 'Net'"),
        (lambda self, x, y, out, dout: (dout, dout[:1]), ValueError, "gradient 1 of shape"),
        (
            lambda self, x, y, out, dout: (dout, dout.astype(dyad.float16)),
            TypeError,
            "gradient 1 of dtype Float16",
        ),
    ],
)
def test_the_switch_that_programs_set_checks_a_bprop(bprop, error, text):
    from dyad._extends.parse import compile_config

    class Net(nn.Cell):
        def construct(self, x, y):
            return x * y

    Net.bprop = bprop
    assert compile_config.CHECK_BPROP == "" and compile_config.FOR_HALF_UNROLL == ""
    compile_config.CHECK_BPROP = 1
    try:
        with pytest.raises(error, match=text):
            grad(Net(), (0, 1))(floats(1.0, 2.0), floats(3.0, 4.0))
    finally:
        compile_config.CHECK_BPROP = ""
    assert not dyad.get_context("check_bprop")
