"""Partial calls and bound methods from outside carry values: a graph sees these as they are at each call."""

import functools

import dyad
from dyad import Tensor, ops


def test_partial_call_holds_a_tensor():
    x = Tensor([1.0, 2.0])
    add = functools.partial(ops.add, x)

    @dyad.jit
    def program(y):
        return add(y), add

    y = Tensor([10.0, 20.0])
    assert program(y)[0].asnumpy().tolist() == [11, 22]
    x.add_(1.0)
    result, given = program(y)
    assert result.asnumpy().tolist() == [12, 23]
    assert given is add


def test_method_is_bound_to_a_tensor():
    x = Tensor([1.0, 4.0])
    root = x.sqrt

    @dyad.jit
    def program():
        return root()

    assert program().asnumpy().tolist() == [1, 2]
    x.copy_(Tensor([9.0, 16.0]))
    assert program().asnumpy().tolist() == [3, 4]


def test_method_is_bound_to_a_list():
    items = [1, 2]
    length, count = items.__len__, items.count

    @dyad.jit
    def program(x):
        return x * length() + count(2)

    assert program(Tensor([1.0])).asnumpy().tolist() == [3]
    items.append(2)
    assert program(Tensor([1.0])).asnumpy().tolist() == [5]
