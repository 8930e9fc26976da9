"""Arrays, buffers and tuples from outside as objects: handed on as they are, and told apart by `is`."""

import array
import collections
import types

import numpy as np
from program import Call, Scene, program, scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
ROW = np.array([3, 2, 1])
HELD = types.SimpleNamespace(row=np.array([1.0, 2.0]))
Pair = collections.namedtuple("Pair", "left right")


def is_given(function, given):
    """A scene that tells whether the results are the very arguments of the call."""
    return Scene(function, after=lambda result, *arguments: given(result, *arguments))


def leaves(value):
    """Leaves of nested containers in order, of results and gradients."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for member in value for leaf in leaves(member)]
    return [value]


@scene(X, [ROW, ROW + 1], strict=False)
def item_of_a_list():
    def function(x, rows):
        return Pair(rows[0], x - 1), rows[1]

    return is_given(
        function, lambda result, x, rows: [[one is row for row in rows] for one in leaves(result)]
    )


@scene(X, ROW, strict=False)
def argument_beside_a_tensor():
    def function(x, row):
        return {"x": x * int(row[0]), "row": row}, [row, row]

    return is_given(function, lambda result, x, row: [one is row for one in leaves(result)])


@scene(X, ROW, then=[(X, ROW + 1), Call(X, ROW.copy())], strict=False)
def chosen_by_a_condition():
    def function(x, row):
        y = x * float(row.sum())
        kept = row if x.sum() > 0 else None
        return y, kept

    return is_given(function, lambda result, x, row: result[1] is row or result[1] is None)


@program(X, [ROW, ROW], strict=False)
def given_twice(x, rows):
    return x, rows[0] is rows[1], rows[0], rows[1]


@scene(X, strict=False)
def attribute_of_an_object():
    def function(x):
        return x * 2, HELD.row

    return is_given(function, lambda result, x: result[1] is HELD.row)


@program(X, array.array("i", [1, 2]), bytearray(b"ab"), np.float32(2.5), strict=False)
def buffers_and_numbers(x, numbers, data, number):
    return x, numbers, data, number


def are_one(x, a, b):
    return a is b, a is not b, x * 2


@program(X, ROW, ROW.copy(), then=[(X, ROW, ROW), (X, ROW, ROW.copy())], strict=False)
def two_arrays_become_one(x, a, b):
    return are_one(x, a, b)


@program(X, ROW, ROW, then=[(X, ROW, ROW.copy()), (X, ROW, ROW)], strict=False)
def one_array_becomes_two(x, a, b):
    return are_one(x, a, b)


ITEMS = (X, 1)


@program(X, ITEMS, (X, 1), then=[(X, ITEMS, ITEMS), (X, ITEMS, (X, 1))], strict=False)
def two_tuples_become_one(x, a, b):
    return are_one(x, a, b)


DATA = bytearray(b"ab")


@program(X, DATA, bytearray(b"ab"), then=[(X, DATA, DATA)], strict=False)
def two_buffers_become_one(x, a, b):
    return are_one(x, a, b)


@program(X, np.int64(2), then=[Call(X, np.array(2)), Call(X, np.int64(2)), Call(X, np.array(2))])
def a_number_of_numpy_becomes_an_array_without_dimensions(x, n):
    return x * 2, type(n).__name__
