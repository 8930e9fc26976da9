"""Tensors: operators, promotion, in-place methods, views and aliases, tensors made inside."""

import numpy as np
from program import Raises, Scene, program, scene

import dyad
from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -4.0])
M = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
I = Tensor([5, -3])
B = Tensor([True, False])
H = Tensor(np.array([1.5, 2.0], np.float16))
D = Tensor(np.array([0.1, 0.2], np.float64))


@program(X, Y, trace=True)
def every_operator(x, y):
    return x + y, x - y, x * y, x / y, x // y, x % y, abs(x) ** y, -x, +x, x @ y


@program(X, Y, trace=True)
def every_comparison(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y


@program(X, [1.0, 2.0], expect=(False, True, False, False, False, False, True))
def other_kinds_are_unequal(x, values):
    return x == values, x != (), x == [], values in x, "a" in x, [1.0] in x, 1.0 in x


@program(I, Tensor([6, 1]), B, trace=True)
def bits_of_integers_and_bools(i, j, b):
    return i & j, i | j, i ^ j, ~i, ~b, b & b, b | ~b, b ^ b


@program(I, X, H, D, B, trace=True)
def promotion_between_tensors(i, x, h, d, b):
    return i + x, i * h, h + x, x + d, b + i, b * x, i / i, h - b


@program(I, X, H, B, trace=True)
def promotion_with_numbers(i, x, h, b):
    return i + 1, i + 1.5, x + 1, h * 2.5, b + 1, b * 1.5, i * True, i / 2, x + True


@program(Tensor([1], dyad.int8), Tensor([2], dyad.uint8), Tensor([3], dyad.int32), trace=True)
def promotion_of_small_integers(a, b, c):
    return a + b, a + c, b + c, a * 2, b * 1.5


@program(X, trace=True)
def complex_tensors(x):
    z = ops.Complex()(x, x * 2)
    return z, z * z, z.real(), z.imag(), abs(z)


@program(X, expect=([2.0, 3.0], [2.0, 3.0]), trace=True)
def add_in_place(x):
    y = x.add_(1.0)
    return y, x


@program(X, trace=True)
def every_in_place_method(x):
    x.add_(1.0)
    x.sub_(0.5)
    x.mul_(2.0)
    x.div_(4.0)
    x.clamp_(0.0, 1.0)
    y = x + 0
    x.fill_(7.0)
    z = x + 0
    x.zero_()
    x.copy_(y * 3)
    return y, z


@program(X, Y, trace=True)
def aliases_see_in_place_writes(x, y):
    z = x
    z[0] = 99.0
    y.add_(x)
    return x, z is x, y


@program(X)
def one_tensor_under_two_names(x):
    def write(target):
        target[1] = -1.0

    write(x)
    return x * 2


@scene(X)
def one_tensor_passed_twice():
    def f(a, b):
        a.add_(1.0)
        return a + b

    def call(x):
        return f(x, x)

    return call


def _same_twice(a, b):
    a.add_(10.0)
    return b * 1


@scene(X)
def one_argument_given_twice():
    def f(pair):
        return _same_twice(pair, pair)

    return f


@program(M, trace=True)
def writes_through_views(x):
    row = x[0]
    row[1] = 50.0
    column = x[:, 2]
    column.mul_(10.0)
    flat = x.view(6)
    flat[5] = -1.0
    return x, row, column


@program(M)
def views_see_later_writes(x):
    y = x + 0
    row = y[1]
    turned = y.t()
    y[1, 1] = 100.0
    y.add_(1.0)
    return row, turned, y


@program(M)
def views_of_views(x):
    y = x + 0
    part = y[:, 1:][1]
    part[0] = 77.0
    part.add_(1.0)
    return y, part


@program(Tensor(5.0), M)
def view_written_in_one_arm(s, x):
    y = x + 0
    row = y[0]
    if s > 0:
        row[0] = 100.0
    return y, row


@program(Tensor(3), M)
def view_written_in_a_loop(n, x):
    y = x + 0
    row = y[1]
    i = 0
    while i < n:
        row.add_(1.0)
        i += 1
    return y, row


@program(X)
def an_old_value_is_kept_by_a_copy(x):
    before = x * 1
    x.add_(1.0)
    return before, x


@scene(X)
def returned_argument_is_the_argument():
    return Scene(lambda x: x, after=lambda result, x: x.add_(1.0) is result)


@scene(M)
def returned_view_shares_memory():
    def f(x):
        return x[0], x.view(6)

    def after(result, x):
        x.fill_(5.0)
        return result

    return Scene(f, after=after)


@scene(M)
def returned_result_is_separate():
    def f(x):
        return x * 1, x.copy()

    def after(result, x):
        x.fill_(5.0)
        return result

    return Scene(f, after=after)


@program(X, expect=Raises(TypeError), then=[(X,)])
def integer_target_does_not_become_float(x):
    n = ops.ones((2,), dyad.int32)
    n.add_(1.5)
    return n


@program(X, trace=True)
def tensors_made_inside(x):
    a = Tensor([1.0, 2.0])
    b = dyad.tensor([3, 4], dtype=dyad.float32)
    c = ops.ones((2,), dyad.float32)
    return x + a * b - c, ops.zeros_like(x), ops.full((2,), 3.0), ops.arange(3), ops.eye(2)


@program(X, expect=[2.0, 3.0], again=[2.0, 3.0])
def a_tensor_made_inside_is_fresh(x):
    ones = Tensor([1.0, 1.0])
    y = x + ones
    ones.add_(5.0)
    return y


@program(X, again=([1.0, 1.0], [5.0, 1.0]))
def a_constant_tensor_returned_is_fresh(x):
    a, b = Tensor([1.0, 1.0]), Tensor([1.0, 1.0])
    b[0] = 5.0
    return a, b


@program(M, trace=True)
def shapes_and_sizes(x):
    rows, columns = x.shape
    return x.reshape(columns, rows), x.ndim, x.size, len(x), x.shape[-1], x.dtype == dyad.float32, x.shape


@program(M, trace=True)
def methods_in_a_chain(x):
    return x.transpose(1, 0).reshape(-1).exp().sum().sqrt(), x.mean(0), x.max(axis=1), x.argmax(), x.t().shape


@program(M, trace=True)
def operators_with_axes(x):
    return ops.reduce_sum(x, 0), ops.softmax(x, -1), ops.concat((x, x), 1), ops.stack([x, x]), ops.split(x, 1)


@program(M, trace=True)
def primitives_made_inside(x):
    return ops.MatMul(transpose_b=True)(x, x), ops.ReduceSum(keep_dims=True)(x, 1), ops.Cast()(x, dyad.int32)


@program(M)
def data_shaped_results(x):
    found = x[x > 2.5]
    return found, found.sum(), ops.nonzero(x), found.shape


@program(M)
def data_shaped_sizes_in_arithmetic(x):
    found = ops.nonzero(x > 2.5)
    n = found.shape[0]
    return x * n, n + 1, found.reshape(-1)


@program(X)
def identity(x):
    y = x
    return x is y, x is not y, x is None, x + 0 is x


@program(X, trace=True)
def casts(x):
    return x.int(), x.astype(dyad.float16), x.bool(), x.to(dyad.float64), x.half() + 1


@program(Tensor([]), expect=0.0, vary=False)
def sum_of_nothing(x):
    return x.sum()


@program(D, trace=True)
def doubles_stay_doubles(x):
    return x + 0.1, x * 3, x.sum()


@program(Tensor([1.5, 2.0], dyad.bfloat16), trace=True)
def bfloat16(x):
    return x + 1, x * 2.5


@program(X, Y)
def operators_by_name(x, y):
    return ops.add(x, y), ops.Add()(x, y), x.add(y), ops.maximum(x, y), ops.clamp(y, -1.0, 1.0)


@program(X, Y, trace=True)
def assign_and_assign_add(x, y):
    ops.assign(x, y * 2)
    ops.assign_add(y, x)
    return x, y


@program(Tensor([1.0, -2.0]))
def branch_free_selection(x):
    return ops.where(x > 0, x, -x), ops.select(x > 0, x, x * 10), ops.relu(x)


@program(X, expect=Raises(ValueError), then=[(X,)])
def shapes_that_do_not_fit(x):
    return x + ops.ones((3,))


@program(X, Y)
def depend_keeps_the_value(x, y):
    return ops.depend(x * 2, y + 1)


@program(Tensor(3), X, then=[(Tensor(0), X)])
def a_variable_of_a_loop_is_written_behind_it(n, x):
    y, i = x * 1, 0
    while i < n:
        y[0] = i * 1.0
        y = y * 2
        i += 1
    y[1] = 7.0
    return y, x


@program(X)
def text_is_in_no_tensor(x):
    mixed = ["a", ("b", 1), x, 4]
    return x == ["a"], x != [1.0, ("b", None)], x == [x.ndim, "a"], mixed.count("a"), ("b", 1) in mixed


@program(X, Y, Tensor(0.5), trace=True)
def the_threshold_of_smooth_l1_loss_is_a_tensor(x, y, beta):
    return ops.smooth_l1_loss(x, y, beta), dyad.grad(lambda b: ops.smooth_l1_loss(x, y, b).sum())(beta)


@program(M, Tensor(7.0), trace=True)
def a_padding_value_is_differentiated(m, padding):
    def padded(value):
        diagonals = Tensor([-1, 1], dyad.int32)
        return ops.MatrixDiagPartV3()(m, diagonals, value).sum() * 2

    return padded(padding), dyad.grad(padded)(padding)


@program(X, Y, Tensor(2.0), trace=True)
def a_scaled_difference_takes_a_tensor(x, y, alpha):
    return dyad.mint.sub(x, y, alpha=alpha), dyad.mint.add(x, y, alpha=alpha)


@program(M, expect=([[0.09003057, 0.24472848, 0.66524094]] * 2,), trace=True)
def an_axis_is_a_tensor_in_a_tuple(m):
    return (ops.Softmax(axis=(Tensor(1),))(m),)


@program(Tensor([1.0, 2.0]), expect=([5.0, 2.0], [5.0, 2.0]), vary=False, trace=True)
def a_tensor_of_a_tensor_shares_its_memory(x):
    y = Tensor(x)
    y[0] = 5
    return x + 0, y + 0


@program(Tensor([[1.0, 2.0]]), expect=Raises(TypeError, "take [0]"))
def values_and_indices_as_an_operand(x):
    return x - x.max(1, True)


@program(Tensor([[1.0, 2.0]]), expect=Raises(TypeError, "need one dtype"))
def a_tuple_of_two_dtypes_as_an_operand(x):
    return (x[0, 0], Tensor(1)) * x


@program(Tensor([1.0, 2.0]), expect=Raises(TypeError, "take [0]"))
def values_and_indices_are_not_a_tensor(x):
    return ops.exp(x.max(0))
