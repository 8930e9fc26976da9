"""Operators on tuples and lists, in both forms, of numbers that the graph knows and of numbers that it is given."""

import importlib

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, mutable, ops

sequence_ops = importlib.import_module("dyad.ops.operations._sequence_ops")

CASES = {
    "sum": ("SequenceAddN", ((1, 2, 3),), 6),
    "count": ("SequenceCount", ((1, 2, 1), 1), 2),
    "count-none": ("SequenceCount", ((1, 2, 1), 7), 0),
    "index": ("SequenceIndex", ((4, 5, 4), 4), 0),
    "index-from": ("SequenceIndex", ((4, 5, 4), 4, 1), 2),
    "index-before": ("SequenceIndex", ((4, 5, 4), 5, 0, -1), 1),
    "largest": ("SequenceMax", ((4, 7, 5),), 7),
    "smallest": ("SequenceMin", ((4, 2, 5),), 2),
    "joined": ("SequenceAdd", ((1, 2), (3,)), (1, 2, 3)),
    "offsets": ("SequenceAddOffset", ((1, 2), (3,)), (0, 2)),
    "equal": ("tuple_equal", ((1, 2), (1, 2)), True),
    "unequal": ("tuple_equal", ((1, 2), (1, 2, 3)), False),
    "greater": ("tuple_greater_than", ((1, 3), (1, 2, 9)), True),
    "longer": ("tuple_greater_than", ((1, 3), (1, 3, 9)), False),
    "greater-or-equal": ("tuple_greater_equal", ((1, 3), (1, 3)), True),
    "less": ("tuple_lt", ((1, 3), (1, 3, 0)), True),
    "less-or-equal": ("tuple_le", ((2, 3), (1, 9)), False),
}


def _marked(value):
    return mutable(value, isinstance(value, tuple))


@pytest.mark.parametrize("name, args, expected", CASES.values(), ids=CASES)
def test_a_sequence_operator_returns_the_expected_value_in_both_forms(name, args, expected):
    operator = getattr(sequence_ops, name)()

    @jit
    def compiled(*args):
        return operator(*args)

    assert operator.name == name
    assert operator(*args) == compiled(*args) == expected


@pytest.mark.parametrize(
    "name", ["sum", "count", "index", "largest", "smallest", "equal", "greater", "longer", "less"]
)
def test_numbers_that_vary(name):
    name, args, expected = CASES[name]
    operator = getattr(sequence_ops, name)()

    @jit
    def compiled(*args):
        return operator(*args)

    assert compiled(*map(_marked, args)) == expected


def test_repeated_and_sliced():
    assert sequence_ops.SequenceMul()((1, 2), 2) == (1, 2, 1, 2)
    assert sequence_ops.SequenceSlice()((1, 2, 3, 4), 1, 4, 2) == (2, 4)


def test_tensors_are_summed_stacked_and_taken_apart():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

    @jit
    def compiled(x, y):
        both = sequence_ops.SequenceStack(axis=1)((x, y))
        return sequence_ops.SequenceAddN()((x, y)), both, sequence_ops.SequenceUnstack(axis=1)(both)

    total, both, parts = compiled(x, y)
    assert total.asnumpy().tolist() == [4.0, 6.0]
    assert (
        both.asnumpy().tolist()
        == sequence_ops.SequenceStack(1)([x, y]).asnumpy().tolist()
        == [[1, 3], [2, 4]]
    )
    assert [part.asnumpy().tolist() for part in parts] == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("name", ["TupleToTensor", "ListToTensor"])
def test_numbers_become_a_tensor(name):
    operator = getattr(sequence_ops, name)()

    @jit
    def compiled(numbers):
        return operator(numbers), operator(numbers, dyad.float64)

    for form in (compiled, compiled.__wrapped__):
        plain, wide = form(mutable((1, 2, 3)))
        assert plain.dtype == dyad.int64 and wide.dtype == dyad.float64
        assert plain.asnumpy().tolist() == wide.asnumpy().tolist() == [1, 2, 3]
    assert operator((0.5,)).dtype == dyad.float32
    assert operator(()).shape == (0,)


def test_a_tensor_becomes_numbers():
    x = Tensor([[1, 2], [3, 4]])
    assert sequence_ops.TensorToTuple()(x) == ((1, 2), (3, 4))
    assert sequence_ops.TensorToList()(x) == [[1, 2], [3, 4]]
    assert sequence_ops.TensorToScalar()(x[0, 1]) == 2


def test_the_type_of_a_value():
    from dyad.ops.operations._inner_ops import TopTypeof

    @jit
    def is_tensor(x):
        return isinstance(TopTypeof()(x), dyad.TensorType)

    assert is_tensor(Tensor([1.0])) and not is_tensor(2)


def test_a_number_that_is_missing_is_named():
    with pytest.raises(ValueError, match="SequenceIndex: 9 is not among the elements from 0 to before 1"):
        sequence_ops.SequenceIndex()((1, 9, 9), 9, 0, 1)
    with pytest.raises(ValueError, match="SequenceAddN: the sequence has no elements"):
        sequence_ops.SequenceAddN()(())


@pytest.mark.parametrize("value, dtype", [(3, dyad.int64), (2.5, dyad.float32)])
def test_a_number_of_a_graph_becomes_a_tensor(value, dtype):
    @jit
    def compiled(number):
        return dyad.tensor(number), dyad.tensor(number, dyad.float64), ops.scalar_to_tensor(number)

    plain, wide, default = compiled(mutable(value))
    assert (plain.dtype, wide.dtype, default.dtype) == (dtype, dyad.float64, dyad.float32)
    np.testing.assert_array_equal([plain.item(), wide.item(), default.item()], [value] * 3)
