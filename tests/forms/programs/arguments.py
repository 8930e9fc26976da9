"""Arguments of every kind: what is constant, what is variable, what is told apart."""

import numpy as np
from program import Call, program, scene

import dyad
from dyad import Tensor, mutable, nn

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


@program(X, [1], then=[(X, (1,)), (X, [1])])
def list_and_tuple_are_told_apart(x, items):
    return x if isinstance(items, list) else -x


@program(X, 1, then=[(X, True), (X, 1), (X, 1.0)])
def kinds_of_one(x, k):
    if k is True:
        return "true"
    return x * k


@program(X, np.array([1.0, 2.0], np.float32), then=[(X, np.array([5.0, 6.0], np.float32))])
def numpy_array_with_other_values(x, a):
    return x + Tensor(a)


@program(X, np.float32(2.5), then=[(X, np.int64(3))])
def numpy_scalars(x, k):
    return x * float(k)


@program(X, then=[(Tensor([1.0, 2.0, 3.0]),), (Tensor([[1.0]]),), (Tensor([1, 2]),), (Tensor([True]),)])
def shapes_and_dtypes_change(x):
    return x * 2, x.shape, x.dtype


@program(X, then=[(Tensor([1.0, 2.0], dyad.float16),), (Tensor(np.array([1.0, 2.0])),)])
def precision_changes(x):
    return x / 3


@scene(X)
def transposed_input():
    def f(x):
        m = x.reshape(2, 1) * Tensor([[1.0, 2.0, 3.0]])
        return inner(m), inner(m.t())

    def inner(m):
        return m.reshape(-1), m.sum(0)

    return f


@program(X, X, then=[(S, X)])
def equal_arguments_are_two_inputs(a, b):
    a.add_(1.0)
    return a + b


@program((X, {"k": [X, 2]}), then=[((S, {"k": [X, 3]}),), ((X, {"q": [X, 2]}),)])
def nested_containers(tree):
    x, table = tree
    total = x
    for key, (tensor, number) in table.items():
        total = total + tensor * number + len(key)
    return total


@program(mutable((X, S)), then=[(mutable((S, X)),)])
def mutable_tuple(pair):
    return pair[0] * pair[1], len(pair)


@program(mutable({"a": X, "n": 2}), then=[(mutable({"a": S, "n": 5}),)])
def mutable_dict(table):
    return table["a"] * table["n"]


@program(mutable(2.5), X, then=[(mutable(3.5), X)])
def mutable_float(k, x):
    return x * k, k * 2


@program(mutable([1, 2, 3]), X, then=[(mutable([4, 5, 6]), X)])
def mutable_numbers(items, x):
    return x * items[0] + items[-1], sum(items)


@program(mutable(1), X, then=[(mutable(2), X), (mutable(3), X)], strict=RuntimeError)
def mutable_number_among_what_has_no_single_truth(k, x):
    try:
        return k in (1, Tensor([1, 2]), "a"), (k, x) == (2, x * 2), x
    except ValueError as error:
        return type(error).__name__


@program(X, None, then=[(X, X), (X, None)])
def optional_tensor(x, bias):
    return x if bias is None else x + bias


@program(X, len, then=[(X, abs), (X, lambda v: v * 3)])
def functions_as_arguments(x, f):
    return f(x)


@program(X, nn.ReLU(), then=[(X, nn.Tanh())])
def cells_as_arguments(x, cell):
    return cell(x)


@program(X, dyad.float16, then=[(X, dyad.int32)])
def dtype_argument(x, dtype):
    return x.astype(dtype)


@program(X, int, then=[(X, float), (X, Tensor)])
def class_argument(x, kind):
    return isinstance(1, kind), isinstance(x, kind)


@program(X, (2, 1), then=[(X, (1, 2)), (X, (-1,))])
def shape_argument(x, shape):
    return x.reshape(shape)


@program(X, "abc", then=[(X, "abcd"), (X, b"abc")])
def text_and_bytes_are_told_apart(x, s):
    return x * len(s), isinstance(s, bytes)


@program(X, then=[Call(X, 3), Call(X, k=3), Call(x=X, k=3), Call(k=3, x=X)])
def one_call_in_many_spellings(x, k=2):
    return x * k


@program(X, X, X, then=[(X, X), (X,)])
def numbers_of_arguments(*tensors):
    total = tensors[0]
    for t in tensors[1:]:
        total = total + t
    return total, len(tensors)


@program(X, keywords={"b": 2, "a": 1}, then=[Call(X, a=1, b=2), Call(X, a=2)])
def keyword_names_and_order(x, **options):
    return list(options), x * options["a"]


@program(Tensor(np.zeros((0, 2), np.float32)), vary=False)
def empty_tensor(x):
    return x.sum(), x + 1, x.shape


@program([], {}, (), X)
def empty_containers(a, b, c, x):
    return len(a), len(b), len(c), x if a else -x


@program((X, X))
def one_tuple_of_two_tensors(pair):
    a, b = pair
    a[0] = 50.0
    return a + b


@scene(X)
def one_tensor_twice_in_a_list():
    def inner(items):
        items[0][0] = 9.0
        return items[1] * 2

    def f(x):
        return inner([x, x])

    return f


@program([X, X, X], then=[([X, X],), ([X],)])
def lists_of_tensors_of_many_lengths(items):
    total = items[0] * 0
    for item in items:
        total = total + item
    return total / len(items)


@program(X, {"scale": 2, "names": ["a", "b"]}, then=[(X, {"scale": 3, "names": ["a"]})])
def options_in_a_dict(x, options):
    return x * options["scale"] + len(options["names"])


@program(X, slice(0, 1), then=[(X, slice(1, 2))])
def slice_argument(x, part):
    return x[part]


@program(X)
def numbers_that_become_variables_inside(x):
    n, flag, ratio = mutable(2), mutable(True), mutable(0.5)
    items = mutable([1, 2, 3], True)
    total = 0
    for i in range(n + 1):
        total = total + i
    return n, flag, total, ratio, list(items)


@program(X)
def variables_inside_as_conditions_and_sizes(x):
    table = mutable({"n": 2, "pair": (1, 2.5)})
    y = x.reshape((table["n"], 1))
    if table["pair"][0] > 0:
        y = y * table["pair"][1]
    return y, table["n"] // 2, isinstance(table["n"], int)
