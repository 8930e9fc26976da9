"""The built-in functions on known values and on Tensors."""

from program import Raises, program

import dyad
from dyad import Parameter, Tensor, mutable

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
M = Tensor([[1.0, 2.0], [3.0, 4.0]])


@program(X)
def conversions_of_known_values(x):
    return (
        0,
        int(2.9),
        int("12"),
        int("z", 36),
        0.0,
        float("1e3"),
        bool([]),
        bool("a"),
        "",
        str(None),
    )


@program(S, N)
def conversions_of_tensors(x, n):
    return int(x), float(n), bool(n), int(n) * 2, float(x) + 0.5


@program(X, expect=Raises((TypeError, ValueError)))
def conversion_of_several_elements(x):
    return int(x)


@program(X, expect=Raises(TypeError))
def base_without_a_string(x):
    return int(5, 16)


@program(M)
def sequences_of_everything(x):
    return list(x), tuple(x), list("ab"), tuple({"a": 1}), list(range(3)), tuple([1, 2])


@program(M)
def lengths(x):
    return len(x), len([1]), len("abc"), len({"a": 1}), len(()), len(range(5))


@program(S, expect=Raises(TypeError))
def length_of_no_dimension(x):
    return len(x)


@program(X, expect=Raises(TypeError, "object of type 'int' has no len()"))
def length_of_a_number(x):
    return len(5)


@program(X, 1, then=[(X, 2.5), (X, True), (X, "s"), (X, [1]), (X, (1,)), (X, {}), (X, None), (X, X)])
def isinstance_of_everything(x, v):
    return (
        isinstance(v, int),
        isinstance(v, float),
        isinstance(v, bool),
        isinstance(v, str),
        isinstance(v, list | tuple),
        isinstance(v, (dict, Tensor)),
        isinstance(x, Tensor),
        isinstance(x, Parameter),
    )


@program(S)
def isinstance_of_run_time_numbers(x):
    return isinstance(int(x), int), isinstance(float(x), float), isinstance(bool(x), int), type(int(x))


@program(X, 1, then=[(X, "s"), (X, [1]), (X, None)])
def type_of_known_values(x, v):
    return type(v), type(v) is int, type(v).__name__, type((1,)), type({})


@program(X)
def type_of_a_tensor(x):
    return type(x), type(x) is Tensor, type(x + 1).__name__


@program(X)
def attributes_by_name(x):
    return (
        getattr(x, "shape"),
        getattr(x, "no_such", 5),
        hasattr(x, "dtype"),
        hasattr(x, "no_such"),
        hasattr(x, "asnumpy"),
        getattr(x, "sum")(),
    )


@program(X, expect=Raises(AttributeError))
def missing_attribute(x):
    return x.no_such_attribute


@program(Tensor([-1.5, 2.5]))
def abs_round_of_tensors(x):
    return abs(x), round(x), abs(-3), abs(-2.5)


@program(X)
def max_and_min_of_known_values(x):
    return (
        max(1, 5, 3),
        min([4, 2]),
        max("b", "a"),
        max([1, -7], key=abs),
        min([], default=9),
        max((1, 2), (1, 3)),
        min(1, 0.5),
        max([2.0, 2]),
    )


@program(Tensor([3.0, 1.0, 2.0]))
def max_and_min_of_a_tensor(x):
    return max(x), min(x)


@program(S, Tensor(2.0))
def max_and_min_of_tensors(x, y):
    return max(x, y), min([x, y]), max((x, y))


@program(S, strict=False)
def max_of_tensor_and_number(x):
    return max(x, 1.0), min(0, x)


@program(mutable(3), mutable(8), then=[(mutable(9), mutable(2))])
def max_and_min_of_variables(a, b):
    return max(a, b), min(a, b, 5), max([a, b])


@program(mutable(3), expect=Raises(TypeError, "not iterable"), then=[(mutable(2.5),), (4,)], same_text=False)
def max_of_one_number(a):
    return max(a)


@program(mutable(3), expect=Raises(TypeError, "not iterable"), same_text=False)
def min_of_one_number_with_a_key(a):
    return min(a, key=abs)


@program(X, expect=Raises(ValueError))
def max_of_nothing(x):
    return max([])


@program(M)
def sums(x):
    return sum([1, 2, 3]), sum((0.5, 1)), sum([1, 2], 10), sum(x), sum([x, x]), sum({1: "a", 2: "b"}), sum([])


@program(X, expect=Raises(TypeError))
def sum_of_a_number(x):
    return sum(5)


@program(X)
def all_and_any(x):
    return all([1, True]), any([0, ""]), all([]), any([]), all({"a": 1}), any((0, 3))


@program(X, Tensor([1.0, 0.0]))
def all_and_any_of_tensors(x, y):
    return all(x > 0), any(y), all([x.sum() > 0, True])


@program(X)
def powers(x):
    return pow(2, 3), pow(x, 2), pow(2, x), pow(2.0, -1)


@program(X)
def maps(x):
    return (
        list(map(lambda a, b: a + b, [1, 2], [3, 4, 5])),
        tuple(map(str, (1, 2))),
        map(lambda v: v * 2, [x, 1]),
    )


@program(M)
def map_over_rows(x):
    return list(map(lambda row: row.sum(), x))


@program(M)
def zips(x):
    return (
        list(zip([1, 2], "ab", strict=False)),
        list(zip(x, (1, 2, 3), strict=False)),
        zip((1,), (2,), strict=False),
    )


@program(X, expect=Raises(ValueError))
def strict_zip(x):
    return list(zip([1, 2], [1], strict=True))


@program(M)
def enumerations(x):
    return list(enumerate(["a", "b"])), list(enumerate(x, 1)), enumerate([5], start=2)


@program(X)
def filters(x):
    return list(filter(None, [0, 1, "", "a"])), list(filter(lambda k: k > 1, (1, 2, 3))), filter(bool, [0, 1])


@program(X)
def ranges(x):
    r = range(2, 10, 3)
    return r, list(r), len(r), r[1], 5 in r, list(range(3, 0, -1)), r[1:], r.start, range(0) == range(5, 5)


@program(N, expect=Raises(TypeError))
def range_of_a_float_tensor(n):
    for i in range(n.float()):
        n = n + i
    return n


@program(X)
def iterators(x):
    it = iter([1, 2, 3])
    first, second = next(it), next(it)
    rest = list(it)
    return first, second, rest, next(it, "end"), next(iter((x,)))


@program(X, expect=Raises(StopIteration))
def exhausted_iterator(x):
    return next(iter([]))


@program(X, expect=1)
def next_of_iter(x):
    return next(iter([1, 2, 3]))


@program(X)
def sorting(x):
    return sorted([3, 1, 2]), sorted("bca", reverse=True), sorted([-2, 1], key=abs), sorted({"b": 1, "a": 2})


@program(M)
def reversals(x):
    return list(reversed([1, 2])), list(reversed((1, x))), tuple(reversed(range(3)))


@program(X)
def known_value_functions(x):
    return (
        divmod(7, 2),
        hash("a") == hash("a"),
        callable(len),
        callable(3),
        chr(65),
        ord("A"),
        bin(6),
        hex(17),
        oct(9),
        repr("a"),
        issubclass(bool, int),
        slice(1, 2, 3),
        complex(1, 2),
    )


class Box:
    pass


@program(X)
def object_functions(x):
    box = Box()
    box.a = 1
    setattr(box, "b", 2)
    names = sorted(vars(box))
    delattr(box, "a")
    return names, hasattr(box, "a"), box.b * x


@program(X, expect=Raises(TypeError))
def isinstance_takes_two(x):
    return isinstance(x)


@program(X, expect=Raises(TypeError))
def length_takes_one(x):
    return len(x, x)


@program(X)
def dtypes_as_values(x):
    d = dyad.float16
    return x.astype(d).dtype == d, d, x.dtype == dyad.float32, x.dtype != dyad.int32


@program(M)
def rows_through_several_builtins(x):
    return [a * b for a, b in zip(x, reversed(list(x)), strict=False)], max(row.sum() for row in x)


@program(Tensor([4.0, 1.0]))
def sorted_of_tensors(x):
    return sorted([3.0, 1.0]), x.sort()


@program(X, range(3), then=[(X, range(1, 5))])
def range_argument(x, r):
    for i in r:
        x = x + i
    return x, len(r)


@program(X, {1, 2}, then=[(X, {1, 2, 3}), (X, frozenset((5,)))])
def set_argument(x, s):
    return x * len(s), 2 in s


@program(X)
def list_and_tuple_of_generators(x):
    return tuple(k + 1 for k in (1, 2)), list(x * k for k in range(2)), dict((k, k * k) for k in range(3))
