"""Functions, cells of closures, recursion and callees that need Python: both sides see each other's writes."""

import functools

import numpy as np
from hosting import LOG, hosted, hosted_scene, passed, total
from program import Call, Scene

from dyad import Tensor, constexpr, jit_ignore, lazy_inline, nn, no_inline

X = Tensor([1.0, 2.0])
N = Tensor(3)


@hosted(X)
def written_on_both_sides(x):
    k = 1.0

    def add(v):
        nonlocal k
        k = k + v
        return k

    add(2.0)
    k = k * 10
    y = x * add(total(x))
    k = k + 1
    return y, add(0.0), k


@hosted(X)
def host_function_writes_a_cell(x):
    seen, last = [], None

    def noted(row):
        nonlocal last
        last = float(row[0])
        seen.append(last)
        return row * 2

    a = np.apply_along_axis(noted, 1, np.stack([x.asnumpy(), x.asnumpy() + 1]))
    y = x * last
    last = "rebound"
    return y, seen, last, a


@hosted(X)
def two_closures_share_a_cell(x):
    def pair(start):
        value = start

        def get():
            return value

        def put(new):
            nonlocal value
            value = new

        return get, put

    get, put = pair(x)
    put(get() * 2)
    k = total(get())
    put(get() + k)
    other, _ = pair(k)
    return get(), other(), get.__closure__[0] is put.__closure__[0]


@hosted(X)
def cell_is_filled_after_the_function_is_made(x):
    def f():
        return x * k

    try:
        f()
    except NameError as error:
        LOG.append(str(error))
    k = total(x)
    y = f()
    k = k + 1
    return y, f(), f.__code__.co_freevars


@hosted(X)
def cell_is_emptied_and_filled(x):
    k = total(x)

    def f():
        return x * k

    y = f()
    del k
    try:
        f()
    except NameError as error:
        LOG.append(type(error).__name__)
    k = 5.0
    return y + f()


@hosted(X)
def argument_is_rebound_for_a_closure(x):
    def f():
        return x

    first = f()
    x = x * 2
    k = total(f())
    x = x + k
    return first, f(), f() is x


@hosted(X)
def loop_variable_in_a_closure_across_a_cut(x):
    made = []
    for i in range(3):

        def f(v, i_=i):
            return v * i + i_

        k = total(f(x))
        made.append((f, k))
    return [f(x) for f, _ in made], [k for _, k in made]


@hosted(X)
def closures_in_a_callee_are_new_each_time(x):
    def maker():
        items = []

        def add(v):
            items.append(total(v))
            return items

        return add

    one, two = maker(), maker()
    return one(x) is one(x), two(x * 2), one.__closure__[0] is two.__closure__[0], x * len(one(x))


@hosted_scene(X)
def counter_of_the_outside():
    n = 0

    def count():
        nonlocal n
        n += 1
        return n

    def f(x):
        y = x * count()
        k = total(y)
        return y + count() + k

    def change():
        nonlocal n
        n = 100

    return Scene(f, change, lambda: n)


@hosted_scene(X)
def own_nonlocal_across_a_cut():
    state = 1.0

    def f(x):
        nonlocal state
        y = x * state
        state = total(y)
        y = y + state
        state += 1
        return y

    return Scene(f, watch=lambda: state)


@hosted(N, then=[(Tensor(0),), (Tensor(6),)])
def recursion_through_host_code(n):
    def down(k, depth):
        LOG.append((int(k), depth))
        if k <= 0:
            return k * 0 + depth
        return down(k - 1, depth + int(k.asnumpy())) + 1

    return down(n, 0)


@hosted(N, then=[(Tensor(0),), (Tensor(6),)])
def mutual_recursion(n):
    def even(k):
        return True if total(k) == 0 else odd(k - 1)

    def odd(k):
        return False if total(k) == 0 else even(k - 1)

    return even(n), n * 2


@hosted(N, then=[(Tensor(0),), (Tensor(5),)])
def recursion_over_a_structure(n):
    def mapped(f, value):
        if isinstance(value, dict):
            return {key: mapped(f, item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(mapped(f, item) for item in value)
        return f(value)

    return mapped(lambda v: n * v + total(n), {"a": [1, (2, 3)], "b": ()})


@hosted(X)
def endless_recursion(x):
    def f(v):
        return f(v) * total(v)

    try:
        return f(x)
    except RecursionError:
        return "too deep", x * 2


@hosted(X)
def decorators_with_host_code(x):
    def counted(function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            call.calls += 1
            LOG.append((function.__name__, call.calls, total(arguments[0])))
            return function(*arguments, **keywords) + call.calls

        call.calls = 0
        return call

    def times(k):
        return lambda function: lambda v: function(v) * k

    @times(passed(2, "decorator"))
    @counted
    def f(v):
        return v * 3

    return f(x) + f(x)


@hosted(X)
def defaults_are_evaluated_when_defined(x):
    k = total(x)

    def f(v, a=passed(k, "default"), *, b=x * k):
        return v * a + b

    k = 100.0
    return f(x), f(x, 1.0), f(x, b=k), f.__defaults__


@hosted_scene(X)
def cached_function():
    @functools.lru_cache
    def slow(k):
        LOG.append(k)
        return [k * 2]

    def f(x):
        one, two = slow(total(x)), slow(total(x))
        one.append("seen")
        return x * one[0], one is two, len(two)

    return Scene(f, slow.cache_clear, lambda: slow.cache_info().hits)


@hosted(X)
def partial_and_reduce(x):
    f = functools.partial(lambda a, b, c=0.0: a * b + c, total(x), c=total(x * 2))
    y = functools.reduce(lambda a, b: a * b, x.asnumpy().tolist(), x)
    return f(x), y, f.keywords


@hosted(X)
def single_dispatch(x):
    @functools.singledispatch
    def told(value):
        return "other"

    @told.register
    def _(value: float):
        return x * value

    @told.register(list)
    def _(value):
        return [told(v) for v in value]

    return told(total(x)), told([total(x), "a"]), told(x)


@hosted(X, then=[Call(X, 2.0, 3.0, k=4.0), Call(X, *[X] * 3), Call(X, z=None, k=X)])
def stars_at_the_top(x, *rest, k=1.0, **more):
    first, *others = passed([*rest, k], "all")
    y = x * first
    return y, total(y), len(others), more


@hosted(X)
def lambdas_in_containers(x):
    k = total(x)
    table = {"a": lambda v: v * k, "b": [lambda v, n=k: v + n]}
    k = k + 1
    return table["a"](x), table["b"][0](x), (lambda: passed(x, "called"))() is x


@hosted(X)
def callee_that_needs_a_cut_twice_in_one_expression(x):
    def f(v):
        LOG.append("in")
        k = total(v)
        LOG.append("out")
        return v * k

    return f(x) + f(f(x)) * f(x - 1)


@hosted(X)
def callee_with_a_cut_in_arms(x):
    def f(v):
        if v.sum() > 0:
            LOG.append(total(v))
            return v * 2
        return v - total(v)

    y = f(x) if x.sum() > 2 else f(-x)
    while y.sum() < 50:
        y = f(y)
    return y


@hosted(X)
def method_objects_and_unbound_functions(x):
    class Box:
        def __init__(self, k):
            self.k = k

        def f(self, v):
            return v * self.k + total(v)

    box = Box(2.0)
    bound, plain = box.f, Box.f
    box.k = total(x)
    return bound(x), plain(Box(1.0), x), bound == box.f, list(map(bound, [x]))


@jit_ignore
def ignored(x, k=2):
    LOG.append(total(x))
    return x * k, np.asarray(x)


@no_inline
def kept_apart(x):
    return x * total(x)


@constexpr
def constant(k):
    return [k, k * 2]


@hosted(X)
def ignored_function_on_run_time_data(x):
    y, a = ignored(x)
    z, _ = ignored(y, k=total(y))
    return z, a, type(a).__name__


@hosted(X)
def marked_functions(x):
    y = kept_apart(x) + constant(3)[1]
    return kept_apart(y) + ignored(y)[0]


@hosted_scene(X)
def lazily_inlined_cell():
    class Block(nn.Cell):
        @lazy_inline
        def __init__(self, k):
            super().__init__()
            self.k = k

        def construct(self, x):
            return x * self.k + total(x)

    one, two = Block(2.0), Block(3.0)
    return lambda x: two(one(x)) + one(x)


@hosted(X)
def callbacks_from_libraries(x):
    calls = []

    def compare(a, b):
        calls.append((a, b))
        return (a > b) - (a < b)

    ordered = sorted([total(x), 2.0, -1.0], key=functools.cmp_to_key(compare))
    found = list(map(lambda v: x * v, ordered))
    return found, ordered, len(calls) > 1
