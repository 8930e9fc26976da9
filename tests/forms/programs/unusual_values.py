"""Texts, sorting, arithmetic on constants and run-time integers, views of views."""

import math
import operator

import numpy as np
from program import program

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
M = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


# ---- sequences and text


@program(X)
def sorted_by_key(x):
    pairs = [(3, "c"), (1, "a"), (2, "b")]
    order = sorted(pairs, key=lambda p: -p[0])
    pairs.sort(key=operator.itemgetter(1), reverse=True)
    return x * order[0][0], [p[1] for p in order], pairs


@program(X)
def text_building(x):
    name = "-".join(str(k) for k in range(3)).replace("-", "+").upper().center(11, "*")
    return (
        x * len(name),
        name,
        f"{3.14159:.2f}|{'a':>4}|{5!r}",
        "%d of %s" % (3, "x"),
        "{a}{0}".format(1, a=2),
    )


@program(X)
def mathematics_on_constants(x):
    return x * math.sqrt(16) + math.floor(2.7) + float(np.log2(8)) + int(np.array([1, 2, 3]).sum()), math.pi


@program(X)
def numpy_arrays_inside(x):
    table = np.arange(6).reshape(2, 3)
    return x * int(table[1, 2]) + Tensor(table[0, :2].astype(np.float32))


@program(X)
def set_and_dict_operations(x):
    a, b = {1, 2, 3}, {2, 3, 4}
    d = {k: k * k for k in sorted(a & b)}
    return x * len(a | b), sorted(a ^ b), d | {9: 1}, dict(sorted(d.items(), reverse=True))


@program(X)
def zip_map_filter_enumerate(x):
    rows = [(i, a + b) for i, (a, b) in enumerate(zip([1, 2, 3], [4, 5, 6], strict=True), start=1)]
    kept = list(filter(lambda r: r[1] > 5, rows))
    return (
        x * sum(map(lambda r: r[0] * r[1], kept)),
        list(zip(*rows, strict=True)),
        any(r[0] == 2 for r in rows),
    )


@program(S, strict=False)
def chained_comparisons(x):
    a = 0 < x < 10
    b = 0 < x < 3 < 10
    return a, b, 1 < 2 < 3, x > 1 > 0


@program(S)
def bool_arithmetic(x):
    t = x > 0
    return t + 1, True + True, sum([True, False, True]), x * True, -True, ~3, True & False, bool(x) + bool(x)


@program(S, 2**62)
def large_integers(x, k):
    return k + k, k * 4 // 8, x * 0 + (k >> 60), 10**30 % 7, -7 // 2, -7 % 3, divmod(-7, 2), 7 // -2


@program(N, then=[(Tensor(2**20),)])
def run_time_integers_of_sixty_bits(n):
    k = int(n)
    return k * k * k


@program(N, then=[(Tensor(-3),), (Tensor(0),)])
def run_time_integer_division(n):
    k = int(n)
    return k // 2, k % 2, -k // 2, -k % 4, k / 4, k**2, divmod(k, 2), abs(k), k << 2, k >> 1, k & 1, ~k


# ---- views and subscripts


@program(M)
def slices_with_negative_indices(x):
    return x[-1], x[:, -2:], x[::-1] if False else x[-2:-1], x[..., -1], x[0, -3]


@program(M, N, then=[(M, Tensor(1)), (M, Tensor(0))])
def slices_with_run_time_bounds(x, n):
    k = int(n)
    return x[:, :k].sum(), x[:, k:].shape[1]


@program(M)
def writes_to_views_of_views(x):
    y = x * 1
    v = y[0]
    w = v[1:]
    w += 10
    w[0] = 7
    y[:, 0] *= 2
    return y, v, w


@program(M)
def augmented_subscripts_of_subscripts(x):
    y = x * 1
    table = {"a": [y, 1]}
    table["a"][1] += 5
    table["a"][0][1][2] += 3
    table["a"][0][0, :2] -= 1
    return y, table["a"][1]


@program(M)
def transposed_view_written(x):
    y = x * 1
    t = y.T
    t[0] = 0
    return y


@program(M)
def reshaped_view_written_in_an_arm(x):
    y = x * 1
    flat = y.reshape(6)
    if x.sum() > 0:
        flat[2] = 50
    else:
        y[0] = -1
    return y, flat


@program(M, N, then=[(M, Tensor(0))])
def view_written_in_a_tensor_loop(x, n):
    y = x * 1
    row = y[0]
    i = 0
    while i < n:
        row += 1
        y[1] *= 2
        i += 1
    return y, row


@program(M)
def tensor_swapped_through_a_tuple(x):
    a, b = x[0], x[1]
    a, b = b, a
    x = ops.stack([a, b])
    x[0], x[1] = x[1] + 0, x[0] + 0
    return x


@program(X)
def argument_written_and_returned(x):
    x += 1
    y = x
    y *= 2
    return x, y, x is y
