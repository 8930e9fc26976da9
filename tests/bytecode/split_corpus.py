"""Functions of all kinds of control flow, with the arguments that they are called with."""

import contextlib


class Counter:
    """A context manager that notes how it was left, and swallows ValueError."""

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("enter")
        return len(self.log)

    def __exit__(self, kind, value, traceback):
        self.log.append(None if kind is None else kind.__name__)
        return kind is ValueError


def twice(x, plus=0):
    return x * 2 + plus


def straight(a, b):
    c = a * 2 + b
    d = c - a * b
    return (c + d) * twice(d)


def branches(a, b):
    if a > b:
        c = a - b
    elif a == b:
        c = a * 10
    else:
        c = b - a
    return c + a


def may_be_unbound(a, b):
    if a > b:
        c = a * b
    return c + 1


def unbound_and_set(a, b):
    for i in range(a):
        if i == b:
            found = i * 2
            continue
        last = i + 1
    return last + a, found


def early(a, b):
    if a == 0:
        return b * 3
    b = b + a
    if b > 3:
        return b - 1
    return a * b


def while_loop(a, b):
    total = 0
    while a > 0 and total < 50:
        total += a * b
        a -= 1
        if total == 7:
            break
    else:
        total = -total
    return total + a


def for_loop(a, b):
    total = 0
    for i in range(a):
        if i % 3 == 1:
            continue
        total += i * b
        if total > 20:
            break
    else:
        total += 100
    return total * 2


def nested_loops(a, b):
    found = []
    for i in range(a):
        for j in range(b):
            if i * j == 4:
                break
            found.append(i * j + 1)
        else:
            found.append(-i)
    return found, i + 1


def endless(a, b):
    while True:
        a = a + b + 1
        if a > 10:
            return a * 2


def tries(a, b):
    c = 0
    try:
        c = a + 1
        c = c // b
        d = c * 2
    except ZeroDivisionError as error:
        d = str(error) + str(c)
    except TypeError:
        return "type"
    else:
        d = d + 1
    finally:
        c = 5
    return d, c


def nested_tries(a, b):
    log = []
    try:
        try:
            log.append(a // b)
            x = log[a]
        finally:
            log.append("inner")
            y = a * 2
    except IndexError:
        x = y + 1
    except (ZeroDivisionError, TypeError) as error:
        raise ValueError(f"bad {len(log)}") from error
    return log, x * 2


def finally_returns(a, b):
    for i in range(3):
        try:
            if i == b:
                return a * i
            a = a + 1
            if a > 4:
                continue
        finally:
            a = a * 2
    return a - 1


def with_block(a, b):
    log = []
    c = a
    with Counter(log) as entered:
        c = a * entered
        c = c // b
        log.append(c + 1)
    log.append(c * 2)
    return log


def with_return(a, b):
    log = []
    with Counter(log) as first, contextlib.suppress(TypeError):
        if a > 1:
            return a * b + first, log
        a = a + b
    return a * 3, log


def with_in_loop(a, b):
    log = []
    for i in range(a):
        with Counter(log):
            if i == b:
                raise ValueError(i * 2)
            log.append(i * b)
            if i == 3:
                break
    return log


def comprehension(a, b):
    squares = [i * i + b for i in range(a) if i != b]
    pairs = {i: i * 2 for i in squares}
    return squares, pairs, {i % 2 for i in squares}, sum(i * b for i in squares)


def comprehension_keeps(a, b):
    i = a * 2
    found = [[i + j for j in range(i)] for i in range(b)]
    return found, i + 1


def closures(a, b):
    c = a * 2

    def inner(x):
        return x + c * b

    c = inner(3) + 1
    return inner(a), c * 2


def counters(a, b):
    n = 0

    def step():
        nonlocal n
        n += a
        return n * 2

    step()
    n = n + b
    return step() + n * 3


def lambdas(a, b):
    c = a + b
    pick = sorted(range(a), key=lambda x: -x * c)
    return pick, (lambda y: y * c)(b)


def keywords(a, b):
    c = twice(a, plus=b * 2) + twice(plus=a, x=b)
    return dict(first=c, second=twice(c, plus=a + 1))


def stars(a, b):
    args = [a, b]
    more = {"plus": a}
    return twice(*args) + twice(b, **more), [*args, a * 2, *args], {**more, "x": b + 1}, (*args, b - 1)


def chained(a, b):
    c = 0 < a * 2 < b + 5 < 20
    d = (a and b) or a + b
    e = not a or b > 1
    return c, d, e, a if a > b else b * 2


def texts(a, b):
    return f"{a * 2:>5}|{b!r}|{a + b}|{'x' * b}"


def walrus(a, b):
    if (c := a * b) > 5:
        return c + 1
    while (d := c + 1) < 9:
        c = d + a + 1
    return [e := c + d, e * 2]


def unpacking(a, b):
    x, y = a + 1, b * 2
    x, y = y, x
    (p, *q), r = [x, y, a], x + y
    first, *rest = range(a + 1)
    return x, y, p, q, r, first, rest


def matching(a, b):
    found = []
    for case in (a, [a, b], {"k": b, "z": 1}, (1, 2, 3), "text", None):
        match case:
            case 0 | 1:
                found.append("small")
            case [x, y] if x > y:
                found.append(x - y)
            case [x, *others]:
                found.append((x * 2, others))
            case {"k": k, **left}:
                found.append((k + 1, left))
            case str() as text:
                found.append(text * 2)
            case int(n):
                found.append(n * n)
            case _:
                found.append(case)
    return found


def deleting(a, b):
    c = a * 2
    d = [c, b, a]
    del d[0]
    if a > 2:
        del c
    d.append(b * 2)
    return d, c + 1


COUNT = 0


def globals_(a, b):
    global COUNT
    COUNT = a * 2
    twice(COUNT)
    COUNT += b
    return COUNT * 2


def augmented(a, b):
    items = {"x": a, "y": [b, a * 2]}
    items["x"] += b * 2
    items["y"][a % 2] *= items["x"] + 1
    items["y"][0:1] = [a + b]
    return items, items["y"][1:]


def raising(a, b):
    found = []
    for i in range(5):
        try:
            if i == a:
                raise KeyError(i * 2)
            if i == b:
                raise RuntimeError("stop") from None
            found.append(i * 10)
        except KeyError as error:
            found.append(error.args[0] + 1)
    return found


def asserts(a, b):
    assert a + b > 0, f"too small: {a * b}"
    return a + b * 2


def defaults(a, b=3, *more, scale=2, **named):
    return (a * scale + b) * len(more), named, scale * b


def methods(a, b):
    word = "ab" * (a + 1)
    return word.upper().replace("A", str(b * 2)), word.find("b", a - 1) + 1


def slices(a, b):
    items = list(range(10))
    items[a : b + 3] = [a * 2]
    return items[::2], items[-a - 1], items[b:]


def imports(a, b):
    import math

    c = math.floor(a * 1.5)
    from math import ceil

    return c + ceil(b / 2)


def classes(a, b):
    class Local:
        x = a * 2

        def get(self):
            return self.x + b

    return Local().get() * 2


def generator(a, b):
    total = a * 2
    for i in range(a):
        total += i * b
        got = yield total + 1
        if got:
            total = got * 2
    return total


def consumed(a, b):
    return list(generator(a, b)), [*(i * b for i in range(a))]


def handler_work(a, b):
    try:
        x = a // b
    except ZeroDivisionError:
        x = 0
        for i in range(a):
            x += i * 2
        try:
            x = x // b
        except ZeroDivisionError as error:
            x = error.__context__ is not None
    return x


def reads_after_error(a, b):
    done = 0
    last = None
    try:
        for i in range(a):
            done = i * 10
            last = 6 // (b - i)
            done = done + 1
    except ZeroDivisionError:
        return "stopped", done, last
    return done, last


def exception_unbinds(a, b):
    error = 3
    try:
        a = a // b
    except ZeroDivisionError as error:
        a = str(error)
    return a, error


def reads_unbound(a, b):
    c = a * 2
    del c
    try:
        c  # noqa: B018, F821
    except UnboundLocalError as error:
        b = str(error) * 2
    c = a * 3
    return c, b


class Base:
    def scaled(self, a, b):
        return a * 2 + b


class Derived(Base):
    factor = 3

    def scaled(self, a, b):
        c = a + 1
        d = super().scaled(c, b) * self.factor
        return d + super().scaled(a, b)

    def kept(self, a, b):
        return [super(Derived, self).scaled(i, b) + self.factor for i in range(a)]


NUMBERS = [(0, 0), (1, 2), (2, 1), (3, 0), (5, 2), (4, "text"), (None, 1)]
CORPUS = [
    *(straight, branches, may_be_unbound, unbound_and_set, early, while_loop, for_loop, nested_loops, tries),
    *(
        nested_tries,
        finally_returns,
        with_block,
        with_return,
        with_in_loop,
        comprehension,
        comprehension_keeps,
    ),
    *(closures, counters, lambdas, keywords, stars, chained, texts, walrus, unpacking, matching, deleting),
    *(globals_, augmented, raising, asserts, methods, slices, imports, classes, consumed, handler_work),
    *(reads_after_error, exception_unbinds, reads_unbound),
]
CALLS = {function: NUMBERS for function in CORPUS}
CALLS[endless] = [(0, 0), (1, 2), (20, 1)]
CALLS[defaults] = [(1,), (1, 2), (1, 2, 3), (2, 3, 4, 5), (None, 1)]
CALLS[Derived.scaled] = [(Derived(), *pair) for pair in NUMBERS]
CALLS[Derived.kept] = [(Derived(), *pair) for pair in NUMBERS]
