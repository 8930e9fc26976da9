"""Backward functions that the program states itself: `bprop`, `custom_vjp`, and gradients inside of them."""

from gradient import gradient_scene
from program import Raises, Scene

import dyad
from dyad import Parameter, Tensor, custom_vjp, grad, nn, ops, value_and_grad

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
N = Tensor(3)


class Scale(nn.Cell):
    """Gives the right gradients times ten, so that it is seen who computed them."""

    def construct(self, a, b):
        return a * b

    def bprop(self, a, b, out, dout):
        return dout * b * 10, dout * a * 10


class Square(nn.Cell):
    def construct(self, a):
        return a * a

    def bprop(self, a, out, dout):
        return (dout * 2 * a,)


class Pair(nn.Cell):
    def construct(self, a, b):
        return a * b, a + b

    def bprop(self, a, b, out, dout):
        return dout[0] * b + dout[1] * 100, dout[0] * a


@gradient_scene(X, Y, smooth=False)
def an_own_backward():
    return Scale()


@gradient_scene(X, Y, smooth=False)
def an_own_backward_inside_a_network():
    cell = Scale()
    return lambda x, y: cell(x * 2, y) + cell(y, x) * x


@gradient_scene(X, Y, smooth=False)
def an_own_backward_of_two_results():
    cell = Pair()

    def function(x, y):
        a, b = cell(x, y)
        return a * b

    return function


@gradient_scene(X)
def a_bare_tensor_for_one_input():
    class Bare(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, out, dout):
            return dout * 2 * a

    return Bare()


@gradient_scene(X, Y, smooth=False)
def none_means_zero():
    class Half(nn.Cell):
        def construct(self, a, b):
            return a * b

        def bprop(self, a, b, out, dout):
            return dout * b, None

    return Half()


@gradient_scene(X, Y, smooth=False, expect=Raises(RuntimeError))
def too_few_entries():
    class Short(nn.Cell):
        def construct(self, a, b):
            return a * b

        def bprop(self, a, b, out, dout):
            return (dout * b,)

    return Short()


@gradient_scene(X, smooth=False, expect=Raises(TypeError))
def parameters_that_are_no_inputs():
    class Wrong(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, dout):
            return (dout,)

    return Wrong()


@gradient_scene(X, smooth=False, expect=Raises(RuntimeError))
def an_entry_of_another_shape():
    class Wrong(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, out, dout):
            return (dout[0:1],)

    return Wrong()


@gradient_scene(X, transform=lambda f: grad(grad(f)), smooth=False)
def second_order_of_an_own_backward():
    cell = Square()
    return lambda x: cell(x) * x


@gradient_scene(X, N, smooth=False)
def an_own_backward_inside_a_loop():
    cell = Square()

    def function(x, n):
        y = x
        while n > 0:
            y = cell(y) * 0.5 + x
            n = n - 1
        return y

    return function


@gradient_scene(X, Y, smooth=False)
def an_own_backward_inside_a_branch():
    cell = Scale()

    def function(x, y):
        if x.sum() > 0:
            return cell(x, y)
        return cell(y, y) + x

    return function


@gradient_scene(X, smooth=False)
def a_branch_inside_an_own_backward():
    class Clipped(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, out, dout):
            if dout.sum() > 3:
                return (dout * 0 + 1,)
            return (dout * 2 * a,)

    cell = Clipped()
    return lambda x: cell(x) * x


@gradient_scene(X, smooth=False)
def a_gradient_inside_an_own_backward():
    def cube(t):
        return t * t * t

    class Inner(nn.Cell):
        def construct(self, a):
            return cube(a)

        def bprop(self, a, out, dout):
            return (grad(cube)(a) * dout,)

    return Inner()


@gradient_scene(X, smooth=False)
def a_backward_that_uses_the_result():
    class Exponential(nn.Cell):
        def construct(self, a):
            return ops.exp(a)

        def bprop(self, a, out, dout):
            return (out * dout,)

    cell = Exponential()
    return lambda x: cell(x * 2)


@gradient_scene(X, smooth=False)
def a_backward_that_prints():
    class Tells(nn.Cell):
        def construct(self, a):
            return a * a

        def bprop(self, a, out, dout):
            print("backward", dout)
            return (dout * 2 * a,)

    return Tells()


@gradient_scene(X, smooth=False)
def a_weight_inside_an_own_backward_is_not_recorded():
    class Weighted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")

        def construct(self, a):
            return a * self.weight

        def bprop(self, a, out, dout):
            return (dout * 7,)

    cell = Weighted()
    return Scene(cell, transform=lambda f: value_and_grad(f, 0, [cell.weight]))


@gradient_scene(X, Y, smooth=False)
def a_function_with_an_own_backward():
    @custom_vjp
    def scaled(a, b):
        return a * b

    def backward(a, b, out, dout):
        return dout * b * 10, dout * a

    scaled.defbwd(backward)
    return lambda x, y: scaled(x, y) * x


@gradient_scene(X, N, smooth=False)
def a_function_with_an_own_backward_inside_a_loop():
    @custom_vjp
    def doubled(a):
        return a * 2

    def backward(a, out, dout):
        return (dout * 20,)

    doubled.defbwd(backward)

    def function(x, n):
        while n > 0:
            x = doubled(x) * 0.1
            n = n - 1
        return x

    return function


@gradient_scene(X, smooth=False, expect=Raises(TypeError))
def a_function_without_its_backward():
    @custom_vjp
    def doubled(a):
        return a * 2

    return lambda x: doubled(x)


@gradient_scene(X, smooth=False)
def an_own_backward_below_a_compiled_function():
    cell = Square()
    inner = dyad.jit(lambda x: cell(x) * 3)
    return lambda x: inner(x) + x


@gradient_scene(X, smooth=False)
def a_gradient_put_in_by_an_operator():
    insert = ops.InsertGradientOf(lambda dout: dout * 5)
    return lambda x: insert(x * x)


@gradient_scene(X, smooth=False, strict=False)
def a_function_that_asks_for_no_zeros():
    seen = []

    class Pass(dyad._Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            seen.append(second is None)
            return first * 10

    return Scene(lambda x: Pass.apply(x)[0], watch=lambda: seen)
