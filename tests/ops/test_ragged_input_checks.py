"""Rows of unequal length and rows as sets that contradict themselves, and places out of order."""

import numpy as np
import pytest

from dyad import Tensor, ops


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (([1, 2, 3],), r"begin at 0"),
        (([0, 2, 1, 3],), r"not decrease"),
        (([0, 1, 2],), r"end at 3"),
        (([0, 1, 4],), r"end at 3"),
        (([0, 3], [0, 1, 3]), r"2 rows; need 3"),
        (([],), r"begin at 0"),
        ((), r"rt_nested_splits is empty"),
    ],
)
def test_splits_that_contradict_the_values_are_refused(splits, message):
    given = [Tensor(np.array(bounds, np.int64)) for bounds in splits]
    with pytest.raises(ValueError, match=f"RaggedTensorToSparse: .*{message}"):
        ops.RaggedTensorToSparse()(given, Tensor([7, 8, 9]))


def test_splits_are_tensors():
    with pytest.raises(TypeError, match="RaggedTensorToSparse: rt_nested_splits"):
        ops.RaggedTensorToSparse()([[0, 3]], Tensor([7, 8, 9]))


def test_rows_without_values():
    nothing = Tensor(np.zeros(0, np.float32))
    places, values, shape = ops.RaggedTensorToSparse()([Tensor([0, 0, 0])], nothing)
    assert places.shape == (0, 2) and values.shape == (0,) and shape.tolist() == [2, 0]
    dense = ops.RaggedTensorToTensor(["ROW_SPLITS"])
    found = dense(Tensor([-1, 2]), nothing, Tensor(9.0), (Tensor([0, 0, 0]),))
    assert found.tolist() == [[9.0, 9.0], [9.0, 9.0]]


@pytest.mark.parametrize(
    ("kinds", "partitions", "message"),
    [
        (["ROW_SPLITS"], ([1, 2, 3],), "begin at 0"),
        (["ROW_SPLITS"], ([0, 2, 1, 3],), "not decrease"),
        (["ROW_SPLITS"], ([0, 1, 2],), "end at 3"),
        (["ROW_SPLITS"], ([0, 5],), "end at 3"),
        (["ROW_SPLITS", "ROW_SPLITS"], ([0, 3], [0, 1, 3]), "2 rows; need 3"),
        (["FIRST_DIM_SIZE", "ROW_SPLITS"], ([3], [0, 1, 3]), "2 rows; need 3"),
        (["VALUE_ROWIDS"], ([0, 2, 1],), "not decrease"),
        (["VALUE_ROWIDS"], ([-1, 0, 1],), "0 or more"),
        (["FIRST_DIM_SIZE", "VALUE_ROWIDS"], ([2], [0, 1, 2]), r"below the number of rows, 2"),
        (["FIRST_DIM_SIZE", "VALUE_ROWIDS"], ([3], [0, 1]), "2 row ids; need 3"),
        (
            ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "VALUE_ROWIDS"],
            ([2], [0, 1], [0, 1, 2]),
            r"below the number of rows, 2",
        ),
        (["ROW_SPLITS"], ([0, 3], [0, 1, 3]), "2 partitions; need 1"),
        (["ROW_SPLITS", "ROW_SPLITS"], ([0, 3],), "1 partitions; need 2"),
    ],
)
def test_partitions_that_contradict_the_values_are_refused(kinds, partitions, message):
    given = tuple(Tensor(numbers) for numbers in partitions)
    shape = [-1] * (1 + len([kind for kind in kinds if kind != "FIRST_DIM_SIZE"]))
    with pytest.raises(ValueError, match=f"RaggedTensorToTensor: .*{message}"):
        ops.RaggedTensorToTensor(kinds)(Tensor(shape), Tensor([1.0, 2.0, 3.0]), Tensor(0.0), given)


@pytest.mark.parametrize("shape", [[-1], [2, 2, 2], [-2, 2]])
def test_another_rank_or_a_negative_size_is_refused(shape):
    dense = ops.RaggedTensorToTensor(["ROW_SPLITS"])
    with pytest.raises(ValueError, match="RaggedTensorToTensor: shape is "):
        dense(Tensor(shape), Tensor([1.0, 2.0]), Tensor(0.0), (Tensor([0, 1, 2]),))


def test_sizes_within_values_cannot_change():
    dense = ops.RaggedTensorToTensor(["ROW_SPLITS"])
    rows, values = (Tensor([0, 1, 2]),), ops.ones((2, 3))
    assert dense(Tensor([-1, -1, 3]), values, Tensor(0.0), rows).shape == (2, 1, 3)
    with pytest.raises(ValueError, match=r"RaggedTensorToTensor: shape is \(2, 1, 2\)"):
        dense(Tensor([2, 1, 2]), values, Tensor(0.0), rows)


@pytest.mark.parametrize("kinds", [["FIRST_DIM_SIZE"], ["ROW_SPLITS", "FIRST_DIM_SIZE"]])
def test_a_number_of_rows_comes_first_and_not_alone(kinds):
    with pytest.raises(ValueError, match="RaggedTensorToTensor: row_partition_types is "):
        ops.RaggedTensorToTensor(kinds)


def test_sets_of_two_dtypes_are_refused():
    a, places = Tensor([[1, 2]]), Tensor([[0, 0]])
    with pytest.raises(TypeError, match=r"DenseToDenseSetOperation: .*Int64 and Float32; need one dtype"):
        ops.DenseToDenseSetOperation("union")(a, Tensor([[1.5, 2.0]]))
    with pytest.raises(TypeError, match=r"DenseToSparseSetOperation: .*Int64 and Float32; need one dtype"):
        ops.DenseToSparseSetOperation("union")(a, places, Tensor([1.5]), Tensor([1, 1]))


def test_changes_are_counted_in_the_order_of_places():
    mixed = Tensor([[0, 2], [0, 0], [0, 1]]), Tensor([3, 1, 2]), Tensor([1, 3])
    sorted_ = Tensor([[0, 0], [0, 1], [0, 2]]), Tensor([1, 2, 3]), Tensor([1, 3])
    assert ops.EditDistance(False)(*mixed, *sorted_).tolist() == [0.0]
    assert ops.EditDistance(False)(*sorted_, *mixed).tolist() == [0.0]
