"""Special methods of construction. Each is called once, and in Python's order."""

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


class New:
    def __new__(cls, k):
        note("new")
        o = super().__new__(cls)
        o.pre = k
        return o

    def __init__(self, k):
        note("init")
        self.k = k


@noted
def construction_new(x):
    o = New(2)
    return x * o.k * o.pre


class NewOther:
    def __new__(cls, k):
        note("new")
        return k * 2

    def __init__(self, k):
        note("never")


@noted
def construction_new_other(x):
    return x * NewOther(3)


class Meta(type):
    def __call__(cls, *a, **k):
        note("meta", cls.__name__)
        o = super().__call__(*a, **k)
        o.extra = 7
        return o


class WithMeta(metaclass=Meta):
    def __init__(self, k=1):
        note("init")
        self.k = k


@noted
def construction_meta(x):
    o = WithMeta(k=3)
    return x * o.k * o.extra


class SubInt(int):
    def __new__(cls, v):
        note("int new")
        return super().__new__(cls, v + 1)

    def double(self):
        return self * 2


@noted
def construction_subint(x):
    return x * SubInt(3).double()


class SubList(list):
    def __init__(self, items):
        note("list init")
        super().__init__(items)
        self.tag = 4

    def append(self, v):
        note("append", v)
        super().append(v)

    def __len__(self):
        note("len")
        return super().__len__() + 10


@noted
def construction_sublist(x):
    l = SubList([1, 2])
    l.append(3)
    return x * len(l) * l.tag * l[2], list(l)


class SubDict(dict):
    def __missing__(self, k):
        note("missing", k)
        return 9

    def __getitem__(self, k):
        note("get", k)
        return super().__getitem__(k)

    def __setitem__(self, k, v):
        note("set", k)
        super().__setitem__(k, v)

    def __contains__(self, k):
        note("in", k)
        return True


@noted
def construction_subdict(x):
    d = SubDict(a=1)
    d["b"] = 2
    return x * d["a"] * d["b"] * d["c"], "zz" in d, d.get("q"), dict(d)


@noted
def construction_subdict_outer_make(x):
    return x * len(SubDict())


@scene(S, strict=False)
def subdict_outer():
    d = SubDict(a=1)

    def f(x):
        return x * d["a"] + d["z"]

    def ch():
        dict.__setitem__(d, "a", 5)

    NOTES.clear()
    return Scene(f, change=ch, watch=lambda: (list(map(str, NOTES)), dict.copy(d)))


class Tup(typing.NamedTuple):
    a: int
    b: int = 2

    def s(self):
        return self.a + self.b


@noted
def construction_namedtuple(x):
    t = Tup(1)
    return x * t.s(), t._replace(a=5), t == (1, 2)


class ABase(abc.ABC):
    @abc.abstractmethod
    def m(self): ...


class AImpl(ABase):
    def m(self):
        note("m")
        return 2


@noted
def construction_abc(x):
    return x * AImpl().m(), isinstance(AImpl(), ABase)


@noted
def construction_abc_error(x):
    return x * ABase().m()


@dataclasses.dataclass
class DC:
    a: float
    b: list = dataclasses.field(default_factory=list)
    c: int = 3

    def __post_init__(self):
        note("post")
        self.d = self.a * 2


@noted
def construction_dataclass(x):
    o = DC(x)
    o.b.append(1)
    p = DC(2.0)
    return o.d * o.c, len(p.b), o.b, p == DC(2.0), repr(p)


@dataclasses.dataclass(frozen=True, order=True)
class FDC:
    a: int
    b: int = 2


@noted
def construction_frozen(x):
    o = FDC(1)
    try:
        o.a = 5
    except dataclasses.FrozenInstanceError as e:
        note(str(e))
    return (
        x * o.a,
        FDC(1) < FDC(2),
        hash(FDC(1)) == hash(FDC(1)),
        o == FDC(1, 2),
        dataclasses.replace(o, b=7).b,
    )


@dataclasses.dataclass(slots=True)
class SDC:
    a: float
    b: int = 2


@noted
def construction_slots_dc(x):
    o = SDC(x)
    if x > 0:
        o.b = 5
    return o.a * o.b


@noted
def construction_slots_dc_return(x):
    return SDC(x).a, 1


@dataclasses.dataclass
class IV:
    a: int
    s: dataclasses.InitVar[int] = 4

    def __post_init__(self, s):
        note("post", s)
        self.t = s


@noted
def construction_initvar(x):
    return x * IV(2).t, IV(2, 9).t
