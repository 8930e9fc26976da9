"""Special methods of calls, contexts, texts and copies."""

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


class Callable:
    def __call__(self, a, *, b=1):
        note("call", a, b)
        return a * b


@noted
def text_call(x):
    return Callable()(x, b=2), callable(Callable())


class CM:
    def __enter__(self):
        note("enter")
        return 3

    def __exit__(self, *a):
        note("exit", a[0])
        return True


@noted
def text_cm(x):
    with CM() as k:
        x = x * k
    with CM():
        raise ValueError("a")
    return x


class Text:
    def __str__(self):
        note("str")
        return "S"

    def __repr__(self):
        note("repr")
        return "R"

    def __format__(self, s):
        note("fmt", s)
        return "F" + s

    def __bytes__(self):
        note("bytes")
        return b"B"


@noted
def text_text(x):
    return (
        x,
        str(Text()),
        repr(Text()),
        f"{Text()}{Text():>3}{Text()!r}{Text()!s:>4}",
        format(Text(), "q"),
        bytes(Text()),
    )


class OnlyRepr:
    def __repr__(self):
        return "OR"


@noted
def text_repr(x):
    return x, str(OnlyRepr()), f"{OnlyRepr()}", [1, "a"].__repr__()


@noted
def text_print(x):
    print(Text(), OnlyRepr())
    print([OnlyRepr()])
    return x


class Cp:
    def __init__(self):
        self.a = [1]

    def __copy__(self):
        note("copy")
        return 5

    def __deepcopy__(self, m):
        note("dc")
        return 6


@noted
def copy_copy(x):
    return x, copy.copy(Cp()), copy.deepcopy(Cp()), copy.deepcopy([Cp()])


class Plain:
    def __init__(self, x):
        note("init")
        self.a = [x]
        self.b = self.a


@noted
def copy_plain(x):
    p = Plain(x)
    q = copy.deepcopy(p)
    r = copy.copy(p)
    q.a.append(2)
    return len(p.a), q.b is q.a, r.a is p.a, q.a[0] * 2


@noted
def copy_tensor(x):
    t = copy.deepcopy([x])
    t[0] += 1
    return t[0], x, copy.copy(x)


@noted
def copy_list(x):
    l = [[1]]
    m = copy.copy(l)
    n = copy.deepcopy(l)
    l[0].append(2)
    return x, m, n, l.copy()
