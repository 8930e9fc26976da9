"""Assignment in all its forms, `del`, `match`, comprehensions, starred parts."""

from program import Raises, program

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


@program(X)
def unpacking(x):
    a, b = x, 1
    (c, d), [e, *f] = (a, b), [1, 2, 3]
    return a, b, c, d, e, f


@program(X)
def starred_targets(x):
    first, *middle, last = (x, 1, 2, 3)
    *start, end = [1, 2]
    a, *none = (5,)
    return first, middle, last, start, end, a, none


@program(Tensor([[1.0, 2.0], [3.0, 4.0]]))
def unpacking_of_a_tensor(x):
    a, b = x
    first, *rest = x
    return a * b, rest


@program(X, expect=Raises(ValueError, "too many values to unpack"))
def too_many_values(x):
    a, b = (x, 2, 3)
    return a, b


@program(X, expect=Raises(ValueError, "not enough values to unpack (expected 3, got 2)"))
def too_few_values(x):
    a, b, c = (x, 2)
    return a, b, c


@program(X)
def swaps(x):
    a, b = 1, 2
    a, b = b, a
    items = [a, b, x]
    items[0], items[2] = items[2], items[0]
    return a, b, items


@program(X)
def order_of_targets(x):
    items = [0, 0, 0]
    i, items[i] = 1, 9
    i = items[i] = 2
    return i, items, x


@program(X)
def chained_assignment_aliases(x):
    a = b = [x]
    a.append(2)
    c = d = x
    return b, c is d, a is b


@program(X)
def starred_in_literals_and_calls(x):
    def f(*items, **named):
        return len(items), sorted(named)

    a, d = [1, 2], {"k": 1}
    return (*a, x), [*a, *a], {**d, "m": 2}, f(*a, *a, **d, z=1)


@program(X, expect=([4.0, 8.0], [4.0, 8.0]))
def walrus(x):
    if (n := len(x)) > 1:
        x = x * n
    return (y := x + x), y


@program(S, vary=False)
def walrus_in_a_tensor_loop(x):
    n = 0
    while (y := x + n) < 9:
        n += 1
    return y, n


@program(X)
def walrus_in_a_comprehension(x):
    total = [last := k * 2 for k in range(3)]
    return total, last, x


@program(X)
def augmented_on_numbers_and_lists(x):
    n = 7
    n += 3
    n -= 1
    n *= 4
    n //= 5
    n **= 2
    n %= 30
    n <<= 2
    n >>= 1
    n |= 8
    n &= 29
    n ^= 3
    items = alias = [1]
    items += [2, x]
    items *= 2
    return n, alias, alias is items


@program(X)
def augmented_on_tensors_rebinds(x):
    y = x
    y += 3
    z = y
    z *= 2
    y -= 1
    y /= 2
    return x, y, z


@program(X)
def augmented_on_subscripts(x):
    items = [x, 2]
    items[0] += 1
    items[1] *= 5
    table = {"a": x}
    table["a"] -= 1
    y = x + 0
    y[0] += 10
    y[1:] *= 3
    return items, table, y


@program(X)
def augmented_subscript_evaluates_once(x):
    calls = []

    def where():
        calls.append(1)
        return 0

    items = [1, 2]
    items[where()] += 5
    return items, len(calls), x


@program(X, expect=Raises(UnboundLocalError))
def deleted_name(x):
    y = x
    del y
    return y


@program(X)
def delete_items(x):
    items = [1, x, 3, 4, 5]
    del items[0]
    del items[1:3]
    table = {"a": 1, "b": x}
    del table["a"]
    a = b = 1
    del a, b
    return items, table


@program(
    X, 3, then=[(X, 0), (X, "go"), (X, (1, 2)), (X, [1, 2, 3]), (X, {"a": 4}), (X, None), (X, 2.5), (X, True)]
)
def match_on_known_values(x, value):
    match value:
        case None:
            return "nothing"
        case True | False:
            return "bool"
        case 0:
            return "zero"
        case int(n) if n > 2:
            return x * n
        case "go" | "run":
            return "word"
        case (a, b):
            return a + b
        case [first, *rest]:
            return first, rest
        case {"a": item}:
            return item
        case _:
            return "other"


@program(S, then=[(Tensor(0.0),)])
def match_with_tensor_guards(x):
    match x:
        case v if v > 0:
            return v + 1
        case v if v < 0:
            return v - 1
        case _:
            return x


class Point:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


@program(X, Point(1, 2), then=[(X, Point(0, 5))])
def match_on_classes(x, point):
    match point:
        case Point(0, b):
            return x * b
        case Point(a=a, b=b):
            return x * (a + b)


@program(X)
def list_comprehensions(x):
    rows = [x * k for k in range(3) if k != 1]
    pairs = [(a, b) for a in (1, 2) for b in (3, 4) if a + b != 5]
    nested = [[a * b for a in range(2)] for b in range(3)]
    return rows, pairs, nested


@program(X)
def dict_and_set_comprehensions(x):
    table = {k: x * len(k) for k in ("a", "bb", "ccc") if len(k) != 2}
    inverse = {v: k for k, v in {"a": 1, "b": 2}.items()}
    return table, inverse, sorted({k % 3 for k in range(7)})


@program(X)
def comprehension_names_stay_inside(x):
    k = 100
    rows = [k for k in range(3)]
    return k, rows, x


@program(X)
def comprehension_closures(x):
    scale = 3
    functions = [lambda v, k=k: v * k * scale for k in (1, 2)]
    scale = 10
    return [f(x) for f in functions]


@program(Tensor([1.0, 2.0, 3.0]), expect=[2.0, 3.0], strict=False)
def comprehension_with_a_tensor_condition(x):
    return [q for q in x if q > 1]


@program(Tensor([1.0, 2.0, 3.0]), strict=False)
def filter_with_a_tensor_condition(x):
    return list(filter(lambda q: q > 1, x))


@program(Tensor([[1.0, 2.0], [3.0, 4.0]]))
def comprehension_over_rows(x):
    return [row.sum() for row in x], tuple(value for row in x for value in row)


@program(S)
def branches_inside_comprehensions(x):
    return [k if x > 0 else -k for k in (1, 2, 3)]


@program(X)
def multiple_statements_on_a_line(x):
    a = x; b = a * 2  # fmt: skip
    if a is x: c = 1  # fmt: skip
    else: c = 2  # fmt: skip
    return a + b + c


@program(X)
def import_inside(x):
    import math
    from math import floor as down

    return x * math.pi, down(2.7), math.sqrt(16.0)


@program(X)
def global_for_reading(x):
    global SCALE
    return x * SCALE


SCALE = 4
