"""Operators that are no views give elements of their own: a write into one changes no other, and no argument."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, mint, ops

CASES = {
    "tile a number": (0.5, lambda x: ops.tile(x, (3,))),
    "tile one element": ([0.5], lambda x: ops.tile(x, (3,))),
    "tile a row": ([[1.0, 2.0]], lambda x: ops.tile(x, (3, 1))),
    "repeat one element": ([0.5], lambda x: ops.repeat_interleave(x, 3)),
    "repeat a column": ([[1.0], [2.0]], lambda x: ops.repeat_interleave(x, 3, 1)),
    "repeat once": ([1.0, 2.0], lambda x: mint.repeat_interleave(x, 1)),
    "Tensor.repeat": ([0.5], lambda x: x.repeat(3)),
    "full": (0.5, lambda x: ops.full((3,), x)),
    "mint.full": ([0.5], lambda x: mint.full((1,), x)),
    "full_like": (0.5, lambda x: ops.full_like(Tensor([1.0, 2.0]), x)),
    "fills": (0.5, lambda x: ops.fills(Tensor([1.0, 2.0]), x)),
    "fill": (0.5, lambda x: ops.fill(dyad.float32, (3,), x)),
    "roll": ([1.0, 2.0], lambda x: ops.roll(x, 0)),
    "nan_to_num": ([1, 2], lambda x: ops.nan_to_num(x)),
    "matrix_power 1": ([[1.0, 2.0], [3.0, 4.0]], lambda x: ops.matrix_power(x, 1)),
    "matrix_power 0": (np.ones((2, 2, 2)), lambda x: ops.matrix_power(x, 0)),
}


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("case", CASES)
def test_a_write_into_a_result_stays_there(case, form):
    given, make = CASES[case]
    x = Tensor(given)
    result = form(make)(x)
    expected = result.asnumpy().copy()
    first = (0,) * result.ndim
    result[first] = expected[first] = 77
    assert result.asnumpy().tolist() == expected.tolist()
    assert x.asnumpy().tolist() == np.asarray(given).tolist()
