"""Lists, tuples, texts and bytes that cross host statements: one object stays one object, each change is made once."""

import bisect
import collections
import heapq
import random

import numpy as np
from hosting import LOG, hosted, hosted_scene, log, passed, total
from program import Call, Raises, Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
N = Tensor(2)
PLACES = [(Tensor(0),), (Tensor(-1),), (Tensor(9),)]


@hosted(X)
def alias_across_a_host_statement(x):
    items = [x]
    alias = items
    n = total(x)
    items.append(n)
    alias.append(x * n)
    return items, alias is items, len(alias)


@hosted(X)
def list_inside_a_list_inside_a_dict(x):
    inner = [1.0]
    held = {"a": [inner, inner], "b": inner}
    held["a"][0].append(total(x))
    inner.append(x)
    held["b"][0] = total(x * 2)
    return held, held["a"][1] is inner


@hosted([1.0], X, then=[Call([1, 2], X), Call([], X), Call(["a", None], Tensor([3]))])
def list_argument_changed_before_and_after(items, x):
    items.append("before")
    n = total(x)
    items.append(n)
    items[0] = "changed"
    return items, x * len(items)


@hosted_scene(X)
def one_list_passed_twice():
    held = [0.0]

    def both(left, right, x):
        left.append(total(x))
        right.append(x)
        return left is right, len(left)

    def f(x):
        return both(held, held, x), both([1], [2], x), x * len(held)

    return Scene(f, held.clear, lambda: held)


@hosted_scene(X)
def global_list_sorted_in_place():
    values = [3.0, 1.0, 2.0]

    def f(x):
        values.append(total(x))
        values.sort(reverse=True)
        y = x * values[0]
        values.reverse()
        return y + values[0], values

    return Scene(f, lambda: values.clear(), lambda: values)


@hosted(X)
def every_method_with_run_time_data(x):
    items = x.asnumpy().tolist()
    items.insert(1, total(x))
    items.extend(v for v in (7.0, total(x)))
    items.remove(total(x))
    popped = items.pop(1)
    items += (popped, "end")
    return items, items.count(popped), items.index("end"), items.copy() is items, x * popped


@hosted(N, then=PLACES)
def insertion_and_removal_at_a_run_time_place(n):
    items = [10, 20, 30]
    items.insert(int(n), 9)
    y = n * len(items)
    items.pop(int(n))
    return y, items


@hosted(N, then=PLACES)
def failed_removal_leaves_the_list(n):
    items = [1, 2, 3]
    kept = []
    try:
        kept.append("tried")
        kept.append(items.pop(int(n)))
        kept.append("popped")
    except IndexError as error:
        kept.append(str(error))
    return items, kept, n * len(kept)


@hosted(N, then=PLACES)
def slices_by_run_time_numbers(n):
    items = list(range(6))
    k = int(n)
    alias = items
    items[k:] = "ab"
    y = n + len(items)
    items[1:1] = [k] * 2
    del items[: k - 1]
    return y, items, alias is items, items[::-1][:k]


@hosted(X)
def slice_assigned_from_a_generator(x):
    items = [0, 0, 0]
    items[1:2] = (v * 2 for v in x.asnumpy().tolist())
    items[::2] = [x, total(x)]
    return items


@hosted(X)
def extended_slice_that_does_not_fit(x):
    items = [0, 0, 0, 0]
    try:
        items[0] = total(x)
        items[::2] = x.asnumpy().tolist() + [1]
    except ValueError as error:
        log(str(error))
    return items, x * items[0]


@hosted(X)
def sort_by_a_key_of_host_values(x):
    values = x.asnumpy().tolist()
    items = [("b", values[0]), ("a", values[1]), ("c", values[0])]
    calls = []

    def key(item):
        calls.append(item[0])
        return -item[1]

    items.sort(key=key)
    return x * items[0][1], items, calls


@hosted(X)
def sort_whose_key_raises(x):
    items = [3.0, total(x), "text"]
    try:
        items.sort()
    except TypeError as error:
        log(type(error).__name__)
    return len(items), x * 2


@hosted(N, then=[(Tensor(0),), (Tensor(5),)])
def list_that_grows_in_a_tensor_loop(n):
    found, i = [], 0
    while i < n:
        found.append(i * 2)
        i += 1
    return found, n + len(found)


@hosted(N, then=[(Tensor(0),), (Tensor(5),)])
def list_that_grows_and_is_asked(n):
    found, i = [], n * 0
    while len(found) < 4 and i < n:
        found.append(i)
        i = i + 1
    return found, i


@hosted(X)
def list_changed_while_it_is_iterated(x):
    items = [1.0, 2.0]
    y = x
    for value in items:
        y = y * value
        if len(items) < 5:
            items.append(total(x))
    return y, items


@hosted(X)
def two_names_of_one_list_or_of_two(x):
    if x.sum() > 0:
        first = [x]
        second = first
    else:
        first, second = [x], [x]
    n = total(x)
    first.append(n)
    return first, second, first is second


@hosted(X)
def tuples_hold_what_they_held(x):
    items = [total(x)]
    pair = (items, x)
    items.append(1)
    pair[0].append(pair[1] is x)
    try:
        pair[0] += [2]
    except TypeError as error:
        log(str(error))
    return pair, items is pair[0]


@hosted(X)
def sorted_reversed_and_compared(x):
    v = x.asnumpy().tolist()
    t = tuple(sorted(v))
    return t, tuple(reversed(v)), t < (1.5,), v == list(t), max(v, t[::-1], key=len) is v, x + t[0]


@hosted(X)
def list_that_holds_itself(x):
    items = [total(x)]
    items.append(items)
    items[1][1].append(x)
    return items, items[1] is items, len(items)


@hosted(X)
def default_argument_is_one_list(x):
    def f(value, seen=[]):
        seen.append(total(value))
        return seen

    first = f(x)
    y = x * len(first)
    second = f(y)
    return y, first is second, second, f.__defaults__[0] is first


SHARED = []


def keeping(value, seen=SHARED, *, table={}):
    seen.append(total(value))
    table[len(seen)] = value
    return len(table)


@hosted_scene(X)
def default_of_a_function_outside():
    SHARED.clear()
    keeping.__kwdefaults__["table"].clear()
    return Scene(lambda x: x * keeping(x) + keeping(x * 2), watch=lambda: (SHARED, keeping.__kwdefaults__))


@hosted(X)
def comprehensions_with_host_calls(x):
    doubled = [passed(v * 2, v) for v in x.asnumpy().tolist() if total(x) > 0]
    pairs = {str(i): (i, j) for i in range(2) for j in range(i + 1) if passed(True, (i, j))}
    kinds = {int(v) % 2 for v in x.asnumpy()}
    return doubled, pairs, kinds, [x * total(x) for _ in range(2)]


@hosted(X)
def names_of_comprehensions_stay_inside(x):
    i = "outer"
    squares = [i * total(x) for i in range(3)]
    last = [j := i for i in range(3) if total(x) or True]
    return x * squares[2], i, j, last


@hosted(X)
def nested_comprehension_with_tensors(x):
    rows = [[x * i + total(x) * j for j in range(2)] for i in range(2)]
    flat = [item for row in rows for item in row]
    return flat, rows[1][1] is flat[3]


@hosted(X)
def comprehension_that_raises_in_the_middle(x):
    seen = []
    try:
        made = [seen.append(v) or 1 / v for v in (2.0, total(x) * 0, 4.0)]
    except ZeroDivisionError as error:
        made = str(error)
    return made, seen, x * len(seen)


@hosted(X)
def deque_of_the_program(x):
    d = collections.deque([1.0, x], maxlen=3)
    d.append(total(x))
    d.appendleft(x * 2)
    d.rotate(1)
    y = x * len(d)
    d.extend([5, 6])
    return y, d, d.popleft(), d.maxlen


@hosted_scene(X)
def deque_of_the_outside_moves():
    window = collections.deque([0.0], maxlen=3)

    def f(x):
        window.append(total(x))
        y = x * sum(window)
        if x.sum() > 0:
            window.rotate(1)
        else:
            window.appendleft(total(y))
        return y + window[0]

    return Scene(f, window.clear, lambda: window)


@hosted(X)
def heaps_and_bisection(x):
    heap = x.asnumpy().tolist() + [5.0, -7.0]
    heapq.heapify(heap)
    y = x * heapq.heappop(heap)
    heapq.heappush(heap, total(y))
    ordered = sorted(heap)
    bisect.insort(ordered, 1.5)
    return y, heap, ordered, bisect.bisect(ordered, total(x))


@hosted(X)
def shuffled_with_a_seed(x):
    chance = random.Random(int(total(x)))
    items = list(range(6))
    chance.shuffle(items)
    return x * items[0], items, chance.choice("abc"), chance.sample(range(100), 2)


@hosted(X)
def text_methods_on_run_time_texts(x):
    text = ",".join(f"{v:+.2f}" for v in x.asnumpy())
    parts = text.split(",")
    table = str.maketrans("+.", "p_")
    return (
        text.translate(table),
        parts[0].strip("+"),
        text.partition(","),
        [p.zfill(7) for p in parts],
        text.replace("0", "o", 2).title().center(20, "*"),
        text.startswith("+"),
        x * text.count("0"),
    )


@hosted(X)
def bytes_and_their_views(x):
    data = bytearray(x.asnumpy().astype(np.int8).tobytes())
    view = memoryview(data)
    view[0] = 65
    text = bytes(data)
    data[1:] = b"z"[:1]
    try:
        data.append(1)
    except BufferError as error:
        log(type(error).__name__)
    view.release()
    data.append(66)
    return text[:1], data, text.hex()[:2], x * data[0], b"%d" % len(data)


@hosted(X)
def text_in_branches(x):
    name = "pos" if x.sum() > 0 else "negative"
    y = x * len(name)
    name = name.upper() + str(int(total(x)))
    if name.startswith("POS"):
        y = y + 1
    return y, name


@hosted(X, expect=Raises(IndexError))
def index_error_after_writes(x):
    items = [x]
    items.append(total(x))
    LOG.append(items)
    items[0] = "written"
    items[7] = x
    items[0] = "never"
    return items


@hosted([[1.0], [2.0]], X)
def nested_argument_lists(rows, x):
    for row in rows:
        row.append(total(x) + row[0])
    rows.append(rows[0])
    rows[2][0] = x
    return rows


@hosted_scene(X)
def list_returned_then_changed_by_the_next_call():
    held = []

    def f(x):
        fresh = [total(x), x * 2]
        held.append(fresh)
        if len(held) > 1:
            held[-2].append("late")
        return fresh

    return Scene(f, watch=lambda: held)
