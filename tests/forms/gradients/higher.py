"""Gradients of gradients, in straight code and through branches and loops."""

from gradient import gradient, gradient_scene
from program import Scene

import dyad
from dyad import Parameter, Tensor, grad, jvp, nn, no_grad, ops, value_and_grad

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
N = Tensor(3)


def _second(function):
    return grad(grad(function))


def _third(function):
    return grad(grad(grad(function)))


def _mixed(function):
    return grad(grad(function, 0), 1)


@gradient(X, transform=_second, expect=[6.0, 12.0])
def second_of_a_power(x):
    return x * x * x


@gradient(X, transform=_third, expect=[6.0, 6.0])
def third_of_a_power(x):
    return x * x * x


@gradient(X, transform=_third)
def third_of_a_sine(x):
    return ops.sin(x) * ops.exp(x)


@gradient(X, Y, transform=_mixed)
def mixed_derivative(x, y):
    return x * x * y * y


@gradient(X, transform=_second)
def second_through_a_branch(x):
    if x.sum() > 0:
        return x * x * x
    return x * x


@gradient(X, N, transform=_second, then=[(X, Tensor(0)), (X, Tensor(1))])
def second_through_a_loop(x, n):
    y = x
    while n > 0:
        y = y * x
        n = n - 1
    return y


@gradient(X, N, transform=_third)
def third_through_a_loop(x, n):
    y = x
    while n > 0:
        y = y * x
        n = n - 1
    return y


@gradient(X, N, transform=_second)
def second_through_a_branch_in_a_loop(x, n):
    y = x
    while n > 0:
        y = y * x if y.sum() < 5.5 else y + x * x
        n = n - 1
    return y


@gradient(X, transform=_second)
def second_of_a_recursion(x):
    def grow(value):
        if value.sum() > 10:
            return value
        return grow(value * x + x)

    return grow(x * x)


@gradient(X, transform=lambda f: grad(value_and_grad(f, 0)))
def gradient_of_a_value_with_its_gradient(x):
    return ops.sin(x) * x


@gradient(X, transform=lambda f: grad(lambda x: (grad(f)(x) ** 2).sum()))
def gradient_of_the_norm_of_a_gradient(x):
    return ops.exp(x) * x


@gradient(X, Y, transform=lambda f: grad(lambda x, y: (grad(f)(x, y) * y).sum(), (0, 1)))
def product_with_the_hessian(x, y):
    return ops.sin(x) * x * y


@gradient_scene(X, smooth=False)
def penalty_on_a_gradient():
    weight = Parameter(Tensor([0.5, 2.0]), name="weight")

    def network(x):
        return ops.tanh(x * weight)

    def loss(x):
        slope = grad(network)(x)
        return (slope * slope).sum() + network(x).sum()

    return Scene(loss, transform=lambda f: value_and_grad(f, 0, [weight]))


@gradient_scene(X, smooth=False)
def second_by_a_weight():
    weight = Parameter(Tensor([0.5, 2.0]), name="weight")

    def function(x):
        return ops.exp(x * weight)

    return Scene(function, transform=lambda f: grad(grad(f, 0), None, [weight]))


@gradient_scene(X, smooth=False)
def gradient_of_an_inner_compiled_gradient():
    @dyad.jit
    def inner(x):
        return x * x * x

    def function(x):
        return grad(inner)(x) * x

    return function


@gradient_scene(X, N, smooth=False)
def second_of_a_compiled_loop():
    @dyad.jit
    def inner(x, n):
        y = x
        while n > 0:
            y = y * x
            n = n - 1
        return y

    return Scene(lambda x, n: inner(x, n) * 2, transform=_second)


@gradient_scene(X, smooth=False)
def second_of_a_network():
    dyad.set_seed(7)
    net = nn.SequentialCell(nn.Dense(2, 4), nn.Tanh(), nn.Dense(4, 2))
    return Scene(net, transform=_second)


@gradient(X, transform=lambda f: grad(grad(f, 0, has_aux=True), 0, has_aux=True), smooth=False)
def auxiliary_results_at_both_orders(x):
    return x * x * x, x + 1


@gradient(X, transform=_second, expect=[2.0, 2.0])
def second_with_a_part_that_is_linear(x):
    return x * x + x * 5


@gradient(X, transform=_second, expect=[0.0, 0.0])
def second_of_a_linear_function(x):
    return x * 3


@gradient(X, Y, transform=lambda f: grad(grad(f, (0, 1)), (0, 1)))
def all_second_derivatives_summed(x, y):
    return x * y * y + x * x


@gradient(Tensor([[1.0, 2.0], [3.0, 4.0]]), transform=_second)
def second_of_a_matrix_product(x):
    return ops.matmul(x, x).sum() * x.sum()


@gradient(X, transform=_second)
def second_of_a_division(x):
    return 1.0 / (x * x + 1.0)


@gradient(X, transform=_second)
def second_of_a_softmax(x):
    return ops.softmax(x, -1) * x


@gradient_scene(X, transform=_second, smooth=False)
def second_through_what_a_backward_keeps():
    class Doubled(dyad._Function):
        @staticmethod
        def forward(ctx, x):
            out = x * x
            ctx.save_for_backward(x, out)
            ctx.constant = x * 2
            return out

        @staticmethod
        def backward(ctx, dout):
            x, out = ctx.saved_tensors
            return dout * x * out * ctx.constant

    return lambda x: Doubled.apply(x) + x


@gradient_scene(X, transform=_second, smooth=False, strict=False)
def second_through_a_backward_of_its_own_in_a_loop():
    class Sine(nn.Cell):
        def construct(self, x):
            return x.sin()

        def bprop(self, x, out, dout):
            return (dout * out * x,)

    cell = Sine()

    def function(x):
        while x.sum() < 20:
            x = cell(x) + x * 2
        return x

    return function


def _along_itself(function):
    return lambda x: jvp(function, x, x)


@gradient(X, transform=_second, smooth=False)
def second_of_what_no_grad_leaves_out(x):
    with no_grad():
        c = x * 2
    if x.sum() > 0:
        return c * x * x
    return x * c


@gradient(X, transform=_along_itself, smooth=False)
def tangent_of_what_no_grad_leaves_out(x):
    with no_grad():
        c = x * 2
    if x.sum() > 0:
        return c * x * x
    return x * c


@gradient(X, transform=_second, smooth=False, trace=True)
def second_of_a_view_made_inside_no_grad(x):
    with no_grad():
        c = x[1:]
    return c * x[:1] * x[:1] * x[1:]


@gradient(X, smooth=False)
def a_view_made_inside_no_grad_and_read_in_a_branch(x):
    y = x * 2
    with no_grad():
        c = y[1:]
    if x.sum() > 0:
        return c * y[1:]
    return c + y[1:]


@gradient(X, smooth=False)
def a_view_read_inside_no_grad_first(x):
    y = x * 2
    v = y[1:]
    if x.sum() > 0:
        with no_grad():
            c = v * 3
        return c * v
    return v
