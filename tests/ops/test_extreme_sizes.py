"""Sizes, offsets and steps at the ends of the integers: a result or an error, at once."""

import numpy as np
import pytest

from dyad import Tensor, ops

HUGE = 2**61


def counted(*shape):
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


@pytest.mark.parametrize(
    ("rows", "columns", "offset", "expected"),
    [(HUGE, 0, 0, 0), (0, HUGE, 0, 0), (3, 4, 2**63 - 1, 12), (3, 4, -(2**63), 0), (2, HUGE, 0, 3)],
)
def test_lower_triangle(rows, columns, offset, expected):
    assert ops.tril_indices(rows, columns, offset).shape == (2, expected)


@pytest.mark.parametrize(
    ("rows", "columns", "offset", "expected"),
    [(HUGE, 0, 0, 0), (HUGE, 3, 0, 6), (HUGE, 3, 2, 1), (3, 4, 2**63 - 1, 0), (3, 4, -(2**63), 12)],
)
def test_upper_triangle(rows, columns, offset, expected):
    assert ops.triu_indices(rows, columns, offset).shape == (2, expected)


@pytest.mark.parametrize("offset", [2**63 - 1, -(2**63), HUGE, -HUGE])
def test_diagonal_beyond_the_matrix_is_empty(offset):
    assert ops.diagonal(counted(3, 4), offset).shape == (0,)
    assert ops.tril(counted(3, 4), offset).asnumpy().any() == (offset > 0)


@pytest.mark.parametrize("step", [2**63 - 1, HUGE, 7])
def test_step_beyond_the_dimension_takes_one_element(step):
    assert counted(5)[1::step].asnumpy().tolist() == [1]
    assert counted(5)[3::-step].asnumpy().tolist() == [3]


def test_kernel_that_lies_in_padding_takes_no_longer():
    # Each window covers the whole row; nearly all of it is padding.
    assert ops.max_pool1d(counted(1, 1, 4), 2**40, 1, 2**39).asnumpy().max() == 3


def test_views_that_repeat_elements():
    assert ops.broadcast_to(counted(1), (2**60,)).shape == (2**60,)
    with pytest.raises(MemoryError):
        ops.broadcast_to(counted(1), (HUGE, HUGE))


def test_out_of_memory_is_also_a_runtime_error():
    with pytest.raises(RuntimeError, match="out of memory") as raised:
        ops.ones((2**50,))
    assert isinstance(raised.value, MemoryError)
