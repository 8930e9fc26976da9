"""Generators that hand on to others by `yield from`: their elements, their results and how far each has come."""

from hosting import LOG, hosted, total
from program import program

from dyad import Tensor

X = Tensor([1.0, 2.0])


def first(x):
    yield x * 2
    yield x * 3
    return x + 100


def outer(x):
    result = yield from first(x)
    yield result
    yield from (x + k for k in range(2))
    yield from []
    return (yield from zip((1, 2), (x, -x)))


def countdown(n):
    if n > 0:
        yield n
        yield from countdown(n - 1)


def noted(x):
    LOG.append("start")
    yield from map(lambda k: x * k, (1, 2, 3))
    LOG.append("end")


class Counted:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration("done")
        self.n -= 1
        return self.n


@program(X, strict=False)
def all_elements(x):
    return list(outer(x)), sum(countdown(3)), dict(zip("ab", countdown(2)))


@program(X, strict=False)
def left_in_the_middle(x):
    for k in countdown(5):
        if k < 3:
            break
        x = x + k
    return x


@program(X, strict=False)
def gone_on_behind_a_condition(x):
    made = outer(x)
    y = next(made)
    if x.sum() > 0:
        y = y + next(made)
    return y, next(made), list(made), next(made, None)


@program(X, strict=False)
def result_is_nothing_for_plain_iterables(x):
    def inner():
        result = yield from {"a": 1, "b": 2}
        yield result

    return x, list(inner())


@program(X, strict=False)
def iterator_of_the_program_with_a_result(x):
    def inner():
        result = yield from Counted(3)
        yield result

    return x * 2, list(inner())


@program(X, strict=False)
def inner_one_raises(x):
    def inner():
        yield x
        raise ValueError("inner")

    def around():
        yield from inner()

    got = []
    try:
        for row in around():
            got.append(row)
    except ValueError as error:
        return got, str(error)
    return got


@program(X, strict=False)
def what_is_no_iterable(x):
    def inner():
        yield from 5

    try:
        return list(inner())
    except TypeError as error:
        return x, str(error)


@hosted(X)
def on_both_sides_of_python(x):
    made = noted(x)
    y = next(made)
    y = y + total(y)
    for row in made:
        y = y + row
    return y
