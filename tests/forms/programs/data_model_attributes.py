"""Special methods of attributes, and descriptors."""

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


class GAt:
    def __getattr__(self, n):
        note("getattr", n)
        return len(n)


@noted
def attribute_getattr(x):
    o = GAt()
    o.z = 1
    return x * o.abc * o.z, hasattr(o, "q"), getattr(o, "ww", 0)


class SA:
    def __setattr__(self, n, v):
        note("set", n)
        object.__setattr__(self, n, v * 2)

    def __delattr__(self, n):
        note("del", n)
        super().__delattr__(n)


@noted
def attribute_setattr(x):
    o = SA()
    o.k = x
    del_ok = hasattr(o, "k")
    v = o.k
    del o.k
    return v, del_ok, hasattr(o, "k")


@scene(S, strict=False)
def attribute_setattr_outer():
    NOTES.clear()
    o = SA()

    def f(x):
        o.k = 3
        return x * o.k

    return Scene(f, watch=lambda: (list(map(str, NOTES)), o.__dict__))


class SetProp:
    def __setattr__(self, n, v):
        note("set", n)
        super().__setattr__(n, v)

    @property
    def p(self):
        note("get p")
        return self._p

    @p.setter
    def p(self, v):
        note("set p")
        self._p = v

    @p.deleter
    def p(self):
        note("del p")
        del self._p


@noted
def attribute_prop(x):
    o = SetProp()
    o.p = 2
    r = o.p
    del o.p
    return x * r, hasattr(o, "_p")


class Desc:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, i, o=None):
        note("dget")
        return self if i is None else i.__dict__.get(self.n, 1)

    def __set__(self, i, v):
        note("dset")
        i.__dict__[self.n] = v

    def __delete__(self, i):
        note("ddel")
        del i.__dict__[self.n]


class UsesDesc:
    d = Desc()


@noted
def attribute_desc(x):
    o = UsesDesc()
    a = o.d
    o.d = 4
    b = o.d
    del o.d
    return x * a * b * o.d, isinstance(UsesDesc.d, Desc)


class NonData:
    def __get__(self, i, o=None):
        note("nget")
        return 5


class UsesNonData:
    d = NonData()


@noted
def attribute_nondata(x):
    o = UsesNonData()
    a = o.d
    o.d = 2
    return x * a * o.d


class CP:
    n = 0

    @functools.cached_property
    def v(self):
        note("cp")
        return 4


@noted
def attribute_cached(x):
    o = CP()
    return x * o.v * o.v, "v" in o.__dict__


@scene(S, strict=False)
def attribute_cached_outer():
    NOTES.clear()
    o = CP()

    def f(x):
        return x * o.v

    return Scene(f, watch=lambda: (list(map(str, NOTES)), dict(o.__dict__)))


class PM:
    def m(self, a, b):
        return a - b

    sub = functools.partialmethod(m, 10)


@noted
def attribute_partialmethod(x):
    return x * PM().sub(3)


class SDM:
    @functools.singledispatchmethod
    def f(self, a):
        return 1

    @f.register
    def _(self, a: int):
        return 2


@noted
def attribute_sdm(x):
    return x * SDM().f(3) * SDM().f("a")


class MetaGA(type):
    def __getattr__(cls, n):
        note("mga", n)
        return 6


class UsesMGA(metaclass=MetaGA):
    pass


@noted
def attribute_metagetattr(x):
    return x * UsesMGA.zzz


@scene(S, strict=False)
def two_slots_classes():
    class A:
        __slots__ = ("a",)

    class B(A):
        __slots__ = ("b", "__dict__")

    o = B()
    o.a = 1
    o.b = 2
    o.c = 3

    def f(x):
        o.a += 1
        o.b += 1
        o.c += 1
        return x * o.a * o.b * o.c

    return Scene(f, watch=lambda: (o.a, o.b, o.c))
