"""Gradients through branches, loops, calls and recursion that are decided when the graph runs."""

from gradient import gradient, gradient_scene
from program import Raises, Scene

import dyad
from dyad import Parameter, Tensor, nn, ops, value_and_grad

X = Tensor([1.0, 2.0])
Y = Tensor([3.0, -1.0])
N = Tensor(3)
COUNTS = [(X, Tensor(0)), (X, Tensor(1)), (X, Tensor(7))]


@gradient(X)
def a_branch(x):
    if x.sum() > 0:
        return x * x
    return x * 3


@gradient(X, Y)
def a_branch_that_uses_one_input(x, y):
    if x.sum() > 0:
        z = x * x
    else:
        z = y * y
    return z * 2


@gradient(X, Y)
def a_branch_inside_a_branch(x, y):
    if x.sum() > 0:
        z = ops.sin(x) * y if y.sum() > 0 else x * y * y
    else:
        z = x - y
        if y.sum() < 5:
            z = z * z
    return z + x


@gradient(X, then=[(Tensor([5.0, 5.0]),), (Tensor([-5.0, 0.0]),)])
def several_branches(x):
    total = x.sum()
    if total > 8:
        return x * 2
    elif total > 1:
        return x * x * x
    elif total < -4.5:
        return ops.exp(x)
    return x / 2


@gradient(X, Y)
def a_conditional_expression(x, y):
    return (x if x[0] > y[0] else y) * x


@gradient(X, strict=False)
def a_name_without_a_value_first(x):
    kept = None
    if x.sum() > 0:
        kept = x * x
    if kept is None:
        return x
    return kept * x


@gradient(X, Tensor(True), smooth=False)
def a_condition_that_is_an_argument(x, flag):
    return x * x if flag else x


@gradient(X, Y)
def and_and_or_of_tensors(x, y):
    if x.sum() > 0 and y.sum() > 0 or x[0] < -1:
        return x * y
    return x + y * y


@gradient(X, N, then=COUNTS)
def a_loop(x, n):
    y = x
    while n > 0:
        y = y * x
        n = n - 1
    return y


@gradient(X, N, then=COUNTS)
def a_loop_over_a_run_time_range(x, n):
    total = x * 0
    for i in range(int(n)):
        total = total + x**2 * i
    return total


@gradient(X, vary=False, then=[(Tensor([0.1, 0.2]),), (Tensor([50.0, 1.0]),)])
def a_loop_that_a_tensor_ends(x):
    y = x
    while y.sum() < 20:
        y = y * 2 + x
    return y


@gradient(X, Y, N)
def a_loop_with_two_variables(x, y, n):
    a, b = x, y
    while n > 0:
        a, b = b * 0.5, a + b
        n = n - 1
    return a * b


@gradient(X, N, then=COUNTS)
def a_branch_inside_a_loop(x, n):
    y = x
    while n > 0:
        if y.sum() > 4:
            y = y * 0.5 + x
        else:
            y = y * y + x
        n = n - 1
    return y


@gradient(X, N, then=COUNTS)
def a_loop_inside_a_branch(x, n):
    if x.sum() > 0:
        y = x
        while n > 0:
            y = y * x
            n = n - 1
    else:
        y = ops.exp(x)
    return y


@gradient(X, N, then=COUNTS)
def a_loop_inside_a_loop(x, n):
    total = x
    while n > 0:
        inner = n
        while inner > 0:
            total = total + x * total * 0.1
            inner = inner - 1
        n = n - 1
    return total


@gradient(X, N, then=COUNTS)
def a_break(x, n):
    y = x
    while n > 0:
        y = y * x
        if y.sum() > 6:
            break
        n = n - 1
    return y


@gradient(X, Tensor(5), then=COUNTS)
def a_continue(x, n):
    y = x
    i = n * 0
    while i < n:
        i = i + 1
        if i % 2 == 0:
            continue
        y = y * x + i
    return y


@gradient(X, N, then=COUNTS)
def a_return_from_a_loop(x, n):
    y = x
    while n > 0:
        y = y * x
        if y.sum() > 6:
            return y * 2
        n = n - 1
    return y


@gradient(X, N, then=COUNTS)
def an_else_of_a_loop(x, n):
    y = x
    while n > 0:
        y = y * x
        n = n - 1
        if y.sum() > 100:
            break
    else:
        y = y + x * x
    return y


@gradient(X, N, then=COUNTS, strict=False)
def a_list_of_a_loop(x, n):
    kept = [x, x * 2]
    while n > 0:
        kept = [kept[1], kept[0] * x]
        n = n - 1
    return kept[0] + kept[1] * 3


@gradient(X, N, then=COUNTS)
def a_dict_written_in_a_loop(x, n):
    state = {"h": x, "count": 0}
    while n > 0:
        state["h"] = ops.tanh(state["h"]) + x
        state["count"] += 1
        n = n - 1
    return state["h"] * state["count"]


@gradient(X)
def a_loop_that_is_known(x):
    y = x
    for factor in (1, 2, 3):
        y = y * factor + x * x
    return y


@gradient(Tensor([[1.0, 2.0], [3.0, 4.0]]))
def rows_of_a_tensor(x):
    total = x[0] * 0
    for row in x:
        total = total * row + row
    return total


@gradient(X, N, then=COUNTS)
def recursion(x, n):
    def power(value, count):
        if count <= 0:
            return value
        return power(value * x, count - 1)

    return power(x, n)


@gradient(X, then=[(Tensor([30.0, 1.0]),)])
def recursion_that_a_tensor_ends(x):
    def grow(value):
        if value.sum() > 10:
            return value
        return grow(value * 2 + x * x)

    return grow(x)


def _cube(x):
    return x * x * x


def _apply(function, x):
    return function(x) + x


@gradient(X)
def functions_of_functions(x):
    return _apply(_cube, x) + _apply(lambda t: t * 2, x)


@gradient(X, Y)
def a_closure_over_a_tensor(x, y):
    def scaled(value):
        return value * y

    return scaled(scaled(x)) if x.sum() > 0 else scaled(x)


@gradient_scene(X, smooth=False)
def a_parameter_inside_a_branch():
    weight = Parameter(Tensor([2.0, 3.0]), name="weight")
    other = Parameter(Tensor([0.5, 5.0]), name="other")

    def function(x):
        if x.sum() > 0:
            return x * weight * weight
        return x * other

    return Scene(function, transform=lambda f: value_and_grad(f, 0, [weight, other]))


@gradient_scene(X, N, then=COUNTS, smooth=False)
def a_cell_inside_a_loop():
    dyad.set_seed(5)
    layer = nn.Dense(2, 2)
    weights = layer.trainable_params()

    def function(x, n):
        while n > 0:
            x = ops.tanh(layer(x))
            n = n - 1
        return x

    return Scene(function, transform=lambda f: value_and_grad(f, 0, weights))


@gradient_scene(X, N, smooth=False)
def a_recurrent_network():
    dyad.set_seed(6)
    first, second = nn.Dense(2, 2), nn.Dense(2, 2)
    weights = [*first.trainable_params(), *second.trainable_params()]

    def function(x, n):
        hidden = ops.zeros_like(x)
        i = n * 0
        while i < n:
            hidden = ops.tanh(first(x) + second(hidden))
            if hidden.sum() > 1.5:
                hidden = hidden * 0.5
            i = i + 1
        return hidden.sum()

    return Scene(function, transform=lambda f: value_and_grad(f, None, weights))


@gradient_scene(X, smooth=False)
def a_cell_with_a_branch():
    class Chooses(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")

        def construct(self, x):
            if x.sum() > 0:
                return x * self.weight
            return x - self.weight * self.weight

    cell = Chooses()
    return Scene(cell, transform=lambda f: value_and_grad(f, 0, [cell.weight]))


@gradient(X, expect=Raises(ValueError, "positive"), smooth=False)
def a_branch_that_raises(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return x * x


@gradient(X, N, smooth=False, then=COUNTS)
def a_loop_that_raises(x, n):
    y = x
    while n > 0:
        y = y * x
        if y.sum() > 6:
            raise ValueError("large", n)
        n = n - 1
    return y


@gradient(X, N, smooth=False)
def a_loop_that_prints(x, n):
    y = x
    while n > 0:
        print("turn", n)
        y = y * x
        n = n - 1
    return y


@gradient(X)
def an_assertion(x):
    assert x.sum() < 100, "too large"
    return x * x


@gradient(X, N, then=COUNTS)
def a_stopped_gradient_in_a_loop(x, n):
    y = x
    while n > 0:
        y = ops.stop_gradient(y) * 0 + y * x
        n = n - 1
    return y


@gradient(X, N, smooth=False, then=COUNTS)
def a_loop_that_stops_the_gradient(x, n):
    y = x
    while n > 0:
        y = ops.stop_gradient(y) * x
        n = n - 1
    return y


@gradient(X)
def a_match(x):
    match len(x.shape):
        case 1 if x.sum() > 0:
            return x * x
        case _:
            return x * 3


@gradient(X, Y)
def several_results_of_a_branch(x, y):
    if x.sum() > 0:
        a, b = x * y, x
    else:
        a, b = y, x * x
    return a * b, a


@gradient(X, N, then=COUNTS)
def a_subscript_by_the_counter(x, n):
    total = x.sum() * 0
    i = 0
    while i < n:
        total = total + x[i % 2] * x[0]
        i += 1
    return total


@gradient(Tensor([[3.0, 1.0], [2.0, 5.0]]))
def results_of_an_operator_in_a_branch(x):
    values, _ = ops.sort(x, axis=1)
    if values[0, 0] > 0:
        return values[:, 0] * 2 + values[:, 1]
    return values[:, 1]


@gradient(X, Y)
def numbers_of_tensors(x, y):
    scale = 2.0 if x.sum() > 0 else 3.0
    return x * scale * y


@gradient(X, N, then=COUNTS)
def integers_beside_floats_in_a_loop(x, n):
    count, y = 0, x
    while count < n:
        count += 1
        y = y + x * count
    return y, count
