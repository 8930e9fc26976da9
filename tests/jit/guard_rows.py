"""Rows of guard tables: two calls with one thing changed between them, and small programs to make rows of."""

import dataclasses
import types

import numpy as np

from dyad import Tensor, jit

NEW, SAME = 1, 0


def tensor(*shape, dtype=np.float32):
    return Tensor(np.arange(np.prod(shape), dtype=dtype).reshape(shape))


X = tensor(2, 3)


def plain(value):
    """A result as something that `==` compares."""
    if isinstance(value, Tensor):
        return str(value.dtype), repr(value.asnumpy().tolist())
    if isinstance(value, (list, tuple)):
        return type(value), [plain(part) for part in value]
    if isinstance(value, dict):
        return type(value), {key: plain(part) for key, part in value.items()}
    return value


def fresh(function):
    """The function made again: one that is jitted twice with the same options has one set of graphs."""
    if not isinstance(function, types.FunctionType):
        return function
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def bytecode(function, **keys):
    """A function captured from its bytecode with these keys; it has no graphs yet."""
    return jit(fresh(function), capture_mode="bytecode", jit_config=keys)


def graphs(compiled):
    """Number of graphs compiled so far."""
    return len(compiled.__jit_compiler__.report.compilations)


def require_graphs(compiled, function, expected, *args, **kwargs):
    """One more call makes that many graphs and gives what Python gives."""
    before = graphs(compiled)
    result = compiled(*args, **kwargs)
    assert plain(result) == plain(function(*args, **kwargs))
    assert compiled.python_form is None, "Python runs it, so nothing is guarded"
    assert graphs(compiled) - before == expected


def require_rows(function, first, second, expected, **keys):
    compiled = bytecode(function, **keys)
    require_graphs(compiled, function, 1, *first)
    require_graphs(compiled, function, 0, *first)
    require_graphs(compiled, function, expected, *second)
    require_graphs(compiled, function, 0, *second)


def scaled(x, k):
    return x * k


def unused(x, k):
    return x + 1


def first_item(x, items):
    return x * items[0]


def named_item(x, table):
    return x * table["a"]


def all_items(x, items):
    for item in items:
        x = x + item
    return x


def all_entries(x, table):
    for number, key in enumerate(table):
        x = x * table[key] + number
    return x


def known_length(x, items):
    return x * len(items)


def chosen(x, text):
    return x * 2 if text == "double" else x


def in_set(x, members):
    return x * 2 if 1 in members else x


def called(x, function):
    return function(x)


def sliced(x, part):
    return x[part] * 1


def with_array(x, array):
    return x + Tensor(array)


def attribute(x, box):
    return x * box.scale


def converted(x, dtype):
    return x.astype(dtype)


def added(x, y):
    return x + y


def or_nothing(x, y=None):
    return x if y is None else x * 2


def made_by(x, kind):
    return x * kind.scale


def one_more(x):
    return x + 1


def make_adder(default=1):
    return lambda x, amount=default: x + amount


def make_closure(amount):
    return lambda x: x + amount


def make_plain():
    return lambda x: x + 3


class Box:
    def __init__(self, scale, **others):
        self.scale = scale
        self.__dict__.update(others)


class OtherBox(Box):
    pass


class Scale2:
    scale = 2


class Scale3:
    scale = 3


@dataclasses.dataclass
class Settings:
    scale: float
    name: str = ""


class Slotted:
    __slots__ = ("other", "scale")

    def __init__(self, scale, other):
        self.scale, self.other = scale, other
