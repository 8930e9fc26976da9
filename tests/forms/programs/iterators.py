"""Iterators give their elements when they are asked for, one by one."""

import abc
import array
import bisect
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import types
import typing

import numpy as np
from noting import NOTES, note, noted
from program import Scene, program, scene

from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0, 3.0])
S = Tensor(5.0)


@program(S)
def any_short(x):
    log = []

    def g(v):
        log.append(v)
        return v > 1

    r = any(g(v) for v in [1, 2, 3])
    return x * r, log


@program(S, strict=False)
def any_short_tensor(x):
    log = []

    def g(v):
        log.append(v)
        return x > v

    r = any(g(v) for v in [7, 2, 3])
    return x * 2 if r else x, len(log)


@program(S, strict=False)
def any_leaves_iterators_that_are_held_elsewhere(x):
    class Holder:
        pass

    named = (v for v in [1, 2, 3, 4])
    listed = [v for v in [0]]
    listed.append(v for v in [1, 2, 3, 4])
    paired = (iter([1, 2, 3, 4]), "second")
    holder = Holder()
    holder.held = iter([1, 2, 3, 4])
    source = iter([1, 2, 3, 4])
    mapped = map(lambda v: v * 2, source)
    kept = {"zip": zip(source, [7, 8, 9])}

    def ask():
        return any(v > 1 for v in named)

    if x > 0:
        found = (
            ask(),
            any(v > 1 for v in listed[1]),
            any(v > 1 for v in paired[0]),
            any(v > 1 for v in holder.held),
            any(v > 2 for v in mapped),
        )
    else:
        found = (all(v > 1 for v in named),)
    left = [next(named), next(listed[1]), next(paired[0]), next(holder.held), next(source)]
    return x * 2, found, left, list(kept["zip"])


@program(S)
def all_short_print(x):
    def g(v):
        print("g", v)
        return x > v

    return all(g(v) for v in [1, 7, 3]), any(g(v) for v in [7, 2, 3])


@program(S)
def next_gen(x):
    return x * next(6 // k for k in [2, 0, 1])


@program(S)
def late_binding(x):
    k = 1
    g = (k * v for v in [1, 2])
    k = 10
    return x * sum(g)


@program(S)
def late_binding_first(x):
    k = [1, 2]
    g = (v for v in k)
    k = [5]
    return x * sum(g)


@program(S)
def break_keeps(x):
    it = iter([1, 2, 3, 4])
    for v in it:
        if v == 2:
            break
    return x * sum(it)


@program(S)
def zip_same(x):
    it = iter([1, 2, 3, 4])
    return [a * b * x for a, b in zip(it, it)]


@program(S)
def walrus_any(x):
    any((last := v) > 2 for v in [1, 2, 3, 4, 5])
    return x * last


@program(S)
def next_in_branch(x):
    it = iter([1, 2, 3])
    if x > 0:
        a = next(it)
    else:
        a = 5
    return x * a


@program(S)
def next_in_both(x):
    it = iter([1, 2, 3])
    if x > 0:
        a = next(it)
    else:
        a = next(it) * 10
    return x * a * next(it)


@program(S)
def for_iter_data_break(x):
    it = iter([1, 2, 3, 4])
    for v in it:
        x = x + v
        if x > 7:
            break
    return x


@program(S)
def map_lazy(x):
    log = []

    def f(v):
        log.append(v)
        return v

    m = map(f, [1, 2, 3])
    a = next(m)
    return x * a, list(log)


@program(S)
def zip_order(x):
    log = []

    def f(n):
        for_ = iter(range(n))
        return map(lambda v: log.append((n, v)) or v, for_)

    r = list(zip(f(3), f(2)))
    return x, r, log


@program(S)
def iter_sentinel(x):
    h = [1, 2, 0, 5]
    return x, list(iter(lambda: h.pop(0), 0)), h


@program(S)
def dict_grows(x):
    d = {"a": 1}
    for k in d:
        d[k + "b"] = 1
    return x


@program(S)
def dict_grows_comp(x):
    d = {"a": 1}
    return x, [d.setdefault(k + "b", 1) for k in d]


@program(S)
def set_grows(x):
    d = {1}
    for k in d:
        d.add(k + 1)
    return x


@program(S)
def list_grows(x):
    d = [1]
    for k in d:
        if k < 5:
            d.append(k + 1)
    return x * len(d)


@program(S)
def dict_items_view(x):
    d = {"a": 1}
    v = d.items()
    d["b"] = 2
    return x, list(v), len(v)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(S)
def user_iterator_break(x):
    c = Countdown(5)
    for v in c:
        if v == 3:
            break
    return x * c.n, list(c)


@program(S)
def user_iterator_zip(x):
    c = Countdown(5)
    return x, list(zip(c, c)), c.n


class Forever:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        return self.n


@program(S)
def infinite(x):
    for v in Forever():
        if v > 4:
            break
    return x * v


@program(S)
def gen_exhausted(x):
    g = (v * x for v in [1, 2])
    a = list(g)
    return a, list(g), next(g, None)


@program(S)
def gen_raises(x):
    g = (1 // v for v in [1, 0, 2])
    out = []
    try:
        for v in g:
            out.append(v)
    except ZeroDivisionError:
        out.append("z")
    return x, out, list(g)


@program(S)
def stop_iteration(x):
    it = iter([])
    try:
        next(it)
    except StopIteration:
        return x * 2
    return x


@program(S)
def in_iterator(x):
    it = iter([1, 2, 3, 4])
    return x, 2 in it, list(it)


@program(S)
def unpack_iterator(x):
    it = iter([1, 2, 3])
    a, *b = it
    c, d = map(lambda v: v * 2, [1, 2])
    return x * a, b, c, d


@program(S)
def nested_gen(x):
    return (
        x,
        [list(b for b in range(a)) for a in range(3)],
        list((a, b) for a in range(3) for b in range(a) if b != 1),
    )


@program(S, strict=False)
def gen_conditional_tensor(x):
    return [v * x for v in [1, -1, 2] if x * v > 0]


@program(S, strict=False)
def sum_gen_conditional_tensor(x):
    return sum([v * x for v in [1, -1, 2] if x * v > 0])


@program(S)
def iter_shared_in_loop(x):
    it = iter([1, 2, 3, 4, 5, 6])
    out = []
    for a in it:
        out.append((a, next(it)))
    return x, out


@program(S)
def call_next_method(x):
    it = iter([1, 2])
    return x * it.__next__()


def _changed_while_iterated(make, change, limit=6):
    """A scene that calls `change(container, member)` for each member of a container from outside."""
    container = make()

    def program(x):
        total = 0
        for count, member in enumerate(_each(container)):
            change(container, member)
            total = total * 3 + count
            if count > limit:
                break
        return x * total

    def restore():
        container.clear()
        (container.update if hasattr(container, "update") else container.extend)(make())

    return Scene(program, restore, lambda: container)


def _each(container):
    return container


@scene(S, strict=False)
def values_of_a_dict_are_those_of_their_moment():
    table = {"a": 1, "b": 2, "c": 3}

    def program(x):
        total = 0
        for _, value in table.items():
            table["c"] = 50
            total += value
        for value in table.values():
            table.update(b=7)
            total = total * 2 + value
        for key in reversed(table):
            table["a"] = 9
            total = total * 2 + table[key]
        iterator = iter(table.values())
        first = next(iterator)
        table["b"] = 100
        return x * total, first, next(iterator), [v for v in reversed(table.values())]

    return Scene(program, watch=lambda: table)


@scene(S, strict=False)
def an_ordered_dict_that_loses_its_last_key_while_it_is_iterated():
    return _changed_while_iterated(
        lambda: collections.OrderedDict(a=1, b=2), lambda held, key: held.pop("b") if key == "b" else None
    )


@scene(S, strict=False)
def an_ordered_dict_that_loses_a_key_while_it_is_iterated():
    return _changed_while_iterated(lambda: collections.OrderedDict(a=1, b=2), lambda held, key: held.pop(key))


@scene(S, strict=False)
def an_ordered_dict_whose_keys_are_moved_while_it_is_iterated():
    return _changed_while_iterated(
        lambda: collections.OrderedDict(a=1, b=2), lambda held, key: held.move_to_end(key)
    )


@scene(S, strict=False)
def a_dict_whose_keys_are_replaced_while_it_is_iterated():
    def replace(held, key):
        held.pop(key)
        held[key * 2] = 1

    return _changed_while_iterated(lambda: {"a": 1, "b": 2}, replace)


@scene(S, strict=False)
def a_deque_that_is_changed_and_changed_back_while_it_is_iterated():
    held = collections.deque([1, 2])

    def program(x):
        for member in held:
            held.append(member)
            held.pop()
        return x

    return Scene(program, watch=lambda: held)


@scene(S, strict=False)
def a_deque_whose_members_are_written_while_it_is_iterated():
    def write(held, member):
        held[-1] = 7

    return _changed_while_iterated(lambda: collections.deque([1, 2]), write)


@scene(S, strict=False)
def a_set_whose_members_are_replaced_while_it_is_iterated():
    def replace(held, member):
        held.discard(member)
        held.add(member + 10)

    return _changed_while_iterated(lambda: {1, 2}, replace)


@scene(S, then=[(Tensor(-1.0),)], strict=False)
def a_dict_from_outside_is_iterated_by_python_while_a_graph_writes_its_values():
    table, queue = collections.OrderedDict(a=1.0, b=2.0), collections.deque([1, 2])

    def program(x):
        total = x * 0
        for key in table:
            table[key] = float(np.float32(x.asnumpy()) + table[key])
            total = total + table[key]
        for place, value in enumerate(queue):
            queue[place] = value + int(x.asnumpy() > 0)
            total = total + queue[place]
        return total

    return Scene(program, watch=lambda: (table, queue))


@scene(S, then=[(Tensor(-1.0),)], strict=False)
def keys_are_moved_where_data_says_so():
    table = collections.OrderedDict(a=1.0, b=2.0)

    def program(x):
        if x > 0:
            table.move_to_end("a")
        return x * table["b"], list(table)

    return Scene(program, watch=lambda: table)


def _set_with_a_past():
    made = {8, 0, 16, 24, 1}
    made.discard(0)
    return made


@scene(S, strict=False)
def members_of_sets_from_outside_come_in_their_own_order():
    held, frozen, words = _set_with_a_past(), frozenset((8, 0)), set("abcdefgh")

    def program(x):
        total = 0
        for member in held:
            total = total * 30 + member
        for member in frozen:
            total = total * 30 + member
        return x * total, list(words), [*held], tuple(frozen), 8 in held

    return program


@scene(S, then=[(Tensor(-1.0),)], strict=False)
def members_taken_from_a_set_are_those_that_python_takes():
    held = {1, 2, 5}

    def program(x):
        taken = held.pop()
        if x > 0:
            held.add(taken)
        return x * taken, taken

    return Scene(program, lambda: held.update({1, 9}), lambda: list(held))


@scene(X, strict=False)
def iterators_over_a_list_from_outside_see_its_changes():
    held = [1, 2]

    def after(result, x):
        held.append(9)
        elements = [list(each) for each in result[1:]]
        held.pop()
        return elements

    return Scene(lambda x: (x * 2, enumerate(held), zip(held, range(9)), iter(held)), after=after)


@scene(X, strict=False)
def a_list_from_outside_grows_while_it_is_enumerated():
    held = [1, 2]

    def f(x):
        count = 0
        for _ in enumerate(held):
            if x.sum() > -1:
                held.append(5)
                count = count + 7
                if len(held) > 6:
                    break
        del held[2:]
        return x * count

    return Scene(f, watch=lambda: held)
