"""Special methods of arithmetic, and functions that stand for operators."""

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


class Num:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        note("add")
        return Num(self.v + (o.v if isinstance(o, Num) else o))

    def __radd__(self, o):
        note("radd")
        return Num(o + self.v)

    def __mul__(self, o):
        note("mul")
        return NotImplemented

    def __rmul__(self, o):
        note("rmul")
        return self.v * o

    def __sub__(self, o):
        note("sub")
        return self.v - o

    def __isub__(self, o):
        note("isub")
        self.v -= o
        return self

    def __imul__(self, o):
        note("imul")
        return NotImplemented

    def __neg__(self):
        note("neg")
        return -self.v

    def __abs__(self):
        note("abs")
        return 8

    def __divmod__(self, o):
        note("dm")
        return (1, 2)

    def __pow__(self, o, m=None):
        note("pow", m)
        return 4

    def __matmul__(self, o):
        note("mm")
        return 6

    def __round__(self, n=None):
        note("round", n)
        return 7

    def __floor__(self):
        note("floor")
        return 3

    def __trunc__(self):
        note("trunc")
        return 3

    def __int__(self):
        note("int")
        return 5

    def __float__(self):
        note("float")
        return 5.5

    def __index__(self):
        note("index")
        return 1

    def __complex__(self):
        note("cx")
        return 1j


class Num2(Num):
    def __radd__(self, o):
        note("radd2")
        return 99


@noted
def number_add(x):
    return (
        x * (Num(1) + Num(2)).v,
        (Num(1) + 2).v,
        (3 + Num(1)).v,
        Num(1) + Num2(2),
        (x + Num(1)).v if False else 0,
        sum([Num(1), Num(2)]).v,
    )


@noted
def number_mul_err(x):
    return x * 1, Num(1) * 2


@noted
def number_rmul(x):
    return 3 * Num(2), x * 2


@noted
def number_tensor(x):
    return x * Num(2)


@noted
def number_tensor_add(x):
    return (x + Num(2)).v


@noted
def number_inplace(x):
    a = Num(5)
    b = a
    a -= 1
    return x * b.v, a is b


@noted
def number_inplace_fallback(x):
    a = Num(5)
    try:
        a *= 2
    except TypeError as e:
        note(str(e))
    return x


@noted
def number_unary(x):
    return (
        x,
        -Num(1),
        abs(Num(1)),
        divmod(Num(1), 2),
        Num(1) ** 2,
        pow(Num(1), 2, 5),
        Num(1) @ 2,
        round(Num(1)),
        round(Num(1), 2),
        math.floor(Num(1)),
        math.trunc(Num(1)),
        int(Num(1)),
        float(Num(1)),
        complex(Num(1)),
        [5, 6][Num(0)],
        list(range(Num(0))),
        [1, 2, 3][Num(1) :],
        hex(10),
    )


class NM(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cells_ = nn.CellList([nn.ReLU(), nn.Tanh()])

    def construct(self, x, i):
        return self.cells_[i](x)


@scene(X, Tensor(1), then=[(X, Tensor(0)), (X, Tensor(-1)), (X, Tensor(2))])
def number_celllist():
    return NM()


class OS:
    def __init__(self, k):
        object.__setattr__(self, "k", k)


@noted
def number_object_setattr(x):
    return OS(x).k * 2


@noted
def number_operator(x):
    return (
        operator.add(x, 2),
        operator.itemgetter(1)([1, 2]),
        operator.attrgetter("k")(OS(x)),
        operator.methodcaller("sum")(x),
        operator.neg(x),
        operator.contains([1], 1),
        operator.mul(2, 3),
        operator.not_(x > 3),
        operator.truth(x),
        operator.lt(x, 3),
    )


class CountedInt(int):
    def __mul__(self, other):
        return "mul"

    def __rmul__(self, other):
        return "rmul"

    def __radd__(self, other):
        return "radd"

    def __gt__(self, other):
        return "gt"

    def __eq__(self, other):
        return "eq"

    __hash__ = int.__hash__


class ListWithOperators(list):
    def __radd__(self, other):
        return "radd"


class TensorWithOperators(Tensor):
    def __rmul__(self, other):
        return "rmul"


TWO, LISTED, TENSOR = CountedInt(2), ListWithOperators([1, 2]), TensorWithOperators([2.0, 2.0, 2.0])


@program(X, strict=False)
def the_left_operand_is_asked_before_a_reflected_method(x):
    return x * TWO, x + TWO, x < TWO, x == TWO, 2.5 * TWO, 2.5 + TWO, 2.5 < TWO, 2.5 == TWO


@program(X, strict=False)
def a_derived_class_is_asked_first(x):
    return 2 * TWO, 2 + TWO, 2 < TWO, 2 == TWO, True * TWO, x * TENSOR


@program(X, strict=False)
def sequences_are_joined_after_a_reflected_method(x):
    return x + 1, [1] + LISTED, (1,) + LISTED, "b" * TWO


@program(X)
def numbers_of_the_graph_and_a_derived_class(x):
    return float(x.sum()) * TWO, float(x.sum()) > TWO
