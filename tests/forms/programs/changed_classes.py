"""Methods that appear or are replaced between calls."""

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


@scene(S, strict=False)
def prop_appears():
    class C:
        def __init__(self):
            self.k = 2

    o = C()

    def f(x):
        return x * o.k

    def ch():
        C.k = property(lambda s: 9)

    return Scene(f, change=ch)


@scene(S, strict=False)
def method_on_instance():
    class C:
        def m(self):
            return 2

    o = C()

    def f(x):
        return x * o.m()

    def ch():
        o.m = lambda: 9

    return Scene(f, change=ch)


@scene(S, strict=False)
def base_method_replaced():
    class A:
        def m(self):
            return 2

    class B(A):
        def m(self):
            return super().m() * 10

    o = B()

    def f(x):
        return x * o.m()

    def ch():
        A.m = lambda s: 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def super_inserted():
    class A:
        def m(self):
            return 2

    class M(A):
        pass

    class B(M):
        def m(self):
            return super().m() * 10

    o = B()

    def f(x):
        return x * o.m()

    def ch():
        M.m = lambda s: 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def dunder_appears():
    class A:
        pass

    o = A()

    def f(x):
        return x * (2 if o else 3)

    def ch():
        A.__bool__ = lambda s: False

    return Scene(f, change=ch)


@scene(S, strict=False)
def eq_appears():
    class A:
        pass

    o = A()

    def f(x):
        return x * (2 if o == 3 else 3)

    def ch():
        A.__eq__ = lambda s, t: True

    return Scene(f, change=ch)


@scene(S, strict=False)
def len_changes():
    class A:
        def __len__(self):
            return 2

    o = A()

    def f(x):
        return x * len(o)

    def ch():
        A.__len__ = lambda s: 7

    return Scene(f, change=ch)


@scene(S, strict=False)
def getattr_appears():
    class A:
        pass

    o = A()

    def f(x):
        return x * getattr(o, "zz", 2)

    def ch():
        A.__getattr__ = lambda s, n: 7

    return Scene(f, change=ch)


@scene(S, strict=False)
def setattr_appears():
    log = []

    class A:
        pass

    o = A()

    def f(x):
        o.k = 3
        return x

    def s(self, n, v):
        log.append(n)
        object.__setattr__(self, n, v)

    def ch():
        A.__setattr__ = s

    return Scene(f, change=ch, watch=lambda: (list(log), vars(o)))


@scene(S, strict=False)
def init_replaced():
    class A:
        def __init__(self):
            self.k = 2

    def f(x):
        return x * A().k

    def i(self):
        self.k = 9

    def ch():
        A.__init__ = i

    return Scene(f, change=ch)


@scene(S, strict=False)
def new_appears():
    class A:
        k = 1

    def f(x):
        return x * A().k

    def n(cls):
        o = object.__new__(cls)
        o.k = 9
        return o

    def ch():
        A.__new__ = n

    return Scene(f, change=ch)


@scene(S, strict=False)
def partial_attr():
    p = functools.partial(abs)
    p.k = 2

    def f(x):
        return x * p.k

    def ch():
        p.k = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def partial_setstate():
    p = functools.partial(lambda a, b: a * b, 2)

    def f(x):
        return p(x)

    def ch():
        p.__setstate__((lambda a, b: a + b, (3,), {}, {}))

    return Scene(f, change=ch)


@scene(S, strict=False)
def slots_default_class():
    class C:
        __slots__ = ("a",)
        z = 5

    o = C()
    o.a = [1]

    def f(x):
        o.a.append(2)
        return x * o.z * len(o.a)

    def ch():
        C.z = 7

    return Scene(f, change=ch, watch=lambda: o.a)
