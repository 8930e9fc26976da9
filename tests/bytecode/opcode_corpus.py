# ruff: noqa: F821, RUF012, SIM108, UP008
"""Small functions that together contain every instruction that CPython's compiler writes.

Each is given a Tensor and gives something to compare. `MODULES` are texts whose module code is looked at, since some
instructions stand in no function. Constructs that only newer Pythons have are texts too.
"""

import asyncio
import collections
import contextlib
import dataclasses
import sys

from dyad import Tensor, ops

FUNCTIONS = []
COUNT = 0
STORE = {"a": 1}


def corpus(function):
    FUNCTIONS.append(function)
    return function


@dataclasses.dataclass
class Point:
    x: object
    y: object


class Box:
    kind = "box"

    def __init__(self, value=1):
        self.value = value

    def scaled(self, x):
        return x * self.value


class Deeper(Box):
    def scaled(self, x):
        return super().scaled(x) + super(Deeper, self).scaled(x) + len(super().kind)


class Manager:
    def __init__(self, swallows=False):
        self.log, self.swallows = [], swallows

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(getattr(kind, "__name__", None))
        return self.swallows


@corpus
def arithmetic(x):
    y = x + 1 - 2 * x / 4 // 3 % 5**2
    n = 7
    n += 1
    n -= 2
    n *= 3
    n //= 2
    n %= 7
    n <<= 2
    n >>= 1
    n |= 8
    n &= 13
    n ^= 3
    n **= 2
    return -y, +y, ~n, not n, n @ Swapped() if n < 0 else n, y @ y


class Swapped:
    def __rmatmul__(self, other):
        return other


@corpus
def comparisons(x):
    n = x.shape[0]
    inside = n in (1, 2, 3), n not in [5], n is None, n is not None, 0 < n <= 5 != n
    return inside, x > 1, x == x, (x >= 0) & (x <= 2)


@corpus
def subscripts(x):
    items = [1, 2, 3, 4]
    items[0] = 9
    items[1:3] = [7]
    del items[-1]
    start, end = 0, 2
    y = x * 1.0
    y[0] = 5.0
    y[start:end] = x[start:end] + items[start:end][0]
    return items, y, x[::-1], items[0:2:1], x[start:], x[...]


@corpus
def attributes(x):
    box = Box(2)
    box.value = x * 2
    box.other = 3
    box.value += 1
    del box.other
    return box.value, box.scaled(x), hasattr(box, "other")


@corpus
def displays(x):
    one, rest = 1, [2, 3]
    table = {"a": one, "b": x}
    more = {**table, "c": 3, one: rest}
    constant = {"p": 1, "q": 2, "r": x}
    return [one, *rest], (one, *rest, 4), {one, *rest}, more, constant, [1, 2, 3], {1, 2, 3}, x[0:1]


@corpus
def long_dict(x):
    return {
        "a": 1, "b": x, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11, "l": 12, "m": 13,
        "n": 14, "o": 15, "p": 16, "q": 17, "r": x,
    }  # fmt: skip


@corpus
def calls(x):
    def inner(a, b=2, *rest, c=3, **more):
        return a * b + c + len(rest) + sum(more.values())

    given, named = [1, 2], {"d": 5}
    return (
        inner(x), inner(x, c=4), inner(x, *given), inner(x, *given, c=1, **named), inner(*(x,), **{"b": 3}, **named),
        print("called"), Box(value=3).scaled(x), ops.relu(x).sum(),
    )  # fmt: skip


@corpus
def closures(x):
    count, other = 0, 1

    def step():
        nonlocal count
        count += 1
        return x * count

    first, second = step(), step()
    del other
    try:
        (lambda: other)()
    except NameError:
        count += 10
    return first, second, count, [each + count for each in (1, 2)]


@corpus
def deleted_cell(x):
    value = x * 2

    def read():
        return value

    got = read()
    del value
    return got


@corpus
def functions_with_everything(x):
    def inner(a: int, b=1, *, c: float = 2) -> float:
        return a * b * c * scale

    scale = x.shape[0]
    return inner(x), inner.__annotations__, inner.__defaults__, inner.__kwdefaults__


@corpus
def supers(x):
    return Deeper(3).scaled(x)


@corpus
def comprehensions(x):
    n = 3
    squares = [i * n for i in range(n) if i]
    table = {i: x * i for i in range(2)}
    found = {i % 2 for i in squares}
    pairs = [(i, j) for i in range(2) for j in range(i)]
    return squares, table, found, sum(i for i in range(n)), pairs, [(lambda: i)() for i in range(2)]


@corpus
def loops(x):
    total = x
    for i, (a, *b) in enumerate([(1, 2, 3), (4, 5)]):
        if i == 5:
            continue
        total = total + a * len(b)
    else:
        total = total + 1
    n = 0
    while n < 3:
        n += 1
        if n == 2:
            break
    while not n > 4:
        n += 1
    first, *middle, last = range(5)
    return total, n, first, middle, last


@corpus
def loops_until_none(x):
    items = [1, 2, None, 4]
    at = 0
    while items[at] is not None:
        at += 1
    held = None
    while held is None:
        held = items.pop()
    count = 0
    while True:
        count += 1
        if count > 3:
            break
        if not count:
            continue
    return at, held, x * count


@corpus
def data_dependent(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    while y.sum() < 50:
        y = y * 2
    return y if y.max() > 3 else -y


@corpus
def none_tests(x, maybe=None, other=3):
    n = 0
    if maybe is None:
        n += 1
    if other is not None:
        n += 2
    if maybe is not None and other is None:
        n += 4
    return x * n, maybe or other, other and maybe, (n and 5) or 6, not (maybe or other)


@corpus
def formatted(x):
    n, name = x.shape[0], "a"
    return f"{n}", f"{name!r} is {n:>4} and {n * 2}", f"{name!s}{name!a}", f"{n:{n}}", "text" + name


@corpus
def handlers(x):
    log = []
    for kind in (ValueError, KeyError, ZeroDivisionError):
        try:
            if kind is ZeroDivisionError:
                1 / 0  # noqa: B018
            raise kind("wrong")
        except ValueError as error:
            log.append(str(error))
        except (KeyError, IndexError):
            log.append("looked up")
        except Exception:
            log.append("other")
        else:
            log.append("never")
        finally:
            log.append("end")
    return log, x * len(log)


@corpus
def chained(x):
    try:
        try:
            raise ValueError("one")
        except ValueError as error:
            raise KeyError("two") from error
    except KeyError as error:
        return str(error.__cause__), x + 1


@corpus
def raised_again(x):
    try:
        try:
            {}["missing"]
        except KeyError:
            raise
    except LookupError as error:
        return error.args, x * 2


@corpus
def grouped(x):
    found = []
    try:
        raise ExceptionGroup("several", [ValueError(1), KeyError(2), TypeError(3)])
    except* ValueError as group:
        found.append(len(group.exceptions))
    except* (KeyError, TypeError) as group:
        found.append(len(group.exceptions))
    return found, x + 1


@corpus
def managed(x):
    with Manager() as one, Manager(swallows=True) as two:
        y = x * 2
        raise ValueError("swallowed")
    with contextlib.suppress(KeyError):
        y = y + 1
        {}["missing"]
    return y, one.log, two.log


@corpus
def asserted(x):
    assert x.shape[0] > 0, "no elements"
    try:
        assert x.shape[0] > 100, "few elements"
    except AssertionError as error:
        return str(error), x


@corpus
def globals_written(x):
    global COUNT, MADE_HERE
    COUNT = COUNT + 1
    MADE_HERE = x.shape[0]
    got = MADE_HERE
    del MADE_HERE
    return x * got, COUNT > 0


@corpus
def names_deleted(x):
    y = x * 2
    z = y + 1
    del y
    try:
        return y
    except UnboundLocalError as error:
        return str(error), z


@corpus
def bound_on_one_path(x, flag=True):
    if flag:
        y = x * 2
    return y


@corpus
def matched(x):
    found = []
    for subject in (1, "a", [1, 2, 3], (4,), {"k": 1, "m": 2}, Point(1, x), Point(0, 2), None, {"z": 0}):
        match subject:
            case 1 | 2:
                found.append("small")
            case str():
                found.append("text")
            case [first, *rest] if rest:
                found.append((first, len(rest)))
            case [single]:
                found.append(single)
            case {"k": value, **others}:
                found.append((value, others))
            case Point(x=0, y=second):
                found.append(second)
            case Point(first, second):
                found.append((first, second * 2))
            case None:
                found.append("none")
            case _:
                found.append("rest")
    return found


@corpus
def imported(x):
    import math
    import os.path as path
    from collections import OrderedDict, deque

    return x * math.floor(2.5), path.join("a", "b"), len(OrderedDict()), len(deque([1]))


@corpus
def class_made(x):
    factor = x.shape[0]

    class Made(Box):
        """A class with annotations, a closure and names of its own."""

        width: int = 3
        taken = factor + 1
        double = [i for i in range(width)]
        kind = kind = "made"
        del kind

        def scaled(self, x):
            return super().scaled(x) * factor

    return Made(2).scaled(x), Made.width, Made.taken, Made.double, Made.__annotations__


@corpus
def generators(x):
    def numbers(count):
        got = yield 0
        for i in range(count):
            got = yield i * (got or 1)
        return "ended"

    def through(count):
        result = yield from numbers(count)
        yield result

    running = through(3)
    return [next(running), running.send(2), *running], x * sum(i for i in range(3))


@corpus
def coroutines(x):
    class Counter:
        def __init__(self, last):
            self.at, self.last = 0, last

        def __aiter__(self):
            return self

        async def __anext__(self):
            self.at += 1
            if self.at > self.last:
                raise StopAsyncIteration
            return self.at

        async def __aenter__(self):
            return self

        async def __aexit__(self, *problem):
            return False

    async def rows(count):
        for i in range(count):
            yield x * i

    async def work():
        found = [row async for row in rows(2)]
        async with Counter(2) as counter:
            async for at in counter:
                found.append(at)
        try:
            await asyncio.sleep(0)
        finally:
            found.append("slept")
        return found

    return asyncio.run(work())


@corpus
def swapped(x):
    a, b, c = 1, 2, x
    a, b = b, a
    a, b, c = c, a, b
    items = [0]
    items[0], held = a, (kept := b)
    return a, b, c, items, held, kept


@corpus
def sets_and_names(x):
    return {*[1, 2], 3}, collections.namedtuple("Pair", "a b")(x, 2), type(x).__name__, sys.maxsize > 0


@corpus
def finally_with_return(x):
    def inner():
        try:
            return x * 2
        finally:
            STORE["a"] = STORE["a"] % 5 + 1

    for i in range(3):
        try:
            if i == 1:
                break
        finally:
            STORE["b"] = i
    return inner(), STORE["b"]


_NEWER = {
    (3, 12): '''
def type_parameters(x):
    type Pair[T] = tuple[T, T]
    def first[T: int](a: T) -> T:
        return a
    class Held[T]:
        size: int = 2
        kind = x.shape[0]
        type Other = Box
        def get(self, a: T):
            return a * self.size
    return first(x), Held().get(x), Held.kind, Pair.__name__, Held.Other.__value__
''',
    (3, 13): '''
def type_defaults(x):
    def first[T = int](a: T, b: T = 2) -> T:
        return a * b
    class Held[T = int]:
        def get(self, a: T = 3):
            return a
    return first(x), Held().get(), first.__type_params__[0].__default__
''',
}  # fmt: skip


# A loop so long that its jumps need extended arguments.
_FAR_JUMPS = (
    """
def far_jumps(x):
    y = x
    for _ in range(2):
        if y.shape[0] > 1:
"""
    + "            y = y * 1 + 0 * 2 + y * 0\n" * 24
    + "    return y\n"
)


def _add_newer():
    space = {"__name__": __name__, "Box": Box}
    for since, text in ((3, 11), _FAR_JUMPS), *_NEWER.items():
        if sys.version_info >= since:
            before = set(space)
            exec(compile(text, "<newer>", "exec"), space)
            FUNCTIONS.extend(space[name] for name in space if name not in before and name != "__builtins__")


_add_newer()

# Instructions that stand at the level of a module only.
MODULES = ["from math import *\n", "x: int = 1\ndel x\n"]


def argument():
    return Tensor([1.0, 2.0])
