"""Every pair of dtypes, and every dtype with every kind of number, against the rules of the specification."""

import numpy as np
import pytest
from arrays import Array, dtype_name, numpy_type
from promotion import ALL, promote, promote_number

from dyad import Tensor, ops


def one(dtype):
    return Array(np.ones((2,), numpy_type(dtype)), dtype).tensor()


@pytest.mark.parametrize("left", ALL)
def test_tensor_with_tensor(left):
    for right in ALL:
        wanted = promote(left, right)
        if wanted is None:
            with pytest.raises(TypeError, match="add: no common type of"):
                ops.add(one(left), one(right))
        else:
            assert dtype_name(ops.add(one(left), one(right)).dtype) == wanted, (left, right)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("number", [True, 2, 2.5, 1j], ids=repr)
def test_tensor_with_number(dtype, number):
    wanted = promote_number(dtype, number)
    if wanted is None:
        with pytest.raises(TypeError, match="does not mix with the number"):
            ops.add(one(dtype), number)
        return
    assert dtype_name(ops.add(one(dtype), number).dtype) == wanted
    assert dtype_name(ops.add(number, one(dtype)).dtype) == wanted


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32"])
@pytest.mark.parametrize("number", [-1, 256, 2**40, -(2**40), 3])
def test_numbers_beyond_an_integer_dtype_compare_as_what_they_are(dtype, number):
    values = np.array([0, 3, 100], dtype)
    tensor = Tensor(values)
    exact = values.tolist()
    assert (tensor < number).asnumpy().tolist() == [x < number for x in exact]
    assert (tensor == number).asnumpy().tolist() == [x == number for x in exact]
    assert (number >= tensor).asnumpy().tolist() == [number >= x for x in exact]
