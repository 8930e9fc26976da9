"""Results of Python's library and NumPy for static values, and objects that a program creates with them."""

import collections
import dataclasses
import functools
import json
import math
import operator
import re

import numpy as np
from program import Scene, program, scene

from dyad import Tensor, nn

S = Tensor(5.0)


@program(S)
def numbers_of_the_library(x):
    return (
        x * math.sqrt(4.0) + math.pi * math.floor(2.5),
        math.gcd(4, 6),
        json.loads("[1]"),
        re.sub("a", "b", "aa"),
    )


@program(S)
def arrays_that_are_read(x):
    a = np.arange(4).reshape(2, 2)
    b = a.T + a
    return x * float(b[0][1]), b.shape, int(a.max()), a.tolist()


@program(S)
def arrays_and_bytes_that_are_changed(x):
    a, b, text = np.zeros(2), np.array([1, 2]), bytearray(b"a")
    a += 1
    b[0] = 7
    text.append(3)
    return x * float(a[0]) * int(b[0]), len(text)


@program(S)
def kinds_of_dicts(x):
    counted, ordered = collections.Counter("abca"), collections.OrderedDict(a=1)
    ordered["b"] = x
    ordered.move_to_end("a")
    return x * counted["a"], counted.most_common(1), list(ordered.values()), list(ordered)


@program(S)
def wrapped_function_made_inside(x):
    def doubled(function):
        function.tag = 5

        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) * 2

        return wrapper

    @doubled
    def shifted(a):
        return a + 1

    return shifted(x), shifted.__name__, shifted.tag, shifted.__wrapped__(x)


@program(S)
def sorted_by_an_item(x):
    items = sorted({"b": 1, "a": 2}.items(), key=operator.itemgetter(1))
    return x * items[0][1], items


@dataclasses.dataclass
class Sizes:
    hidden: int = 3
    names: list = dataclasses.field(default_factory=lambda: ["a"])

    def twice(self):
        return self.hidden * 2


@scene(S)
def dataclass_from_outside():
    sizes = Sizes()

    def f(x):
        return x * sizes.twice() * len(sizes.names), sizes == Sizes()

    def change():
        sizes.hidden = 7

    return Scene(f, change)


class Chosen(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), nn.Tanh()])

    def construct(self, x, i):
        return self.layers[i](x)


@scene(S, Tensor(1), then=[(S, Tensor(0)), (S, Tensor(-1)), (S, Tensor(2))])
def cell_chosen_by_a_tensor():
    return Chosen()
