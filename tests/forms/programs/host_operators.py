"""Operators on operands of any type, and the order in which operands are evaluated when some of them need Python."""

import collections
import operator
import pathlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hosting import hosted, hosted_scene, log, passed, total
from program import Raises

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(3.0)
N = Tensor(3)
NUMBERS = [(Tensor(0),), (Tensor(7),), (Tensor(3.0),)]


def a(x):
    log("a")
    return x


def b(x):
    log("b")
    return x * 2


@hosted(X)
def arguments_in_order(x):
    def f(*arguments, **keywords):
        log("called")
        return sum(arguments) + sum(keywords.values())

    return f(a(x), passed(x, "host"), b(x), k=passed(x * 3, "keyword"), m=a(x))


@hosted(X)
def stars_in_order(x):
    def f(p, q, *rest, last, **more):
        return p + q * 2 + sum(rest) * 3 + last, sorted(more)

    return f(a(x), *passed([x, x * 2], "star"), b(x), **passed({"last": x, "z": 1}, "stars"), y=total(x))


@hosted(X)
def function_before_its_arguments(x):
    def chosen():
        log("chosen")
        return lambda p, q: p * q

    return chosen()(passed(x, "first"), total(b(x)))


@hosted(X)
def operands_in_order(x):
    return passed(a(x), "left") + b(x) * passed(2.0, "middle") - a(passed(x, "right"))


@hosted(X)
def subscripts_and_values_in_order(x):
    table = {}
    passed(table, "table")[passed("key", "key")] = a(passed(x, "value"))
    table["key"] = table["key"] * passed(3, "three")
    return table


@hosted(X)
def augmented_subscript_with_a_host_value(x):
    items = [x, 2.0]

    def place():
        log("place")
        return 0

    items[place()] += total(items[0])
    items[place() + 1] *= passed(5.0, "five")
    return items


@hosted(X)
def augmented_value_is_read_before_the_right_side(x):
    items = [1.0, 2.0]

    def change():
        items[0] = 100.0
        return total(x)

    items[0] += change()
    k = 1.0

    def rebind():
        nonlocal k
        k = 50.0
        return total(x)

    k += rebind()
    return x * items[0], items, k


@hosted(X)
def augmented_attribute_with_a_host_value(x):
    class Box:
        pass

    box = Box()
    box.value, box.rows = x, [1]
    rows = box.rows
    box.value += total(x)
    box.rows += x.asnumpy().tolist()
    return box.value, rows, box.rows is rows


@hosted(S, then=[(Tensor(7.0),), (Tensor(30.0),)])
def chained_comparison_with_host_calls(x):
    one = a(1) < passed(x.item(), "middle") < b(10)
    two = passed(1, "first") > passed(2, "never here") > a(3) if x > 0 else None
    three = 0 < passed(x, "tensor") <= total(x) != 7.0
    return one, two, three


@hosted(X)
def short_circuits(x):
    first = total(x) > 100 and passed(x, "not reached")
    second = total(x) < 100 or passed(x, "not reached either")
    third = passed(0.0, "zero") or passed([], "empty") or a(x)
    fourth = passed("", "text") and b(x)
    fifth = not passed(None, "none")
    return first, second, third, fourth, fifth


@hosted(X)
def conditional_expression_of_host_values(x):
    y = passed(x, "yes") if passed(total(x) > 0, "asked") else passed(-x, "no")
    return y * (2 if total(y) > 2 else passed(5, "five"))


@hosted(X)
def walrus_across_host_calls(x):
    if (n := total(x)) > 0 and (m := passed(n * 2, "m")) > 4:
        return x * m + n
    y = [k := total(x), k + 1, (k := k * 2)]
    return x + k, y, n


@hosted(X)
def arrays_and_lists(x):
    values = x.asnumpy()
    tail = [1] + values.tolist() + [x] * 2
    tail *= 2
    tail[1:3] = [total(x)]
    return tail, tail[-1] is x, tail[1] + x


@hosted(X)
def texts(x):
    name = "v" + str(total(x))
    name += "!" * 2
    said = "%s is %5.1f" % (name, total(x))
    return said, "v" in name, name < "w", x * len(said), name[::-1]


@hosted(N, then=NUMBERS)
def texts_by_run_time_numbers(n):
    k = int(n)
    return "ab" * k, "abcdefgh"[k], "abcdefgh"[:k], "%03d" % k, b"ab" * k, "x".join(map(str, range(k)))


@hosted(N, then=NUMBERS)
def division_by_run_time_numbers(n):
    y = n * 2
    try:
        q = 12 // int(n)
        r = 12.0 / int(n) + 12 % int(n)
    except ZeroDivisionError as error:
        return y, str(error)
    return y + q, q, r, divmod(-7, int(n)), (-7) ** int(n), 2 ** -int(n)


@hosted(X)
def dicts(x):
    left, right = {"a": total(x), "b": 1}, {"b": x, "c": None}
    both = left | right
    same = left
    left |= right
    return both, same is left, left == {"a": total(x), "b": x, "c": None}, "c" in both, left["b"] is x


@hosted(N, then=NUMBERS)
def sets(n):
    k = int(n)
    one, two = {k, 1, 2}, frozenset([k, 5])
    held = one
    one -= {1}
    one |= two
    return one & two, one ^ {5}, one >= two, held is one, n in (1, n), k in two, {k} < one


@hosted(X)
def nothing(x):
    y = None if total(x) > 0 else x
    z = y is None
    held = [None, y, x]
    return held.count(None), z, y == None, held.index(None), None in held, y is not x


@hosted(X, expect=Raises(TypeError, "NoneType"))
def nothing_is_added(x):
    y = x * 2
    log("before")
    return y + passed(None, "none")


@hosted(X)
def wrong_operands_are_told(x):
    told = []
    for other in (None, "a", {}, object):
        try:
            y = x * total(x)
            told.append(y + other)
        except TypeError as error:
            told.append(str(error))
    return told


@hosted(X)
def numbers_of_the_library(x):
    k = int(total(x))
    f = Fraction(k, 7) + 1
    d = Decimal(k) / 8
    return f, d, x * float(f * 7), f > d, complex(k, 1) * 2j, f**2


@hosted(X)
def paths(x):
    p = pathlib.PurePosixPath("a") / f"b{int(total(x))}" / "c.txt"
    return str(p), p.suffix, p.parent.name, p < pathlib.PurePosixPath("b"), x * len(p.parts)


@hosted(X)
def identity_of_tensors(x):
    y = passed(x, "same")
    z = passed(x * 1, "other")
    items = [x, y, z]
    return y is x, z is x, items[1] is items[0], x in items, [item is x for item in items]


@hosted(X)
def identity_behind_numbers(x):
    big = 10**20
    one, two = passed(big, "one"), [big]
    t = (1, x)
    u = passed(t, "tuple")
    return one is big, two[0] is big, u is t, u[1] is x, total(x) is None


@hosted_scene(X)
def operators_of_the_library():
    add, item, attribute = operator.iadd, operator.itemgetter(1), operator.attrgetter("shape")

    def f(x):
        items = [x.asnumpy(), total(x)]
        y = add(items, [1])
        return item(items) * x, attribute(x), y is items, operator.index(np.int64(3)), operator.not_(total(x))

    return f


@hosted(X)
def counters_and_chains(x):
    c = collections.Counter(x.asnumpy().tolist() + [1.0])
    d = c + collections.Counter(["z"] * 2)
    d -= collections.Counter([1.0])
    chain = collections.ChainMap({}, {"k": total(x)})
    chain["k"] += 1
    return x * chain["k"], d, chain.maps, c.most_common(1)


@hosted(X)
def matrix_product_of_arrays(x):
    left = np.outer(x.asnumpy(), [1.0, 2.0])
    left @= np.array([[0.0, 1.0], [1.0, 0.0]])
    return left, x * float((left @ left).trace()), np.array([1.0, 2.0]) @ x


@hosted(N, then=NUMBERS)
def bits_of_arrays(n):
    bits = np.array([1, 2, 4, 8]) << int(n)
    bits[1:] |= 1
    kept = bits[(bits & 8) != 0]
    return n + int(bits.sum()), ~bits, kept, bool(bits[0] ^ bits[1])


@hosted(X)
def deleted_slices_and_items(x):
    items = [1, total(x), 3, x, 5]
    alias = items
    del items[::2]
    y = items[1] * items[0]
    del alias[0], alias[0]
    return y, items, alias is items


@hosted(X)
def unpacking_of_host_values(x):
    first, *rest = x.asnumpy().tolist() + [7]
    (p, q), *[r, *s] = passed([(x, first), *rest], "nested")
    p, q = q, p
    return q * p, r, s, [*rest, *range(2)], {**{"a": first}, "b": rest}


@hosted(X)
def unpacking_that_does_not_fit(x):
    y, z = x, 1
    try:
        y = x * 2
        y, z = x.asnumpy().tolist() + [total(x)]
    except ValueError as error:
        log(str(error))
    return y, z


@hosted(X)
def targets_are_assigned_in_order(x):
    items, i = [0.0, 0.0, 0.0], 0
    i, items[i], items[i + 0] = int(abs(total(x))) % 3, x, total(x)
    items[0] = i = 2
    return items, i
