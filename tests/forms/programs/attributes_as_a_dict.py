"""The attributes of an object as a dict: `vars(o)` and `o.__dict__`."""

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


class O:
    def __init__(self):
        self.a = 1


@scene(S, strict=False)
def vars_read():
    o = O()

    def f(x):
        return x * vars(o)["a"] + len(vars(o))

    def ch():
        o.a = 3
        o.b = 4

    return Scene(f, change=ch)


@scene(S, strict=False)
def dict_read():
    o = O()

    def f(x):
        return x * o.__dict__["a"]

    def ch():
        o.a = 3

    return Scene(f, change=ch)


@scene(S, strict=False)
def dict_in():
    o = O()

    def f(x):
        return x * (3 if "b" in o.__dict__ else 2)

    def ch():
        o.b = 3

    return Scene(f, change=ch)


@scene(S, strict=False)
def dict_write():
    o = O()

    def f(x):
        o.__dict__["a"] = o.a + 1
        return x * o.a

    return Scene(f, watch=lambda: o.a)


@scene(S, strict=False)
def vars_write():
    o = O()

    def f(x):
        if x > 0:
            vars(o)["a"] = 5
        return x * o.a

    return Scene(f, watch=lambda: o.a)


@scene(S, strict=False)
def dict_update():
    o = O()

    def f(x):
        o.__dict__.update(a=4, z=2)
        return x * o.a * o.z

    return Scene(f, watch=lambda: vars(o))


@scene(S, strict=False)
def dict_items():
    o = O()

    def f(x):
        for k, v in o.__dict__.items():
            x = x + v
        return x

    def ch():
        o.b = 3

    return Scene(f, change=ch)


class OwnUpdate:
    def __init__(self, **kw):
        self.__dict__.update(kw)


@program(S)
def own_dict_update(x):
    o = OwnUpdate(a=x, b=2)
    return o.a * o.b, sorted(o.__dict__)
