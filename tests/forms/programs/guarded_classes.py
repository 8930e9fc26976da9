"""Attributes of classes and metaclasses that change between calls, or are changed by the program."""

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
def metaclass_property():
    class M(type):
        @property
        def k(cls):
            return cls._k * 2

    class C(metaclass=M):
        _k = 2

    def f(x):
        return x * C.k

    def ch():
        C._k = 9

    return Scene(f, change=ch)


@scene(S, strict=False)
def metaclass_attribute():
    class M(type):
        k = 3

    class C(metaclass=M):
        pass

    def f(x):
        return x * C.k

    def ch():
        M.k = 9

    return Scene(f, change=ch)


@scene(S, strict=False)
def metaclass_attribute_shadowed():
    class M(type):
        k = 3

    class C(metaclass=M):
        pass

    def f(x):
        return x * C.k

    def ch():
        C.k = 9

    return Scene(f, change=ch)


@scene(S, strict=False)
def metaclass_method():
    class M(type):
        def k(cls):
            return cls.v

    class C(metaclass=M):
        v = 3

    def f(x):
        return x * C.k()

    def ch():
        M.k = lambda cls: 8

    return Scene(f, change=ch)


@scene(S, strict=False)
def classmethod_replaced():
    class C:
        @classmethod
        def k(cls):
            return 3

    def f(x):
        return x * C.k()

    def ch():
        C.k = classmethod(lambda cls: 7)

    return Scene(f, change=ch)


@scene(S, strict=False)
def classmethod_replaced_on_instance():
    class C:
        @classmethod
        def k(cls):
            return 3

    c = C()

    def f(x):
        return x * c.k()

    def ch():
        C.k = classmethod(lambda cls: 7)

    return Scene(f, change=ch)


@scene(S, strict=False)
def staticmethod_replaced():
    class C:
        @staticmethod
        def k():
            return 3

    c = C()

    def f(x):
        return x * c.k() * C.k()

    def ch():
        C.k = staticmethod(lambda: 7)

    return Scene(f, change=ch)


@scene(S, strict=False)
def property_replaced():
    class C:
        @property
        def k(self):
            return 3

    c = C()

    def f(x):
        return x * c.k

    def ch():
        C.k = property(lambda self: 7)

    return Scene(f, change=ch)


@scene(S, strict=False)
def simplenamespace():
    t = types.SimpleNamespace(k=2)

    def f(x):
        t.k += 1
        return x * t.k

    def ch():
        t.k = 10

    return Scene(f, change=ch, watch=lambda: t.k)


@program(S)
def own_simplenamespace(x):
    t = types.SimpleNamespace(k=2, v=x)
    if x > 0:
        t.k = 3
    t.v = t.v * t.k
    return t.v


@scene(S, strict=False)
def setdefault_side():
    seen = {}

    def f(x):
        seen.setdefault("a", []).append(1)
        return x * len(seen["a"])

    return Scene(f, watch=lambda: seen)


@scene(S, strict=False)
def class_attribute_written():
    class C:
        n = 0

    def f(x):
        C.n += 1
        return x * C.n

    return Scene(f, watch=lambda: C.n)


@scene(S, strict=False)
def class_attribute_written_read_by_instance():
    class C:
        n = 0

    c = C()

    def f(x):
        C.n += 1
        return x * c.n

    return Scene(f, watch=lambda: C.n)


@scene(S, strict=False)
def type_self_counter():
    class C:
        n = 0

        def __init__(self):
            type(self).n += 1

    def f(x):
        c = C()
        return x * c.n

    return Scene(f, watch=lambda: C.n)


@scene(S, strict=False)
def class_list_appended():
    class C:
        items = []

    c = C()

    def f(x):
        c.items.append(1)
        return x * len(C.items)

    return Scene(f, watch=lambda: C.items)
