"""Class hierarchies, enumerations, decorators and what else changes how a call behaves."""

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
import inspect
import itertools
import math
import operator
import types
import typing

import numpy as np
from noting import NOTES, note, noted
from packaging import version
from program import Scene, program, scene

from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0, 3.0])
S = Tensor(5.0)


class Plain:
    def __init__(self, x):
        note("init")
        self.a = [x]
        self.b = self.a


def deco(n):
    note("make", n)

    def d(f):
        note("apply", n)
        return f

    return d


@noted
def class_order(x):
    def dflt():
        note("default")
        return 2

    @deco(1)
    @deco(2)
    def g(a=dflt()):
        return a

    return x * g()


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    @property
    def twice(self):
        return self.value * 2

    @classmethod
    def _missing_(cls, v):
        note("missing", v)
        return cls.RED


@noted
def class_enum(x):
    return (
        x * Color(2).value,
        Color["RED"].name,
        Color.RED.twice,
        [c.name for c in Color],
        Color.RED is Color(1),
        len(Color),
        Color.RED in Color,
        isinstance(Color.RED, Color),
    )


class Perm(enum.Flag):
    R = 1
    W = 2


@noted
def class_flag(x):
    return x * (Perm.R | Perm.W).value, bool(Perm.R & Perm.W), Perm.R in (Perm.R | Perm.W)


class IColor(enum.IntEnum):
    A = 1
    B = 2


@noted
def class_intenum(x):
    return x * IColor.B, IColor.A < IColor.B, IColor(2).name, {IColor.A: 1}[IColor.A], IColor.A + 1


class IC(type):
    def __instancecheck__(cls, o):
        note("ic")
        return True

    def __subclasscheck__(cls, o):
        note("sc")
        return True


class UsesIC(metaclass=IC):
    pass


@noted
def class_instancecheck(x):
    return x, isinstance(3, UsesIC), issubclass(int, UsesIC), isinstance("a", (int, UsesIC))


class CG:
    def __class_getitem__(cls, k):
        note("cg", k)
        return 3


@noted
def class_class_getitem(x):
    return x * CG[int]


class Base:
    @property
    def p(self):
        note("base p")
        return 2

    @classmethod
    def c(cls):
        note("base c", cls.__name__)
        return 3

    @staticmethod
    def s():
        return 4


class Derived(Base):
    @property
    def p(self):
        return super().p * 10

    @classmethod
    def c(cls):
        return super().c() * 10

    def q(self):
        return super().s()


@noted
def class_super(x):
    return x * Derived().p * Derived.c() * Derived().q()


@noted
def class_vars_own(x):
    p = Plain(x)
    return sorted(vars(p)), len(p.__dict__)


@noted
def class_frozenset(x):
    return x * len(frozenset([1, 2])), {1, 2} | {3}, {1} <= {1, 2}


@noted
def class_eq_default(x):
    a = Plain(1)
    b = Plain(1)
    return x, a == b, a == a, a != b, a in [b, a], [b, a].index(a)


class Outer:
    def __init__(self):
        self.k = 2

    def __eq__(self, o):
        return True


@scene(S, strict=False)
def class_outer_eq():
    o = Outer()

    def f(x):
        return x * (o == 3), o != 3

    def ch():
        Outer.__eq__ = lambda s, o: False

    Outer.__eq__ = lambda s, o: True
    return Scene(f, change=ch)


@dataclasses.dataclass
class Output(collections.OrderedDict):
    """Results by name, by number and by attribute, as packages for models have them."""

    sample: Tensor = None
    mask: Tensor = None

    def __post_init__(self):
        fields = dataclasses.fields(self)
        first = getattr(self, fields[0].name)
        if all(getattr(self, field.name) is None for field in fields[1:]) and isinstance(first, dict):
            for key, value in first.items():
                self[key] = value
        else:
            for field in fields:
                value = getattr(self, field.name)
                if value is not None:
                    self[field.name] = value

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]

    def __setattr__(self, name, value):
        if name in self.keys() and value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def to_tuple(self):
        return tuple(self[key] for key in self.keys())


@program(S, strict=False, compiles=1)
def dataclass_that_is_a_dict_of_its_fields(x):
    both, one = Output(x * 2, mask=x + 1), Output(sample=x)
    return both.sample + both["mask"], both[0], len(one), list(both.keys()), one.to_tuple()[0] * 3


@program(S, strict=False, compiles=1)
def fields_of_a_dataclass_are_read(x):
    fields = dataclasses.fields(Output)
    return x * len(fields), [field.name for field in fields], fields[0].default, fields[1].init


@program(S, strict=False, compiles=1)
def versions_are_compared(x):
    if version.parse("1.10.0").base_version < "2" and version.parse("1.10.0") > version.parse("1.9"):
        return x * 2
    return x


def scaled(x, by=2, *, shift=1):
    return x * by + shift


@program(S, strict=False, compiles=1)
def keywords_that_a_signature_has(x):
    given = {"by": 3, "other": 4}
    parameters = inspect.signature(scaled).parameters
    known = set(inspect.signature(scaled).parameters.keys())
    taken = {name: value for name, value in given.items() if name in known}
    defaults = [each.default for each in parameters.values() if each.name != "x"]
    return scaled(x, **taken), len(parameters), defaults, "shift" in parameters, parameters["by"].default
