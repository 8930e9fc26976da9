"""Objects of Python's library that a program reads and changes: deques, arrays, heaps, kinds of dicts."""

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
def own_deque_in_branch(x):
    d = collections.deque([1])
    if x > 0:
        d.append(2)
    else:
        d.append(3)
    return x * len(d), list(d)


@scene(S, strict=False)
def outer_deque_in_branch():
    d = collections.deque([1])

    def f(x):
        if x > 0:
            d.append(2)
        else:
            d.append(3)
        return x * len(d)

    return Scene(f, watch=lambda: list(d))


@scene(S, strict=False)
def outer_deque_append():
    d = collections.deque([1])

    def f(x):
        d.append(2)
        return x * len(d)

    return Scene(f, watch=lambda: list(d))


@scene(S, strict=False)
def outer_deque_insert_tensor():
    d = collections.deque([1, 2])

    def f(x):
        d.insert(1, x * 2)
        return x * len(d)

    return Scene(f, watch=lambda: [float(item) for item in d])


@scene(S, strict=False)
def outer_deque_read():
    d = collections.deque([1])

    def f(x):
        return x * d[0] * len(d)

    return Scene(f, change=lambda: d.appendleft(7), watch=lambda: list(d))


@scene(S, strict=False)
def outer_ndarray_read():
    a = np.zeros(2)

    def f(x):
        return x + float(a.sum()) + len(a)

    def ch():
        a[0] = 4

    return Scene(f, change=ch)


@program(S)
def own_ndarray_straight(x):
    a = np.zeros(2)
    a += 1
    a[0] = 5
    a.sort()
    return x * float(a[1])


@program(S)
def ndarray_returned(x):
    a = np.zeros(2)
    return x, a


@program(S)
def deque_returned(x):
    return x, collections.deque([1, 2])


@program(S)
def heappush_in_branch(x):
    h = [5, 7]
    if x > 0:
        heapq.heappush(h, 1)
    else:
        heapq.heappush(h, 9)
    return x * h[0]


@scene(S, strict=False)
def outer_heappush():
    h = [5, 7]

    def f(x):
        heapq.heappush(h, 1)
        return x * heapq.heappop(h)

    return Scene(f, watch=lambda: h)


@program(S)
def list_append_unbound(x):
    h = [5, 7]
    if x > 0:
        list.append(h, 1)
    else:
        list.append(h, 9)
    return x * h[2]


@scene(S, strict=False)
def dict_setitem_unbound():
    h = {}

    def f(x):
        dict.__setitem__(h, "a", 3)
        dict.update(h, b=4)
        return x * dict.get(h, "a")

    return Scene(f, watch=lambda: dict(h))


@scene(S, strict=False)
def operator_setitem():
    h = [1, 2]

    def f(x):
        operator.setitem(h, 0, 9)
        operator.iadd(h, [3])
        return x * operator.getitem(h, 0)

    return Scene(f, watch=lambda: h)


@scene(S, strict=False)
def stored_bound_append():
    h = [1, 2]
    add = h.append

    def f(x):
        add(3)
        return x * len(h)

    return Scene(f, watch=lambda: h)


@scene(S, strict=False)
def bisect_insort():
    import bisect

    h = [1, 4]

    def f(x):
        if x > 0:
            bisect.insort(h, 2)
        return x * len(h)

    return Scene(f, watch=lambda: h)


@scene(S, strict=False)
def counter_in_branch():
    c = collections.Counter()

    def f(x):
        if x > 0:
            c["a"] += 1
        return x * c["a"]

    return Scene(f, watch=lambda: dict(c))


@scene(S, strict=False)
def counter_update():
    c = collections.Counter()

    def f(x):
        c.update("ab")
        return x * c["a"]

    return Scene(f, watch=lambda: dict(c))


@scene(S, strict=False)
def defaultdict_in_branch():
    c = collections.defaultdict(list)

    def f(x):
        if x > 0:
            c["a"].append(1)
        return x * len(c["a"])

    return Scene(f, watch=lambda: dict(c))


@program(S)
def own_defaultdict(x):
    c = collections.defaultdict(list)
    c["a"].append(x)
    c["b"].append(x * 2)
    return c["a"][0] + c["b"][0]


@scene(S, strict=False)
def ordereddict_move():
    c = collections.OrderedDict(a=1, b=2)

    def f(x):
        c.move_to_end("a")
        return x * list(c.values())[0]

    return Scene(f, watch=lambda: list(c.items()))


@scene(S, strict=False)
def set_add_outer():
    s = {1}

    def f(x):
        set.add(s, 4)
        s.add(5)
        return x * len(s)

    return Scene(f, watch=lambda: sorted(s))


@scene(S, strict=False)
def bytearray_read():
    b = bytearray(b"ab")

    def f(x):
        return x * b[0] * len(b)

    def ch():
        b[0] = 1

    return Scene(f, change=ch)


@scene(S, strict=False)
def array_read():
    b = array.array("i", [1, 2])

    def f(x):
        return x * b[0]

    def ch():
        b[0] = 7

    return Scene(f, change=ch)
