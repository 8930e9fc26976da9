"""A graph takes its inputs in the order of the arguments, whenever the program looks at them."""

import collections

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, mutable


def tensor(value):
    return Tensor(np.full((2,), value, np.float32))


def inputs_of(function, *args, **kwargs):
    """The names of a graph's inputs, in its own order."""
    head = str(dyad.ir(function)(*args, **kwargs)).partition(" ->")[0]
    return [part.split(":")[0].strip() for part in head.partition("(")[2].split("%")[1:]]


def last_first(a, b, c):
    return c[1] * 1 + c[0] * 10 + b["y"] * 100 + b["x"] * 1000 + a * 10000


def named(a, *, first, second):
    return second["k"] - first[0] * a


class Pairs(dict):
    def __iter__(self):
        raise AssertionError("capture must not run this")


class Sequence(tuple):
    def __getitem__(self, key):
        raise AssertionError("capture must not run this")


A, B, C = tensor(1), {"x": tensor(2), "y": tensor(3)}, [tensor(4), tensor(5)]


def test_containers_that_are_read_backwards():
    assert inputs_of(last_first, A, B, C) == ["a", "b.x", "b.y", "c.0", "c.1"]


def test_keywords_come_behind_positions_as_they_are_given():
    assert inputs_of(named, A, second={"k": A + 1}, first=[A + 2]) == ["a", "second.k", "first.0"]


def test_numbers_are_inputs_as_tensors_are():
    def program(a, b, c):
        return c[0] * b + a

    assert inputs_of(program, A, mutable(3), [A + 1]) == ["a", "b", "c.0"]


@pytest.mark.parametrize("mode", ["ast", "bytecode", "trace"])
def test_values_reach_their_places(mode):
    compiled = jit(last_first, capture_mode=mode)
    for shift in (0, 10):
        args = A + shift, {k: v + shift for k, v in B.items()}, [v + shift for v in C]
        np.testing.assert_array_equal(compiled(*args).asnumpy(), last_first(*args).asnumpy())


def test_containers_of_own_classes_are_read_without_their_code():
    def program(a, b, c):
        return c, b, a

    held = Pairs(), Sequence((tensor(2), tensor(3))), collections.deque([tensor(4)])
    dict.update(held[0], x=tensor(1))
    deque, own_tuple, own_dict = jit(program)(*held)
    assert deque is held[2] and own_tuple is held[1] and own_dict is held[0]


def test_updates_reach_the_tensor_that_was_written():
    @jit
    def program(a, b):
        b[0].add_(1)
        a[0].add_(10)
        return a[0] + b[0]

    first, second = [tensor(0)], [tensor(0)]
    program(first, second)
    program(first, second)
    assert first[0].asnumpy().tolist() == [20, 20] and second[0].asnumpy().tolist() == [2, 2]
