"""Writes in place, views and writes of Parameters inside of what is differentiated."""

from gradient import gradient, gradient_scene
from program import Raises, Scene

from dyad import Parameter, Tensor, grad, nn, no_grad, ops, value_and_grad
from dyad._src.autodiff.function import Function
from dyad.ops import assign

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
M = Tensor([[1.0, 2.0], [3.0, 4.0]])
N = Tensor(3)


@gradient(X, expect=([9.0, 4.0], [0.0, 2.0]))
def an_element_of_a_computed_tensor(x):
    y = x * 2
    y[0] = 9.0
    return y


@gradient(X, Y)
def an_element_that_depends_on_inputs(x, y):
    z = x * 2
    z[1] = y[0] * y[1]
    return z * z


@gradient(X)
def an_addition_in_place(x):
    y = x * x
    y.add_(x)
    y += x
    return y


@gradient(X)
def a_factor_in_place(x):
    y = x + 1
    y.mul_(3.0)
    return y * x


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def a_value_that_is_needed_is_overwritten(x):
    y = x * 2
    z = y * y
    y.add_(1.0)
    return z


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def an_element_that_is_needed_is_overwritten(x):
    y = x * 2
    z = y * y
    y[0] = 100.0
    return z


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def a_result_that_is_needed_is_overwritten(x):
    y = ops.exp(x)
    z = y * 1
    y.copy_(x)
    return z.sum() + y.sum()


@gradient(X, smooth=False)
def a_value_that_is_not_needed_is_overwritten(x):
    y = x * 2
    z = y + 1
    y.add_(1.0)
    return z + y


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def a_leaf_is_written(x):
    x.add_(1.0)
    return x * x


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def an_element_of_a_leaf_is_written(x):
    x[0] = 2.0
    return x * x


@gradient(X, expect=Raises(RuntimeError), smooth=False)
def a_view_of_a_leaf_is_written(x):
    x[1:].add_(1.0)
    return x * x


@gradient(M)
def a_view_of_a_computed_tensor_is_written(x):
    y = x * 2
    y[0].add_(x[1])
    return y * y


@gradient(M, trace=True)
def a_view_is_written_and_returned(x):
    y = x * 2
    row = y[1]
    row.mul_(x[0])
    return row, y


@gradient(X, expect=([81.0, 16.0], [0.0, 16.0]))
def a_write_through_a_reshaped_view(x):
    y = x * 2
    column = y.view(2, 1)
    column[0] = 9.0
    return y * y


@gradient(M)
def a_write_through_a_transposed_view(x):
    y = x * 1.0
    y.T[0] = x[1] * x[1]
    return y * 2


@gradient(M)
def a_view_of_a_view(x):
    y = x * 3
    part = y[:, 1:][0]
    part.add_(x.sum())
    return y * x


@gradient(X, trace=True)
def a_base_that_is_written_below_a_view(x):
    y = x * 2
    part = y[1:]
    y.mul_(x)
    return part * part + y


@gradient(X, N)
def a_write_inside_a_loop(x, n):
    y = x * 1.0
    while n > 0:
        y.add_(x * x)
        n = n - 1
    return y


@gradient(X, N, smooth=False, strict=False)
def an_element_written_inside_a_loop(x, n):
    y = x * 1.0
    i = 0
    while i < n:
        y[i % 2] = y[i % 2] * x[0]
        i += 1
    return y


@gradient(X)
def a_write_inside_a_branch(x):
    y = x * 1.0
    if x.sum() > 0:
        y.mul_(x)
    else:
        y[0] = 3.0
    return y * x


@gradient_scene(X, smooth=False)
def a_parameter_that_is_assigned():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def function(x):
        y = x + weight
        assign(weight, Tensor([10.0, 20.0]))
        return y + x * weight

    return Scene(function, watch=lambda: weight, transform=lambda f: value_and_grad(f, 0))


@gradient_scene(X, smooth=False)
def a_counter_that_is_written():
    count = Parameter(Tensor([0.0]), name="count", requires_grad=False)

    def function(x):
        assign(count, count + 1)
        return x * x * count

    return Scene(function, watch=lambda: count, transform=lambda f: grad(f))


@gradient_scene(X, smooth=False)
def a_running_mean():
    mean = Parameter(Tensor([0.0, 0.0]), name="mean", requires_grad=False)

    def function(x):
        assign(mean, mean * 0.9 + ops.stop_gradient(x) * 0.1)
        return (x - mean) ** 2

    return Scene(function, watch=lambda: mean, transform=lambda f: value_and_grad(f))


@gradient(X, smooth=False)
def a_copy_is_written(x):
    y = x.copy()
    y[0] = 5.0
    return y * x


@gradient(M)
def slices_are_read(x):
    return x[:, 0] * x[1] + x[0, 1:] + x[..., ::2].sum()


@gradient(M, smooth=False)
def a_row_by_an_index_tensor(x):
    return x[Tensor([0, 0, 1])] * 2


@gradient(M)
def a_mask(x):
    return ops.masked_fill(x * x, x > 2.5, 0.0)


@gradient(M)
def several_views_of_one_operator(x):
    first, second = ops.split(x * x, 1, 0)
    return first * second


@gradient(X)
def clamped_in_place(x):
    y = x * 3
    y.clamp_(-4.0, 4.0)
    return y * x


@gradient(X)
def zeroed_in_place(x):
    y = x * 3
    y.zero_()
    return y + x


@gradient(X)
def filled_in_place(x):
    y = x * 3
    y.fill_(2.0)
    return y * x


@gradient(X, Y)
def copied_in_place(x, y):
    z = x * 2
    z.copy_(y * y)
    return z * x


@gradient(X, smooth=False, trace=True)
def a_constant_that_is_filled(x):
    y = Tensor([0.0, 0.0, 1.0])
    y[:2] = x
    y[1:].mul_(x[0])
    return y * 3


@gradient(X, N, smooth=False)
def a_constant_that_is_filled_inside_a_loop(x, n):
    y = ops.zeros((2,))
    i = 0
    while i < n:
        y[:1] = y[:1] + x[1:] * x[:1]
        i += 1
    return y


def _written_inside_no_grad(write):
    """A Parameter is written inside `no_grad` and then read; its gradient is wanted."""
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def function(x):
        with no_grad():
            write(weight)
        return x * weight * weight

    return Scene(function, transform=lambda f: value_and_grad(f, 0, [weight]), watch=lambda: weight)


@gradient_scene(X, smooth=False, trace=True)
def a_parameter_multiplied_inside_no_grad():
    return _written_inside_no_grad(lambda weight: weight.mul_(0.5))


@gradient_scene(X, smooth=False, trace=True)
def an_element_of_a_parameter_inside_no_grad():
    def write(weight):
        weight[0] = 7.0

    return _written_inside_no_grad(write)


@gradient_scene(X, smooth=False, trace=True)
def a_parameter_copied_to_inside_no_grad():
    return _written_inside_no_grad(lambda weight: weight.copy_(Tensor([5.0, 6.0])))


@gradient_scene(X, smooth=False, trace=True)
def a_view_of_a_parameter_inside_no_grad():
    return _written_inside_no_grad(lambda weight: weight[1:].add_(2.0))


@gradient_scene(X, smooth=False, trace=True)
def a_parameter_of_a_cell_inside_no_grad():
    class Shrinks(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")

        def construct(self, x):
            with no_grad():
                self.weight.mul_(0.5)
                self.weight[1] = self.weight[0] * 3
            return x * self.weight

    cell = Shrinks()
    return Scene(cell, transform=lambda f: value_and_grad(f, 0, [cell.weight]), watch=lambda: cell.weight)


@gradient_scene(X, then=[(Tensor([-4.0, 1.0]),)], smooth=False)
def a_parameter_on_one_path_inside_no_grad():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")

    def function(x):
        if x.sum() > 0:
            with no_grad():
                weight.mul_(0.5)
        return x * weight * weight

    return Scene(function, transform=lambda f: value_and_grad(f, 0, [weight]), watch=lambda: weight)


@gradient(X, smooth=False, trace=True)
def a_computed_tensor_inside_no_grad(x):
    y = x * 2
    with no_grad():
        y.mul_(3.0)
        y[0] = 4.0
    return y * x


@gradient(X, smooth=False)
def a_computed_tensor_on_one_path_inside_no_grad(x):
    y = x * 2
    if x.sum() > 0:
        with no_grad():
            y.mul_(3.0)
        z = y * y
    else:
        z = y
    return z * x + y


@gradient_scene(X, smooth=False, trace=True)
def a_tensor_computed_outside_inside_no_grad():
    def function(y):
        with no_grad():
            y.mul_(3.0)
        return y * y

    def outside(f):
        return value_and_grad(lambda x: f(x * 2).sum())

    return Scene(function, transform=outside)


@gradient(X, expect=Raises(RuntimeError), smooth=False, trace=True)
def an_input_written_before_and_inside_no_grad(x):
    x.mul_(2.0)
    with no_grad():
        x.mul_(0.5)
    return x * x


def _written_then_used(write, use):
    """A scene that writes a Parameter, then uses it in a function with a backward of its own; by both."""

    def build():
        weight = Parameter(Tensor([1.0, 2.0]), name="weight")

        def function(x):
            write(weight, x)
            return use(weight * x).sum()

        return Scene(function, watch=lambda: weight, transform=lambda form: value_and_grad(form, 0, [weight]))

    return build


def _halve(weight, x):
    with no_grad():
        weight.mul_(0.5)


def _fill(weight, x):
    with no_grad():
        weight[:] = x


def _replace(weight, x):
    weight.set_data(weight * 0.5)


def _replace_on_a_path(weight, x):
    if x.sum() > 0:
        weight.set_data(weight * 0.5)


class _Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 5,)


class _Triple(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, dout):
        return dout * 100


def _hooked(y):
    y.register_hook(lambda gradient: gradient * 2)
    return y


for _write in (_halve, _fill, _replace, _replace_on_a_path):
    for _use in (_hooked, _Square(), _Triple.apply):
        _name = f"a_parameter_is_written{_write.__name__}_with{getattr(_use, '__qualname__', '_bprop')}"
        gradient_scene(X, smooth=False, strict=False, name=_name)(_written_then_used(_write, _use))


def _weighted(body):
    """A scene that computes with a Parameter and an input; by both."""

    def build():
        weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        return Scene(
            lambda x: body(x, weight),
            watch=lambda: weight,
            transform=lambda form: value_and_grad(form, 0, [weight]),
        )

    return gradient_scene(X, smooth=False, strict=False, name=body.__name__)(build)


@_weighted
def a_parameter_that_is_needed_is_written_on_a_path(x, weight):
    y = (x * weight).sum()
    if x.sum() < 0:
        with no_grad():
            weight.mul_(0.5)
    return y


@_weighted
def a_parameter_that_a_path_needs_is_written_after_it(x, weight):
    y = (x * weight).sum() if x.sum() > 0 else (x + weight).sum()
    with no_grad():
        weight.mul_(0.5)
    return y


@_weighted
def a_parameter_that_a_path_needs_is_assigned_after_it(x, weight):
    y = (x * weight).sum() if x.sum() > 0 else (x + weight).sum()
    assign(weight, weight * 0.5)
    return y


@_weighted
def a_tensor_is_needed_and_written_on_one_path(x, weight):
    y = x.sum()
    if x.sum() < 0:
        t = x * weight
        y = (t * t).sum()
        t[0] = 5.0
        y = y + t.sum()
    return y


@_weighted
def a_tensor_that_a_round_needs_is_written_by_the_next(x, weight):
    t, y = x * weight, x * x
    while y.sum() < 20:
        t.mul_(2.0)
        y = y * t * t + 3
    return y.sum()


@_weighted
def a_tensor_that_a_loop_begins_with_is_written_after_it(x, weight):
    t = x * x
    y = t
    while y.sum() < 20:
        y = y * weight * weight + 3
    t[0] = 7.0
    return y.sum() + t.sum()
