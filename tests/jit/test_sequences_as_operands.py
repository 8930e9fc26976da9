"""Tuples and lists that hold Tensors, beside a Tensor and assigned to parts of one: values and gradients."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, jit, ops, vmap

FORMS = {
    "dynamic": lambda f: f,
    "ast": jit,
    "bytecode": lambda f: jit(f, capture_mode="bytecode"),
    "strict": lambda f: jit(f, fullgraph=True),
    "trace": lambda f: jit(f, capture_mode="trace"),
}
X = Tensor([1.0, 2.0, 3.0])


def added(x):
    return ((x, x) + x * x).sum()


def with_numbers(x):
    return (x * [1.0, 2, x[0]]).sum()


def by_function(x):
    return ops.mul(x, [x[0], 1, 2.5]).sum()


def nested(x):
    return (x[:2] - [[x[0], x[1]], (1, x[2])]).sum()


def assigned(x):
    y = x * 1
    y[1:] = [x[0] * 3, 4.0]
    return (y * y).sum()


def assigned_by_places(x):
    y = ops.zeros(3)
    y[[0, 2]] = (x[0] * 3, x[1])
    return (y * y).sum()


CASES = {
    added: (40.0, [6, 10, 14]),
    with_numbers: (8.0, [4, 2, 1]),
    by_function: (10.5, [2, 1, 2.5]),
    nested: (-1.0, [1, 1, -1]),
    assigned: (26.0, [20, 0, 0]),
    assigned_by_places: (13.0, [18, 4, 0]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", CASES)
def test_gradients_reach_the_members(function, form):
    value, gradient = CASES[function]
    made = FORMS[form](function)
    for _ in range(2):
        assert made(X).item() == value
        assert grad(made)(X).tolist() == gradient


@pytest.mark.parametrize("form", FORMS)
def test_tuples_inside_vmap_are_batched(form):
    found = FORMS[form](lambda x: vmap(lambda row: (row, row) + row)(x))(Tensor([[1.0], [2.0]]))
    assert found.tolist() == [[[2.0], [2.0]], [[4.0], [4.0]]]


@pytest.mark.parametrize("form", FORMS)
def test_members_of_the_target_are_read_before_it_is_written(form):
    def turned(x):
        x[:] = [x[2], x[1], x[0]]
        return x

    given = Tensor([1.0, 2.0, 3.0])
    assert FORMS[form](turned)(given).tolist() == given.tolist() == [3, 2, 1]


@pytest.mark.parametrize(
    ("members", "dtype"),
    [
        ([Tensor(1, dyad.int8), 2], dyad.int8),
        ([Tensor(1, dyad.int8), 2.5], dyad.float32),
        ([Tensor(1.0, dyad.float16), Tensor(2)], dyad.float16),
        ([Tensor(1.0), np.ones(())], dyad.float32),
    ],
)
def test_dtypes_are_those_of_a_tensor_of_the_members(members, dtype):
    assert Tensor(members).dtype == dtype
    assert (Tensor([True, True]) * members).dtype == dtype


def test_numbers_keep_their_value_in_a_wide_target():
    wide = Tensor(np.zeros(2))
    wide[:] = (Tensor(0.5), 0.1)
    assert wide.tolist() == [0.5, 0.1]


@pytest.mark.parametrize("members", [[X, 1], [X, Tensor([1.0])], [1, X]])
def test_members_of_other_shapes_are_refused(members):
    with pytest.raises(TypeError, match="lists are of unequal length or depth"):
        X + members


@pytest.mark.parametrize("fullgraph", [False, True])
def test_sizes_that_are_left_open(fullgraph):
    @jit(dynamic=1, fullgraph=fullgraph)
    def f(x, y):
        return (x, y) + x

    for size in (2, 3, 4, 5):
        x = Tensor(np.full(size, 2.0, np.float32))
        assert f(x, x * 2).tolist() == [[4.0] * size, [6.0] * size]
    with pytest.raises((TypeError, ValueError)):
        f(Tensor([1.0, 2.0]), Tensor([1.0]))
