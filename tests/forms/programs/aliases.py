"""In-place writes while it depends on the path which names share memory."""

from program import Raises, Scene, program, scene

import dyad
from dyad import Parameter, Tensor, ops

X = Tensor([0.5, 1.5, 2.5, 3.5])
N = Tensor(3)
S = Tensor(2.0)

# A Tensor without data that is alive somewhere is nobody's alias.
TEMPLATE = Tensor(shape=[None], dtype=dyad.float32)


@program(X, strict=False)
def view_taken_in_an_arm(x):
    v = x * 2
    if x.sum() > 0:
        v = x[::-1]
    x[1] = 9.0
    return v, x


@program(X, then=[(Tensor([9.0, 9.0, 9.0, 9.0]),), (Tensor([5.0, 2.0, 3.0, 3.0]),)], strict=False)
def one_of_three_is_written(x):
    y = x * 1
    z = x
    z = x * 2 if x.sum() > 20 else (z if x.sum() > 10 else y)
    z[:2] = -2.0
    return y, z


@program(X, strict=False)
def names_swap_in_a_loop(x):
    y = x * 1
    z = x * 3
    vs = [y]
    w = x.sum() * 0
    while w < 2:
        w = w + 1
        z[1] = 9.0
        y, z = z, y
    return y, z, vs


@program(X, then=[(X * 100,)], strict=False)
def argument_through_a_branch_and_a_loop(x):
    z = x
    if x.sum() > 100:
        z = x * 3
    w = x.sum() * 0
    while w < 2 and x.sum() > 100:
        w = w + 1
        z = x * 2
    z[-1] = 7.0
    return z


@program(X, strict=False)
def member_of_a_list_in_nested_branches(x):
    y = x * 1
    vs = [y]
    if x.sum() > -100:
        if x.sum() > 3:
            vs[0] = x * 2
        y[1:] = 1.0
    return y, vs


@program(X, strict=False)
def other_name_stays_behind(x):
    y = x * 1
    v = y
    if x.sum() > 3:
        v = x * 2
    y[1:] = 1
    return v, y


@program(X, strict=False)
def result_is_the_argument(x):
    def chosen(one, other):
        return one if one.sum() > 3 else other

    y = x * 2
    z = chosen(x, y)
    z += 1.0
    return x, y, z


@program(X, strict=False)
def views_of_one_tensor_made_in_an_arm(x):
    first = last = x
    if x.sum() > 3:
        whole = x * 2
        first, last = whole[:2], whole[1:]
    else:
        first, last = x[:2], x[1:] * 1
    return first + 1, last + 1


@program(X, Tensor(0.0), strict=False)
def attribute_holds_an_argument(x, s):
    table = {"kept": x}
    while s < 3:
        s = s + 1
        if s > 1:
            table["kept"] = x * s
        table["kept"][0] = -1.0
    return table, x


@program(X, strict=False)
def compared_by_identity(x):
    y = x * 1
    z = y
    w = x.sum() * 0
    while w < 2:
        w = w + 1
        if x.sum() > 3:
            z = x * 2
    return z is y, z


@program(X, X * 2, then=[(X, X)], strict=False)
def arguments_given_twice(x, y):
    z = x
    if x.sum() > 3:
        z = y
    z[0] = 5.0
    return x, y, z


@scene(X, strict=False)
def parameter_or_tensor():
    weight = Parameter(Tensor([1.0, 2.0, 3.0, 4.0]), name="weight")

    def chosen(x):
        z = x * 2
        if x.sum() > 3:
            z = weight
        ops.assign(weight, weight * 2)
        return z * 1

    return Scene(chosen, watch=lambda: weight)


@program(X, strict=False)
def view_of_what_an_arm_chose(x):
    v = x * 2
    if x.sum() > 3:
        v = x
    part = v[1:3]
    x[2] = -4.0
    part += 1.0
    return v, part, x


@program(X, strict=False)
def constant_that_is_written(x):
    zeros = ops.zeros(4)
    v = zeros
    if x.sum() > 3:
        v = x * 2
    zeros[0] = 3.0
    return v, zeros


@program(N, X, strict=False)
def write_to_a_name_that_a_loop_may_have_bound_to_another_tensor(n, x):
    v, i = x * 0, 0
    while i < n:
        i += 1
        v = x
    v[0] = 7.0
    return v, x


@program(N, X, strict=False)
def write_to_a_name_that_the_last_turn_bound_to_another_tensor(n, x):
    v, i = x * 0, 0
    while i < n:
        i += 1
        v[0:] = 0.0
        v = x
    return v, x


@program(S, X, strict=False)
def write_to_a_part_that_depends_on_the_path(s, x):
    part = x[:1] if s > 0 else x[1:]
    part.add_(1.0)
    return x * 2


@program(N, X, strict=False)
def write_to_a_part_that_the_last_turn_took(n, x):
    part, i = x * 0, 0
    while i < n:
        i += 1
        part = x[:1]
    part.add_(1.0)
    return x * 2


@program(N, X, strict=False)
def write_in_a_loop_to_what_is_a_part_in_its_first_turn(n, x):
    part, i = x[:1], 0
    while i < n:
        i += 1
        part.add_(1.0)
        part = part * 2
    return part, x


@program(X, X * 3, S, strict=False)
def two_written_tensors_are_chosen_between(x, y, s):
    b = y * 3.0
    b[1] = 7.0
    x[2] = 5.0
    v = x if s > -1 else b
    return v * 1.0, b


@program(Tensor([1.0, 2.0, 3.0, 4.0]))
def copying_reshape_is_no_part_of_what_is_written_later(x):
    y = x * 1.0
    b = y.reshape(2, 2).T.reshape(4)
    b.copy_(b * 3.0)
    y[1:] = 8.0
    return b, y


@program(Tensor([[1.0, 2.0]]), expect=([[7.0, 7.0]] * 3, [[14.0, 14.0]]), trace=True)
def a_write_of_one_number_into_an_expanded_tensor_reaches_its_source(x):
    rows = x.expand(3, 2)
    rows[:] = 7
    return rows, x * 2


@program(Tensor([[1.0, 2.0]]), trace=True)
def a_write_of_a_row_into_an_expanded_tensor_reaches_its_source(x):
    rows = ops.broadcast_to(x, (3, 2))
    rows[1] = Tensor([5.0, 6.0])
    rows[:, 0] = x[0, 1] + 1
    rows[...] = rows[0] * 2
    return rows, x + 0


@program(Tensor([[1.0, 2.0]]), expect=Raises(ValueError, "several elements share one place"))
def different_numbers_for_one_place_of_memory_are_refused(x):
    rows = x.expand(3, 2)
    rows[:, 0] = Tensor([5.0, 6.0, 7.0])
    return rows
