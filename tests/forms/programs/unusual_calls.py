"""Decorators, caches, context managers, star arguments, and Cells kept in containers."""

import contextlib
import functools

from program import Scene, program, scene

from dyad import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
M = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


# ---- functools, contextlib


@functools.lru_cache
def squared(n):
    return n * n


@program(X, 3, then=[(X, 4)])
def cached_function_of_a_constant(x, n):
    return x * squared(n)


def doubling(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 2

    return wrapper


@doubling
def plus_one(v, by=1):
    return v + by


@program(X)
def wrapped_callee(x):
    return plus_one(x, by=3), plus_one.__name__


class Partial:
    def scale(self, x, k, by=0):
        return x * k + by

    twice = functools.partialmethod(scale, k=2)


@program(X)
def partial_method(x):
    return Partial().twice(x), Partial().twice(x, by=3)


@functools.singledispatch
def described(v):
    return 0


@described.register
def _(v: int):
    return 1


@described.register
def _(v: Tensor):
    return 2


@program(X)
def single_dispatch(x):
    return x * described(3), x * described("a")


@program(X)
def single_dispatch_on_a_tensor(x):
    return x * described(x)


@contextlib.contextmanager
def noted(notes, name):
    notes.append("in " + name)
    try:
        yield name
    finally:
        notes.append("out " + name)


@program(X)
def context_manager_of_a_generator(x):
    notes = []
    with noted(notes, "a") as a, noted(notes, "b"):
        y = x * len(a)
    return y, notes


class Scaled:
    def __init__(self, k):
        self.k = k

    def __enter__(self):
        return self.k

    def __exit__(self, kind, error, trace):
        self.k = 0
        return kind is KeyError


@program(X)
def context_managers_nested(x):
    with Scaled(2) as a:
        with Scaled(3) as b:
            y = x * a * b
    return y


@program(X)
def context_manager_keeps_an_exception(x):
    y = x
    with Scaled(2):
        y = x * 2
        raise KeyError("kept")
    return y


@program(X)
def suppressed_exception(x):
    with contextlib.suppress(ZeroDivisionError):
        return x * (1 // 0)
    return x + 1


# ---- arguments


@scene(X)
def default_that_is_mutable():
    def inner(x, seen=[1]):
        return x * len(seen)

    def f(x):
        return inner(x)

    return Scene(f, change=lambda: inner.__defaults__[0].append(2))


@program(X, S, Tensor([3.0, 4.0]))
def star_arguments_of_tensors(*tensors):
    first, *rest = tensors
    return first + sum(rest), len(tensors)


@program(keywords={"a": X, "b": S})
def keyword_tensors(**tensors):
    return {name: t * 2 for name, t in sorted(tensors.items())}


@program(X, keywords={"k": S})
def keyword_only_tensor(x, *, k, j=2):
    return x * k * j


def passed_on(*args, **kwargs):
    return args[0] * kwargs["k"] + args[-1]


@program(X, S)
def everything_passed_on(x, y):
    args = [x, y]
    return passed_on(*args, *args, **{"k": 3}, **{"j": 4})


@program([X, X])
def list_of_one_tensor_twice(items):
    items[0] += 1
    return items[1]


@scene(strict=False)
def one_list_under_two_names():
    def f():
        a = shared
        b = shared
        a.append(3)
        return len(b), a is b

    shared = [1]
    return Scene(f, watch=lambda: shared)


@program([1, [2, 3]], {"k": [4]}, strict=False)
def nested_containers_changed(items, table):
    inner = items[1]
    inner.append(9)
    table["k"] += [5]
    table.setdefault("z", []).append(inner)
    return items[1] is inner, table["z"][0] is inner


# ---- Cells in containers


class Base(nn.Cell):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        return x * self.w * self.scale


class Middle(Base):
    def construct(self, x):
        return super().construct(x) + 1


@scene(X)
def cells_in_dicts_and_tuples():
    first, second = Base(), Middle()
    table = {"a": first, "b": (second, [nn.ReLU()])}

    def f(x):
        y = table["a"](x)
        for cell in (table["b"][0], *table["b"][1]):
            y = cell(y)
        return y

    return Scene(f, change=lambda: table.update(a=nn.Tanh()))


@scene(X)
def weights_shared_by_two_cells():
    first, second = Base(), Base()
    second.w = first.w

    def f(x):
        return first(x) + second(x)

    return Scene(f, change=lambda: first.w.set_data(Tensor([5.0, 6.0])))


class Writer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor([0.0, 0.0]), name="total")
        self.alias = self.total

    def construct(self, x):
        before = self.total + 0
        self.total += x
        self.alias *= 2
        return before, self.total + 0


@scene(X)
def parameter_under_two_names():
    net = Writer()
    return Scene(net, watch=lambda: net.total.asnumpy().tolist())


class LoopWriter(Writer):
    def construct(self, x):
        for i in range(3):
            if x.sum() > i:
                self.total += x * i
            else:
                ops.assign(self.total, x)
        return self.total * 1


@scene(X)
def parameter_written_in_a_loop_and_arms():
    net = LoopWriter()
    return Scene(net, watch=lambda: net.total.asnumpy().tolist())


class RunTimeLoopWriter(Writer):
    def construct(self, n):
        i = 0
        while i < n:
            self.total += i
            if self.total.sum() > 4:
                self.total -= 1
            i += 1
        return self.total * 1, i


@scene(N, then=[(Tensor(0),), (Tensor(6),)])
def parameter_written_in_a_tensor_loop():
    net = RunTimeLoopWriter()
    return Scene(net, watch=lambda: net.total.asnumpy().tolist())
