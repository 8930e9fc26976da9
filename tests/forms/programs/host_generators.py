"""Generators of the program: made, advanced, sent to, closed and exhausted on both sides of host statements."""

import asyncio
import itertools

from hosting import LOG, hosted, hosted_scene, total
from program import Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([0, 3]),)]


def rows(x, n=3):
    LOG.append("start")
    for k in range(n):
        LOG.append(k)
        yield x * k
    LOG.append("end")


@hosted(X)
def consumed_in_a_loop(x):
    y = x
    for row in rows(x):
        y = y + row
    return y


@hosted(X)
def advanced_in_the_middle(x):
    made = rows(x)
    LOG.append("made")
    first = next(made)
    k = total(first + x)
    second = next(made)
    LOG.append("between")
    y = second * k
    for row in made:
        y = y + row
    return y, next(made, None)


@hosted(X)
def left_by_break_and_gone_on(x):
    made, y = rows(x, 5), x
    for row in made:
        y = y + row
        if total(row) != 0:
            break
    LOG.append("behind")
    return y, [total(row) for row in made]


@hosted(X)
def closed_with_finally(x):
    def held():
        try:
            yield x
            yield x * 2
        finally:
            LOG.append("closed")

    made = held()
    y = next(made) * total(x)
    made.close()
    LOG.append("behind")
    return y, list(made)


@hosted(X)
def dropped_generator_is_closed(x):
    def held():
        try:
            yield x
        finally:
            LOG.append("closed")

    y = next(held()) * total(x)
    LOG.append("behind")
    return y


@hosted(X)
def sent_and_thrown(x):
    def running():
        sum_ = 0.0
        while True:
            try:
                value = yield sum_
                sum_ = sum_ + total(value)
            except ValueError as error:
                LOG.append(error.args)
                sum_ = -1.0

    made = running()
    next(made)
    a = made.send(x)
    b = made.send(x * a)
    c = made.throw(ValueError("reset", a))
    return x * b, a, c, made.send(x)


@hosted(X)
def value_of_a_generator(x):
    def inner():
        yield 1
        return total(x)

    def outer():
        k = yield from inner()
        LOG.append(("inner gave", k))
        yield x * k

    return list(outer())


@hosted(X)
def generator_sees_later_writes(x):
    k = 1.0

    def made():
        yield x * k
        yield x * k

    it = made()
    k = 2.0
    first = next(it)
    k = total(x)
    second = next(it)
    return first, second


@hosted(X)
def generator_writes_to_the_outside(x):
    count, seen = 0, []

    def made():
        nonlocal count
        for value in x.asnumpy().tolist():
            count += 1
            seen.append(value)
            yield value

    y = x
    for value in made():
        y = y * value + count
    return y, count, seen


@hosted(X)
def expression_evaluates_its_first_iterable_now(x):
    items = [1.0, total(x)]
    made = (v * k for v in items)
    items = [100.0]
    k = 3.0
    return x * sum(made), list(made)


@hosted(X)
def pipeline_is_lazy(x):
    def source():
        for v in itertools.count(1):
            LOG.append(("source", v))
            yield v

    squares = (v * v for v in source())
    kept = (v for v in squares if v % 2)
    first = list(itertools.islice(kept, 2))
    y = x * first[1]
    return y + next(kept), total(y)


@hosted(X, then=ALSO)
def exception_inside_a_generator(x):
    def made():
        yield x
        yield x * (1 / (total(x) - 3))

    it = made()
    y = next(it)
    try:
        y = y + next(it)
    except ZeroDivisionError as error:
        LOG.append(str(error))
    return y, next(it, "ended")


@hosted(X)
def stop_iteration_inside_a_generator(x):
    def made():
        yield total(x)
        raise StopIteration

    it = made()
    y = x * next(it)
    try:
        next(it)
    except RuntimeError as error:
        return y, str(error), type(error.__cause__).__name__


@hosted(X)
def generator_returned(x):
    k = total(x)
    return (x * v * k for v in range(3))


@hosted_scene(X)
def generator_of_the_outside_is_shared_by_calls():
    def count():
        k = 0.0
        while True:
            k += 1
            yield k

    made = count()

    def f(x):
        a = next(made)
        y = x * a
        b = next(made)
        return y + b

    return Scene(f, lambda: next(made))


@hosted_scene(X)
def iterator_of_the_outside_runs_out():
    made = iter([1.0, 2.0, 3.0])

    def f(x):
        y = x * 2
        LOG.append("asked")
        return y * next(made)

    return Scene(f, watch=lambda: made.__length_hint__())


@hosted(X)
def recursive_generator(x):
    def walk(node):
        value, children = node
        yield total(value)
        for child in children:
            yield from walk(child)

    tree = (x, [(x * 2, []), (x * 3, [(x * 4, [])])])
    values = list(walk(tree))
    return x * values[-1], values


@hosted(X)
def class_with_a_generator_method(x):
    class Tree:
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            for item in self.items:
                if isinstance(item, Tree):
                    yield from item
                else:
                    yield total(item)

    y = x
    for k in Tree(x, Tree(x * 2, x), x):
        y = y + k
    return y, [*Tree(x)]


@hosted(X)
def two_generators_in_turns(x):
    y, one, two = x, rows(x, 2), rows(x * 10, 3)
    for a, b in zip(one, two):
        y = y + a + b
        LOG.append(total(b))
    return y, [total(row) for row in two]


@hosted(X)
def coroutines_run_as_python(x):
    async def scaled(v, k):
        LOG.append(("in", k))
        await asyncio.sleep(0)
        LOG.append(("out", k))
        return v * k

    async def both():
        return await asyncio.gather(scaled(x, 2.0), scaled(x, total(x)))

    one, two = asyncio.run(both())
    return one + two


@hosted(X)
def asynchronous_loops_and_managers(x):
    class Held:
        async def __aenter__(self):
            LOG.append("in")
            return total(x)

        async def __aexit__(self, *about):
            LOG.append("out")

    async def values():
        for k in range(3):
            yield x * k

    async def main():
        y = x
        async with Held() as k:
            async for value in values():
                y = y + value * k
        return y, [total(v) async for v in values()]

    return asyncio.run(main())
