"""Iterators in `itertools`, `functools` and Python's own functions."""

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


@program(S)
def zip_strict(x):
    return x, list(zip([1, 2], [3], strict=True))


@program(S)
def zip_strict2(x):
    return x, list(zip([1], [3, 4], strict=True))


@program(S)
def enumerate_it(x):
    e = enumerate(iter([5, 6, 7]), 1)
    next(e)
    return x, list(e)


@program(S)
def filter_lazy(x):
    log = []
    f = filter(lambda v: log.append(v) or v > 1, [1, 2, 3])
    return x * next(f), log


@program(S)
def reversed_list(x):
    h = [1, 2, 3]
    r = reversed(h)
    a = next(r)
    return x * a, list(r)


@program(S)
def infinite_count(x):
    for v in itertools.count(2):
        x = x + v
        if v > 4:
            break
    return x


@program(S)
def islice_count(x):
    return x, list(itertools.islice(itertools.count(), 2, 9, 3))


@program(S)
def chain_it(x):
    return [v * x for v in itertools.chain([1, 2], (3,), range(2))], list(
        itertools.chain.from_iterable([[1], [2, 3]])
    )


@program(X)
def accumulate_it(x):
    return (
        list(itertools.accumulate(x)),
        list(itertools.accumulate([1, 2, 3], operator.mul)),
        list(itertools.accumulate([1, 2], initial=5)),
    )


@program(X)
def reduce_it(x):
    return functools.reduce(lambda a, b: a * b, x), functools.reduce(operator.add, [x, x, 1], 3)


@program(S)
def product_it(x):
    return (
        x,
        list(itertools.product([1, 2], "ab")),
        list(itertools.permutations([1, 2, 3], 2)),
        list(itertools.combinations([1, 2, 3], 2)),
    )


@program(S)
def other_itertools(x):
    return (
        list(itertools.takewhile(lambda v: v < 3, [1, 2, 3, 1])),
        list(itertools.dropwhile(lambda v: v < 3, [1, 2, 3, 1])),
        list(itertools.starmap(pow, [(2, 3), (3, 2)])),
        list(itertools.zip_longest([1, 2], [3], fillvalue=0)),
        list(itertools.pairwise([1, 2, 3])),
        list(itertools.repeat(x, 2)),
        list(itertools.islice(itertools.cycle([1, 2]), 5)),
        list(itertools.filterfalse(None, [0, 1, 2])),
        x,
    )


@program(X)
def starmap_tensors(x):
    return list(itertools.starmap(lambda a, b: a * b, zip(x, x)))


@program(S)
def islice_keeps(x):
    it = iter([1, 2, 3, 4, 5])
    a = list(itertools.islice(it, 2))
    return x, a, list(it)


@program(S)
def star_args(x):
    return max(*map(abs, [-3, 2])) * x, [*(v for v in range(3))], {**{"a": 1}}


@program(S)
def dict_from_zip(x):
    return dict(zip("ab", [x, x * 2])), {k: v for k, v in zip("ab", [x, 1])}


@program(S)
def join_gen(x):
    return (
        x,
        ",".join(str(v) for v in [1, 2]),
        sorted(v for v in [2, 1]),
        max((v for v in [1, 3, 2]), default=0),
        set(v for v in [1, 1]),
    )


@program(S)
def type_checks(x):
    m = map(abs, [1])
    return (
        x,
        isinstance(m, map),
        isinstance(zip(), zip),
        type(iter([])).__name__,
        isinstance((v for v in []), types.GeneratorType),
        hasattr(m, "__next__"),
    )


@program(S)
def math_prod(x):
    return x * math.prod(v for v in [1, 2, 3]), x * math.fsum([1, 2])


@program(X)
def stack_gen(x):
    return ops.stack([v * 2 for v in x]), ops.stack(tuple(v * 2 for v in x))


@program(X)
def min_key(x):
    return max([1, -3], key=abs), min((v for v in [3, 1]), key=lambda v: -v), max(x, key=lambda v: -v)


@program(X)
def sort_key(x):
    return sorted([3, 1, 2], key=lambda v: -v), sorted("ba", reverse=True), x
