"""Special methods of items, iteration, comparison and hashing."""

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


class Items:
    def __init__(self):
        self.d = {}

    def __getitem__(self, k):
        note("gi", k)
        return self.d.get(k, 2)

    def __setitem__(self, k, v):
        note("si", k)
        self.d[k] = v

    def __delitem__(self, k):
        note("di", k)
        self.d.pop(k, None)

    def __contains__(self, k):
        note("in", k)
        return k in self.d

    def __len__(self):
        note("len")
        return 3

    def __iter__(self):
        note("iter")
        return iter([1, 2])

    def __reversed__(self):
        note("rev")
        return iter([2, 1])


@noted
def item_items(x):
    o = Items()
    o["a"] = 3
    o["a"] += 1
    r = o["a"]
    d = "a" in o
    del o["a"]
    return x * r, d, len(o), list(o), list(reversed(o)), bool(o), o[1:2]


class Seq:
    def __getitem__(self, i):
        note("g", i)
        if i >= 3:
            raise IndexError
        return i * 2


@noted
def item_seq(x):
    return x, list(Seq()), 2 in Seq(), [v for v in Seq()], max(Seq())


class Bool:
    def __bool__(self):
        note("b")
        return False


@noted
def item_bool(x):
    return x * (1 if Bool() else 2), not Bool(), Bool() or 3, bool(Bool())


class Cmp:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        note("eq")
        return NotImplemented if not isinstance(o, Cmp) else self.v == o.v

    def __lt__(self, o):
        note("lt")
        return self.v < o.v

    def __hash__(self):
        note("hash")
        return 3


@noted
def comparison_eq(x):
    return (
        x,
        Cmp(1) == Cmp(1),
        Cmp(1) != Cmp(2),
        Cmp(1) == 3,
        3 == Cmp(1),
        Cmp(1) < Cmp(2),
        Cmp(1) > Cmp(2),
        Cmp(3) in [Cmp(2), Cmp(3)],
        [Cmp(1)] == [Cmp(1)],
        (Cmp(1), 2) < (Cmp(1), 3),
        [Cmp(1), Cmp(2)].index(Cmp(2)),
        [Cmp(1)].count(Cmp(1)),
    )


@noted
def comparison_sort(x):
    return (
        x,
        [c.v for c in sorted([Cmp(3), Cmp(1), Cmp(2)])],
        max([Cmp(1), Cmp(2)], key=lambda c: c.v).v,
        min(Cmp(2), Cmp(1)).v,
    )


@noted
def comparison_sort2(x):
    l = [Cmp(3), Cmp(1)]
    l.sort()
    return x * l[0].v


@noted
def comparison_hash_only(x):
    return x, hash(Cmp(1))


@noted
def comparison_le_error(x):
    return x, Cmp(1) <= Cmp(2)


@functools.total_ordering
class TO:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        note("eq")
        return self.v == o.v

    def __lt__(self, o):
        note("lt")
        return self.v < o.v


@noted
def comparison_total(x):
    return x, TO(1) <= TO(2), TO(1) >= TO(2), TO(1) > TO(0)


@noted
def comparison_cmp_to_key(x):
    return x, sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: note("c") or b - a))
