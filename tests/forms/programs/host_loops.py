"""Loops with host statements: `break`, `continue`, `return` and `else` across them, loops on run-time data."""

import itertools

import numpy as np
from hosting import LOG, hosted, passed, total

from dyad import Tensor

X = Tensor([1.0, 2.0])
V = Tensor([1.0, -2.0, 3.0, 4.0])
N = Tensor(4)
NUMBERS = [(Tensor(0),), (Tensor(1),), (Tensor(6.0),)]


@hosted(N, then=NUMBERS)
def host_statement_in_a_tensor_loop(n):
    i, seen = n * 0, []
    while i < n:
        seen.append(float(i.asnumpy()))
        i = i + 1
    return i * 2, seen


@hosted(N, then=NUMBERS)
def break_across_a_host_statement(n):
    i, y = 0, n * 1
    while True:
        i += 1
        if total(y) > 20 or i > 5:
            break
        y = y + i
    else:
        y = y * 1000
    return y, i


@hosted(N, then=NUMBERS)
def else_of_while_with_a_host_statement(n):
    i = 0
    while i < n:
        if passed(i, ("at", i)) == 3:
            break
        i += 1
    else:
        LOG.append("else")
        i = -i
    return n * i


@hosted(V)
def continue_before_a_host_statement(v):
    y = v.sum()
    for value in v:
        if value < 0:
            LOG.append("skipped")
            continue
        LOG.append(total(value))
        y = y * 2 + value
    else:
        LOG.append("else")
    return y, value


@hosted(V)
def return_from_a_loop_with_a_host_statement(v):
    for i, value in enumerate(v):
        k = total(value)
        if k < 0:
            return i, v * k
    return -1, v


@hosted(V)
def rows_of_a_tensor_looped_by_python(v):
    y = v
    for number in v.asnumpy().tolist():
        y = y + number
        if y.sum() > 20:
            y = y - total(y)
    return y, number


@hosted(X)
def loop_over_run_time_range(x):
    y = x
    for i in range(int(abs(total(x)))):
        y = y * 2 + i
        k = total(y)
    return y, k, i


@hosted(X, then=[(Tensor([0.0, 0.0]),), (Tensor([2, 2]),)])
def loop_that_never_turns(x):
    for i in range(int(x.asnumpy().max())):
        last = x * i
    else:
        LOG.append("else")
    try:
        return last, i
    except NameError as error:
        return str(error), x * 2


@hosted(N, then=NUMBERS)
def nested_loops_with_exits(n):
    seen = []
    for i in range(4):
        j = n * 0
        while j < n:
            j = j + 1
            if total(j) == 2 and i == 1:
                continue
            if i == 2:
                break
            seen.append((i, int(j)))
        else:
            seen.append(("else", i))
            continue
        seen.append(("break", i))
        if i > 1:
            break
    return n * len(seen), seen


@hosted(N, then=NUMBERS)
def return_through_two_loops_and_a_try(n):
    for i in range(3):
        try:
            for j in range(5):
                if passed(i * j, (i, j)) >= n:
                    return i, j
        finally:
            LOG.append("left")
    return n


@hosted(N, then=NUMBERS)
def accumulators_of_changing_type(n):
    y = 0
    for i in range(int(n)):
        y = y + n if i % 2 else y + total(n)
    return y, type(y).__name__


@hosted(X)
def loop_target_is_a_subscript_and_an_attribute(x):
    class Box:
        pass

    box, items = Box(), [None, None]
    for items[0], box.k in zip(x.asnumpy().tolist(), "ab"):
        LOG.append((items[0], box.k))
    return x * items[0], box


@hosted(X)
def loop_rebinds_what_it_iterates(x):
    items = [1.0, 2.0, 3.0]
    y = x
    for v in items:
        items = [total(y)]
        y = y * v
    return y, items


@hosted(N, then=NUMBERS)
def condition_with_effects(n):
    turns = []

    def more():
        turns.append(len(turns))
        return len(turns) <= int(n)

    y = n
    while more():
        y = y + 1
    return y, turns


@hosted(N, then=NUMBERS)
def walrus_in_a_loop_condition(n):
    y, seen = n * 1, []
    while (k := total(y)) < 30 and len(seen) < 10:
        seen.append(k)
        y = y * 2 + 1
    return y, k, seen


@hosted(N, then=NUMBERS)
def tensor_loop_around_and_behind_a_host_statement(n):
    i = n * 0
    while i < n:
        i = i + 1
    k = total(i)
    j = n * 0
    while j < k:
        j = j + 2
    return i, j, k


@hosted(V)
def infinite_iterators(v):
    counter, letters = itertools.count(int(total(v))), itertools.cycle("ab")
    y = v
    for i in counter:
        if i % 5 == 0:
            break
        y = y + i
        LOG.append(next(letters))
    return y, next(counter), next(letters)


@hosted(V)
def iterator_shared_by_two_loops(v):
    it = iter(v.asnumpy().tolist())
    y = v
    for first in it:
        y = y * first
        break
    for other in it:
        y = y + other
    return y, first, list(it)


@hosted(V)
def iterator_moved_in_an_arm(v):
    it = iter([1.0, 2.0, 3.0])
    if v.sum() > 0:
        next(it)
    y = v * next(it)
    if total(v) > 0:
        y = y + next(it)
    return y, next(it, "end")


@hosted(V)
def functions_made_in_a_loop_see_the_last_value(v):
    late, early = [], []
    for i in range(3):
        k = total(v) + i
        late.append(lambda: k + i)
        early.append(lambda k=k, i=i: k + i)
    return v * late[0](), [f() for f in late], [f() for f in early]


@hosted(N, then=NUMBERS)
def exception_ends_a_loop(n):
    done = []
    try:
        for i in range(5):
            done.append(i)
            done.append(10 // (int(n) - i))
            done.append("kept")
    except ZeroDivisionError as error:
        done.append(str(error))
    else:
        done.append("else")
    return n * len(done), done


@hosted(N, then=NUMBERS)
def exceptions_inside_the_turns(n):
    done = []
    for i in range(4):
        try:
            if passed(i, i) == n:
                raise ValueError(i)
            if i == 1:
                continue
            if i == 3:
                break
            done.append(i)
        except ValueError as error:
            done.append(error.args)
            continue
        finally:
            done.append("finally")
        done.append("end")
    return n, done


@hosted(V)
def arrays_written_in_a_loop(v):
    memory = np.zeros(4)
    for i, value in enumerate(v):
        memory[i] = value
        memory[: i + 1] += 1
        v = v + float(memory.sum())
    return v, memory


@hosted(N, then=NUMBERS)
def while_on_an_array(n):
    a = np.arange(4.0)
    while a.max() < n + 2:
        a = a * 1.5
        LOG.append(a.max())
    return n + float(a[1])


@hosted(N, then=NUMBERS)
def tensors_kept_from_every_turn(n):
    kept, y = [], n * 1.0
    for i in range(3):
        y = y + total(y) + i
        kept.append(y)
        y.add_(1.0)
    return kept, [k is y for k in kept]


@hosted(V)
def loop_over_generator_expression(v):
    values = (passed(k * 2, k) for k in v.asnumpy().tolist())
    y = v
    for k in values:
        if k > 5:
            break
        y = y + k
    LOG.append("out")
    return y, list(values)


@hosted(V)
def nested_loop_over_one_list_that_shrinks(v):
    queue = [(total(v), 0)]
    y = v
    while queue:
        value, depth = queue.pop()
        y = y + value
        if depth < 2:
            queue += [(value / 2, depth + 1), (value * 2, depth + 1)]
        LOG.append((value, depth, len(queue)))
    return y
