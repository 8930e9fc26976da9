"""`while` and `for`, unrolled or in the graph, with their `else`."""

from program import Raises, program

import dyad
from dyad import Tensor, mutable, ops

X = Tensor([1.0, 2.0])
S = Tensor(1.0)
N = Tensor(3)
M = Tensor([[1.0, 2.0], [3.0, 4.0]])


@program(Tensor(1.0), 3, then=[(Tensor(1.0), 2), (Tensor(1.0), 0)], expect=10.0)
def for_range_of_a_known_number(x, n):
    for _ in range(n):
        x = x + n
    return x


@program(X)
def while_with_a_known_condition(x):
    i = 0
    while i < 4:
        x = x + i
        i += 1
    return x, i


@program(S, then=[(Tensor(3.0),), (Tensor(40.0),)], vary=False, expect=16.0)
def while_on_a_tensor(x):
    while x < 10:
        x = x * 4
    return x


@program(N, then=[(Tensor(0),), (Tensor(7),)], expect=(3, 8))
def counter_in_a_tensor_loop(n):
    count, value = 0, 1
    while count < n:
        count += 1
        value *= 2
    return count, value


@program(N, Tensor(1.0), then=[(Tensor(0), Tensor(1.0))])
def several_variables_in_a_tensor_loop(n, x):
    a, b = x, x * 0
    i = 0
    while i < n:
        a, b = a + b, a
        i += 1
    return a, b, i


@program(N, X)
def a_tuple_is_carried(n, x):
    state = (x, 0)
    while state[1] < n:
        state = (state[0] * 2, state[1] + 1)
    return state


@program(N, X)
def a_list_is_carried(n, x):
    state = [x, 0]
    alias = state
    while state[1] < n:
        state[0] = state[0] * 2
        state[1] += 1
    return alias, alias is state


@program(N, X)
def a_dict_is_carried(n, x):
    state = {"value": x, "i": 0}
    while state["i"] < n:
        state["value"] = state["value"] + state["i"]
        state["i"] += 1
    return state


@program(N, X)
def a_tensor_that_grows(n, x):
    i = 0
    while i < n:
        x = ops.concat((x, x))
        i += 1
    return x


@program(N, S, strict=False)
def the_dtype_changes_in_the_loop(n, x):
    total = 0
    i = 0
    while i < n:
        total = total + x
        i += 1
    return total


@program(N, strict=False)
def an_integer_becomes_a_float_in_the_loop(n):
    value = 1
    i = 0
    while i < n:
        value = value / 2
        i += 1
    return value


@program(S, vary=False)
def while_true_with_a_tensor_break(x):
    steps = 0
    while True:
        x = x * 1.5
        steps += 1
        if x > 20:
            break
    return x, steps


@program(S, vary=False)
def long_range_with_a_tensor_break(x):
    for k in range(300):
        x = x + 1
        if x > 250:
            break
    return x, k


@program(N, N, then=[(Tensor(2), Tensor(0))])
def nested_tensor_loops(n, m):
    total, i = 0, 0
    while i < n:
        j = 0
        while j < m:
            total += i * j + 1
            j += 1
        i += 1
    return total


@program(N, X)
def a_known_loop_inside_a_tensor_loop(n, x):
    i = 0
    while i < n:
        for k in (1, 2, 3):
            x = x + k
        i += 1
    return x


@program(N, X)
def a_tensor_loop_inside_a_known_loop(n, x):
    for k in range(3):
        i = 0
        while i < n:
            x = x + k
            i += 1
    return x


@program(N, X)
def a_branch_inside_a_tensor_loop(n, x):
    i = 0
    while i < n:
        if i % 2 == 0:
            x = x + 1
        else:
            x = x * 2
        i += 1
    return x


@program(N, X)
def conversion_to_a_number_is_a_run_time_range(n, x):
    for i in range(int(n)):
        x = x + i
    return x


@program(mutable(4), X, then=[(mutable(2), X)])
def range_of_a_variable_number(n, x):
    total = 0
    for i in range(1, n):
        x = x * 2
        total += i
    return x, total


@program(M)
def rows_of_a_tensor(x):
    total = 0
    for row in x:
        total = total + row
    return total


@program(M)
def target_keeps_the_last_value(x):
    for row in x:
        pass
    for i in range(3):
        pass
    return row, i


@program(X, expect=Raises(UnboundLocalError))
def target_of_an_empty_loop(x):
    for q in []:
        x = x + q
    return q


@program(S, expect=Raises(TypeError))
def rows_of_no_dimension(x):
    for row in x:
        x = x + row
    return x


@program(X)
def iteration_over_known_sequences(x):
    for k in [1, 2]:
        x = x + k
    for k in (3, 4):
        x = x * k
    for key in {"a": 1, "b": 2}:
        x = x + len(key)
    for letter in "abc":
        x = x + ord(letter)
    return x


@program(X)
def iteration_over_dict_views(x):
    table = {"a": 1, "b": 2}
    for key, value in table.items():
        x = x * value + len(key)
    for value in table.values():
        x = x + value
    for key in table.keys():
        x = x + table[key]
    return x


@program(X, M)
def iteration_with_patterns(x, m):
    for i, (a, b) in enumerate(zip((1, 2), [3, 4], strict=False)):
        x = x + i * a * b
    for i, row in enumerate(m, 10):
        x = x + row * i
    for a, b in zip(m, (5, 6), strict=False):
        x = x + a * b
    return x


@program(X)
def for_else_after_the_last(x):
    for i in range(3):
        x = x + i
    else:
        x = x * 100
    return x


@program(X, 1, then=[(X, 9)])
def for_else_with_a_known_break(x, stop):
    for i in range(3):
        x = x + i
        if i == stop:
            break
    else:
        x = x * 100
    return x


@program(Tensor([1.0, 5.0, 2.0]))
def for_else_with_a_tensor_break(x):
    for value in x:
        if value > 3:
            found = value
            break
    else:
        found = x[0] * 0
    return found


@program(S, vary=False, then=[(Tensor(7.0),)])
def while_else_with_a_tensor_break(x):
    i = 0
    while i < 5:
        x = x + 1
        if x > 9:
            break
        i += 1
    else:
        x = x - 1000
    return x, i


@program(N)
def while_else_of_a_tensor_loop(n):
    i = 0
    while i < n:
        i += 1
    else:
        i += 100
    return i


@program(X)
def the_sequence_grows_while_iterated(x):
    items = [1, 2]
    for k in items:
        if len(items) < 5:
            items.append(k * 10)
        x = x + k
    return x, items


@program(N)
def loop_writes_a_tensor_in_place(n):
    out = ops.zeros((4,))
    i = 0
    while i < n:
        out[i] = i * 1.5
        i += 1
    return out


@program(N, X)
def loop_writes_an_argument(n, x):
    i = 0
    while i < n:
        x.add_(1.0)
        i += 1
    return i


@program(mutable([Tensor(1.0), Tensor(2.0)]))
def iteration_over_a_mutable_list(items):
    total = 0.0
    for item in items:
        total = total + item
    return total


@program(N, X)
def the_condition_calls_a_function(n, x):
    def going(i):
        return i < n and x.sum() < 100

    i = 0
    while going(i):
        x = x + x
        i += 1
    return x, i


@program(S, vary=False)
def loop_over_shapes(x):
    y = ops.ones((2, 3), dyad.float32) * x
    for size in y.shape:
        y = y * size
    return y


@program(Tensor([1.0, 2.0, 3.0]), Tensor(2), expect=3.0, then=[(Tensor([1.0, 2.0]), Tensor(0))])
def rows_of_a_tensor_in_a_loop_of_the_graph(x, n):
    total = x.sum() * 0
    while n > 0:
        n = n - 1
        for row in x:
            total = row
    return total


@program(Tensor(5.0), Tensor(2), strict=False, then=[(Tensor(5.0), Tensor(0)), (Tensor(-5.0), Tensor(2))])
def several_kinds_of_result_from_inside_a_loop(x, n):
    while n > 0:
        n = n - 1
        if x > 0:
            return Tensor([1.0, -2.0]) if n > 2 else x * 2
        if n == 0:
            return 4
    return None
