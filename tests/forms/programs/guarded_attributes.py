"""Attributes that change between calls: of functions, partial calls, objects and what stands behind them."""

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
def partial_keywords():
    p = functools.partial(lambda x, k: x * k, k=2)

    def f(x):
        return p(x)

    def ch():
        p.keywords["k"] = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def partial_keywords_read():
    p = functools.partial(lambda x, k: x * k, k=2)

    def f(x):
        return x * p.keywords["k"]

    def ch():
        p.keywords["k"] = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def function_attribute():
    def g(x):
        return x

    g.k = 2

    def f(x):
        return g(x) * g.k

    def ch():
        g.k = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def function_attribute_appears():
    def g(x):
        return x

    def f(x):
        return g(x) * getattr(g, "k", 3)

    def ch():
        g.k = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def function_attribute_written():
    def g(x):
        return x

    g.k = 1

    def f(x):
        g.k = g.k + 1
        return x * g.k

    return Scene(f, watch=lambda: g.k)


@scene(S, strict=False)
def function_name_changes():
    def g(x):
        return x

    def f(x):
        return x, g.__name__, g.__doc__

    def ch():
        g.__name__ = "other"

    return Scene(f, change=ch)


class Get:
    def __getattr__(self, name):
        if name == "k":
            return 2
        raise AttributeError(name)


@scene(S, strict=False)
def behind_getattr():
    o = Get()

    def f(x):
        return x * o.k

    def ch():
        Get.k = 7

    sc = Scene(f, change=ch)
    if hasattr(Get, "k") and "k" in Get.__dict__:
        del Get.k
    return sc


@scene(S, strict=False)
def behind_getattr_instance():
    o = Get()

    def f(x):
        return x * o.k

    def ch():
        o.k = 7

    return Scene(f, change=ch)


class GA:
    def __init__(self):
        self.d = {"k": 2}

    def __getattr__(self, name):
        return self.__dict__["d"][name]


@scene(S, strict=False)
def getattr_dict():
    o = GA()

    def f(x):
        return x * o.k

    def ch():
        o.d["k"] = 7

    return Scene(f, change=ch)


class A:
    def m(self):
        return 2


class B:
    def m(self):
        return 5


@scene(S, strict=False)
def class_changes():
    o = A()

    def f(x):
        return x * o.m()

    def ch():
        o.__class__ = B

    return Scene(f, change=ch)


@scene(S, strict=False)
def hasattr_class_appears():
    class C:
        pass

    o = C()

    def f(x):
        return x * (5 if hasattr(o, "q") else 2)

    def ch():
        C.q = 1

    return Scene(f, change=ch)


@scene(S, strict=False)
def hasattr_on_class_appears():
    class C:
        pass

    def f(x):
        return x * (5 if hasattr(C, "q") else 2)

    def ch():
        C.q = 1

    return Scene(f, change=ch)


@scene(S, strict=False)
def instance_shadows_class():
    class C:
        q = 2

    o = C()

    def f(x):
        return x * o.q

    def ch():
        o.q = 9

    return Scene(f, change=ch)


@scene(S, strict=False)
def memoryview_read():
    b = bytearray(b"abc")
    m = memoryview(b)

    def f(x):
        return x * m[0]

    def ch():
        b[0] = 5

    return Scene(f, change=ch)


@scene(S, strict=False)
def contextmanager_body():
    log = []

    @contextlib.contextmanager
    def cm():
        log.append("in")
        yield 3
        log.append("out")

    def f(x):
        with cm() as k:
            return x * k

    return Scene(f, watch=lambda: list(log))


@program(S)
def suppress(x):
    with contextlib.suppress(ValueError):
        raise ValueError
    return x * 2


@program(S)
def nullcontext(x):
    with contextlib.nullcontext(4) as k:
        return x * k


@scene(S, strict=False)
def a_tensor_is_recorded_from_now_on():
    weight = Tensor([1.0, 2.0])

    def f(x):
        scaled = weight * x
        return (10 if weight.requires_grad else 1), weight.is_leaf, scaled.requires_grad, scaled.is_leaf

    return Scene(f, change=weight.requires_grad_)
