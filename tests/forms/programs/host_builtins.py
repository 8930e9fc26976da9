"""Python's built-in functions on run-time data."""

import builtins
import io
import sys

import numpy as np
from hosting import LOG, hosted, hosted_scene, passed, total

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(65.5)
N = Tensor(3)
NUMBERS = [(Tensor(65),), (Tensor(10),), (Tensor(3.0),)]


@hosted(N, then=NUMBERS)
def numbers_as_texts(n):
    k = int(n)
    return (
        chr(k),
        ord(chr(k)),
        bin(k),
        hex(k),
        oct(-k),
        ascii("é" * 1),
        repr(k),
        str(float(k)),
        n * len(bin(k)),
    )


@hosted(N, then=NUMBERS)
def numbers_of_texts(n):
    text = str(int(n))
    return int(text, 16), float(text), complex(text), int(text * 2) + n, bool(text), int(float(text + ".7"))


@hosted(X)
def minimum_and_maximum(x):
    values = x.asnumpy().tolist()
    return (
        max(values),
        min(values, key=lambda v: -v),
        max([], default=total(x)),
        min(total(x), 1.0, 2),
        max(x, x * 2, key=total),
        x * max(values),
    )


@hosted(X)
def sums_and_products(x):
    values = x.asnumpy().tolist()
    return (
        sum(values),
        sum([x, x], x),
        sum(([v] for v in values), [0]),
        pow(int(total(x)), 3, 7),
        abs(total(x)),
    )


@hosted(X)
def all_and_any_stop_early(x):
    seen = []

    def asked(v):
        seen.append(v)
        return v > 1.5

    values = x.asnumpy().tolist()
    one = any(asked(v) for v in values + [9.0])
    two = all(map(asked, values))
    return x * len(seen), one, two, seen


@hosted(X)
def lazy_map_filter_zip(x):
    made = map(lambda v: passed(v, v), x.asnumpy().tolist())
    LOG.append("made")
    first = next(made)
    y = x * first
    rest = list(zip(made, iter("ab")))
    kept = list(filter(None, [0.0, total(x), "", x.shape]))
    return y, rest, kept, next(made, "end")


@hosted(X)
def enumerate_reversed_range(x):
    y, seen = x, []
    for i, v in enumerate(reversed(x.asnumpy().tolist()), int(total(x))):
        y = y + v * i
        seen.append(i)
    return y, seen, list(range(int(abs(total(x))), 0, -2)), range(int(total(x)))[0:1]


@hosted(X)
def sorted_with_a_key(x):
    values = x.asnumpy().tolist() + [0.5]
    order = sorted(range(3), key=values.__getitem__, reverse=True)
    return order, sorted([x * 2, x], key=total), x * order[0]


@hosted(N, then=[(Tensor(0),), (Tensor(8),)])
def iterators_by_hand(n):
    it = iter(range(int(n)))
    first = next(it, None)
    y = n + len(list(it))
    try:
        next(it)
    except StopIteration as error:
        LOG.append(error.args)
    chunks = list(iter(io.StringIO("ab" * int(n)).read, ""))
    return y, first, chunks


@hosted(X)
def iter_with_a_sentinel(x):
    values = [*x.asnumpy().tolist(), 0, 5]

    def take():
        return values.pop(0)

    y = x
    for v in iter(take, 0):
        y = y * v
    return y, values


@hosted(X)
def attribute_functions(x):
    class Box:
        pass

    box = Box()
    name = "v" + str(int(abs(total(x))))
    setattr(box, name, x)
    y = getattr(box, name) * 2
    setattr(box, "y", y)
    delattr(box, name)
    return hasattr(box, name), getattr(box, "none", total(y)), vars(box), sorted(vars(box)), box.y is y


@hosted(X)
def types_of_values(x):
    a = x.asnumpy()
    return (
        type(a),
        type(a[0]).__mro__[1].__name__,
        isinstance(a, np.ndarray),
        isinstance(total(x), (int, str)),
        issubclass(type(total(x)), float),
        type(x) is Tensor,
        type(total(x))("3.5") * x,
        callable(x.asnumpy),
    )


@hosted(X)
def class_by_three_arguments(x):
    Made = type("Made", (dict,), {"scale": total(x), "f": lambda self, v: v * self.scale})
    made = Made(a=1)
    return made.f(x), made, Made.__name__, Made.__bases__


@hosted(X)
def hashes_and_identities(x):
    t = (1, "a")
    same = passed(t, "t")
    return (
        hash(total(x)) == hash(int(total(x))),
        id(t) == id(same),
        hash(t) == hash((1, "a")),
        x * (id(x) > 0),
    )


@hosted(X)
def eval_and_exec(x):
    k = 2
    y = eval("x * k + total(x)")
    space = {"x": x}
    exec("z = x * 3\nw = [float(v) for v in z.asnumpy()]", space)
    code = compile("k + 1", "<made>", "eval")
    return y, space["z"], space["w"], eval(code, {"k": total(x)})


@hosted(X)
def exec_defines_a_function(x):
    space = {}
    exec("def f(x, k):\n    log.append(k)\n    return x * k + float(x.asnumpy()[0])", {"log": LOG}, space)
    return space["f"](x, 3) + space["f"](x, total(x))


@hosted(X)
def locals_and_globals(x):
    k = total(x)
    names = sorted(locals())
    held = locals()["k"]
    y = x * held
    return y, names, "total" in globals(), globals()["X"] is X, sorted(locals())


@hosted(X)
def dir_and_help_texts(x):
    names = dir(x.asnumpy())
    return "sum" in names, len(dir(object())) == len(dir(object)), x * ("T" in names), total.__doc__[:7]


@hosted(X)
def printed_with_everything(x):
    print("sum", total(x), x.asnumpy(), sep="|", end="!\n")
    y = x * 2
    print(y, [total(y)], {"k": None}, f"{total(y):.3f}")
    print(*x.asnumpy().tolist(), sep=", ", file=sys.stdout, flush=True)
    buffer = io.StringIO()
    print(y.shape, file=buffer)
    return y, buffer.getvalue()


@hosted(X)
def print_in_arms_and_loops(x):
    y = x
    while y.sum() < 20 and y.sum() > -20:
        print("at", y.sum(), total(y))
        if y.sum() > 5:
            print("large")
            y = y * 3
        else:
            print("small", y.shape, sep="-")
            y = y * 2 + (1 if total(y) > 0 else -1)
    print("end")
    return y


@hosted(X)
def input_is_read(x):
    before = sys.stdin
    sys.stdin = io.StringIO("7\nname\n")
    try:
        k = int(input("number? "))
        y = x * k
        name = input()
        try:
            input("more? ")
        except EOFError as error:
            LOG.append(type(error).__name__)
    finally:
        sys.stdin = before
    return y, name


@hosted(X)
def formatted(x):
    k = total(x)
    return (
        format(k, "08.3f"),
        f"{k!r:>10}{x.shape}",
        f"{k:{'+' if k > 0 else ''}.1e}",
        "{:d}".format(int(k)),
        x * k,
    )


@hosted(X)
def slices_and_ellipsis(x):
    part = slice(int(abs(total(x))) - 3, None)
    items = [1, 2, 3, 4]
    return items[part], part.indices(4), x.asnumpy()[..., None].shape, x[part]


@hosted(X)
def import_by_name(x):
    math = __import__("math")
    name = "flo" + "or"
    return x * getattr(math, name)(total(x) + 0.5), math.__name__


@hosted_scene(X)
def builtin_replaced():
    before = builtins.oct

    def f(x):
        y = x * len(oct(8))
        builtins.oct = lambda value: before(value) + "!!"
        try:
            z = y + len(oct(8)) + total(x)
        finally:
            builtins.oct = before
        return z, oct(8)

    return f


@hosted_scene(X)
def builtin_shadowed_by_a_global():
    globals().pop("abs", None)

    def f(x):
        y = x * abs(-total(x))
        globals()["abs"] = lambda value: 100.0
        y = y + abs(total(x))
        del globals()["abs"]
        return y, abs(-3)

    return f


@hosted(X)
def bytes_and_memory(x):
    a = x.asnumpy().astype(np.uint8)
    return (
        bytes(a)[:1],
        bytearray(int(abs(total(x)))),
        memoryview(a).nbytes,
        bytes([1, 2]) + b"a",
        x * len(bytes(a)),
    )


@hosted(X)
def rounding(x):
    k = total(x) / 4
    return round(k), round(k, 1), divmod(k, 0.5), int(k), x * round(k), round(-2.5)


@hosted(X)
def super_and_property_by_hand(x):
    class Base:
        def f(self):
            return total(x)

    class Made(Base):
        def _get(self):
            return super(Made, self).f() * 2

        value = property(_get, doc="twice")
        fixed = staticmethod(lambda v: v * 3)
        named = classmethod(lambda cls: cls.__name__)

    made = Made()
    return x * made.value, Made.value.__doc__, made.fixed(x), Made.named()


@hosted(X)
def arity_errors_of_builtins(x):
    y, told = x * 2, []
    for call in (
        lambda: len(total(x)),
        lambda: abs(1, 2),
        lambda: int("a"),
        lambda: chr(-1),
        lambda: [].pop(),
    ):
        try:
            call()
        except Exception as error:
            told.append((type(error).__name__, str(error)))
    return y, told
