"""Objects, classes and iterators that a program changes on one path or by way of another."""

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


class P:
    def __init__(self):
        self.a = 1


@scene(S, strict=False)
def subclass_list_attr():
    class L(list):
        pass

    l = L([1, 2])
    l.k = 3

    def f(x):
        return x * l.k * len(l) + l[0]

    def ch():
        l.k = 5
        l.append(9)

    return Scene(f, change=ch)


@scene(S, strict=False)
def tuple_subclass_attr():
    class T(tuple):
        pass

    t = T((1, 2))
    t.k = 3

    def f(x):
        return x * t.k * t[0]

    def ch():
        t.k = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def int_subclass():
    class I(int):
        def __add__(self, o):
            return 100

    i = I(3)

    def f(x):
        return x * (i + 1), i * 2

    return Scene(f)


@scene(S, strict=False)
def str_subclass():
    class T(str):
        def upper(self):
            return "zz"

        def __len__(self):
            return 10

    t = T("abc")

    def f(x):
        return x * len(t), t.upper(), t + "d"

    return Scene(f)


@scene(S, strict=False)
def exception_attr():
    class E(Exception):
        def __init__(self, m, k):
            super().__init__(m)
            self.k = k

    def f(x):
        try:
            raise E("a", 3)
        except E as e:
            return x * e.k, str(e), e.args

    return Scene(f)


@scene(S, strict=False)
def global_counter_class():
    class C:
        count = 0

        def __init__(self):
            C.count += 1
            self.id = C.count

    def f(x):
        a, b = C(), C()
        return x * a.id + b.id

    return Scene(f, watch=lambda: C.count)


@scene(S, strict=False)
def class_attr_branch():
    class C:
        k = 1

    def f(x):
        if x > 0:
            C.k = 5
        return x * C.k * C().k

    return Scene(f, watch=lambda: C.k)


@scene(S, strict=False)
def func_attr_branch():
    def g():
        pass

    g.k = 1

    def f(x):
        if x > 0:
            g.k = 7
        return x * g.k

    return Scene(f, watch=lambda: g.k)


@scene(S, strict=False)
def func_attr_branch_new():
    def g():
        pass

    def f(x):
        if x > 0:
            g.k = 7
        return x

    return Scene(f, watch=lambda: vars(g))


@scene(S, strict=False)
def vars_update_branch():
    o = P()

    def f(x):
        if x > 0:
            vars(o).update(a=7, b=2)
        return x * o.a

    return Scene(f, watch=lambda: vars(o))


@scene(S, strict=False)
def del_attr_branch():
    o = P()

    def f(x):
        if x > 0:
            del o.a
        return x

    return Scene(f, watch=lambda: vars(o))


@scene(S, strict=False)
def deque_arg():
    def f(x, d):
        d.append(x)
        return d[0], len(d)

    return Scene(lambda x: f(x, collections.deque([1], 2)))


@program(
    S,
    collections.deque([1, 2]),
    then=[(S, collections.deque([1, 2], 2)), (S, collections.deque([1, 2, 3]))],
    strict=False,
)
def deque_argument(x, d):
    d.append(3)
    return x * d[0], len(d)


@scene(S, strict=False)
def deque_of_tensors():
    h = collections.deque(maxlen=3)

    def f(x):
        h.append(x * 1)
        return sum(h)

    return Scene(f, watch=lambda: list(h))


@scene(S, strict=False)
def nested_outer():
    o = P()
    o.inner = P()
    o.inner.q = collections.deque([1])
    o.d = {"k": [P()]}

    def f(x):
        o.inner.q.append(2)
        o.d["k"][0].a += 1
        return x * len(o.inner.q) * o.d["k"][0].a

    return Scene(f, watch=lambda: (list(o.inner.q), o.d["k"][0].a))


@scene(S, strict=False)
def property_setter_outer():
    log = []

    class C:
        def __init__(self):
            self._k = 1

        @property
        def k(self):
            return self._k

        @k.setter
        def k(self, v):
            log.append(v)
            self._k = v * 2

    o = C()

    def f(x):
        o.k = 3
        o.k += 1
        return x * o.k

    return Scene(f, watch=lambda: (list(log), o._k))


@program(S)
def lambda_default_late(x):
    fs = [lambda: i for i in range(3)]
    gs = [lambda i=i: i for i in range(3)]
    return x, [f() for f in fs], [g() for g in gs]


@program(S)
def nested_gens(x):
    data = [1, 2, 3]
    g1 = (v * 2 for v in data)
    g2 = (v + 1 for v in g1 if v != 4)
    data.append(4)
    return x, list(g2), list(g1)


@program(S)
def map_mutation(x):
    data = [1, 2]
    m = map(lambda v: v * k, data)
    k = 5
    data.append(3)
    return x, list(m)


@program(S)
def zip_tail(x):
    a, b = iter([1, 2, 3]), iter([1])
    z = list(zip(a, b))
    return x, z, list(a), list(b)


@program(S)
def min_iter(x):
    it = iter([3, 1, 2])
    return (
        x,
        min(it),
        list(it),
        sorted(iter([2, 1])),
        sum(iter([1, 2])),
        "".join(iter("ab")),
        tuple(iter("ab")),
        set(iter([1])),
    )


@program(S)
def dict_iter_mut(x):
    d = {"a": 1, "b": 2}
    for k in list(d):
        del d[k]
    it = iter(d)
    return x, len(d), list(it)


@program(S)
def dict_iter_mut2(x):
    d = {"a": 1, "b": 2}
    try:
        for k in d:
            del d[k]
    except RuntimeError as e:
        return x, str(e), d
    return x


@program(X)
def tensor_iter(x):
    it = iter(x)
    a = next(it)
    return a, [v * 2 for v in it], list(zip(x, x[1:]))
