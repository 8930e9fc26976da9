"""Objects that hold their attributes in slots."""

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


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


@program(S)
def own_slots_in_branch(x):
    s = Slots(1)
    if x > 0:
        s.a = 2
    else:
        s.a = 3
    return x * s.a


@program(S)
def own_slots_tensor(x):
    s = Slots(x)
    if x > 0:
        s.b = x * 2
    else:
        s.b = x * 3
    s.a = s.a + 1
    return s.b * s.a


@program(S)
def own_slots_returned(x):
    s = Slots(x)
    s.b = [1]
    return s.a


@scene(S, strict=False)
def outer_slots_in_branch():
    s = Slots(1)

    def f(x):
        if x > 0:
            s.a = 2
        else:
            s.a = 3
        return x * s.a

    return Scene(f, watch=lambda: s.a)


@scene(S, strict=False)
def slot_1_True():
    s = Slots(1)

    def f(x):
        return x * s.a, s.a

    def ch():
        s.a = True

    return Scene(f, change=ch)


@scene(S, strict=False)
def slot_list():
    s = Slots([1, 2])

    def f(x):
        return x * s.a[0], len(s.a)

    return Scene(f, change=lambda: s.a.append(3))


@scene(S, strict=False)
def slot_list_appended():
    s = Slots([1, 2])

    def f(x):
        s.a.append(4)
        return x * len(s.a)

    return Scene(f, watch=lambda: s.a)


@scene(S, strict=False)
def slot_tensor():
    s = Slots(Tensor([1.0, 2.0]))

    def f(x):
        return x * s.a

    def ch():
        s.a = Tensor([5.0, 2.0])

    return Scene(f, change=ch)


@scene(S, strict=False)
def slot_missing():
    s = Slots(1)

    def f(x):
        return x * (s.b if hasattr(s, "b") else 10)

    def ch():
        s.b = 4

    return Scene(f, change=ch)


@scene(S, strict=False)
def slot_deleted():
    s = Slots(1)

    def f(x):
        s.a = 3
        del s.a
        return x * hasattr(s, "a")

    return Scene(f, watch=lambda: hasattr(s, "a"))
