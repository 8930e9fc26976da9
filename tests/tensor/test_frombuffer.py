"""`frombuffer`: tensors of the bytes that something else holds."""

import array

import numpy as np
import pytest

import dyad


@pytest.mark.cpu("arrays share the memory of the CPU alone")
def test_a_buffer_that_may_be_written_is_shared():
    numbers = bytearray(np.arange(4, dtype=np.float32).tobytes())
    tensor = dyad.frombuffer(numbers, dyad.float32)
    numbers[:4] = np.float32(9).tobytes()
    assert tensor.asnumpy().tolist() == [9, 1, 2, 3]
    tensor[1] = 7
    assert np.frombuffer(numbers, np.float32).tolist() == [9, 7, 2, 3]


def test_a_buffer_that_may_not_be_written_is_copied():
    numbers = np.arange(3, dtype=np.int16).tobytes()
    tensor = dyad.frombuffer(numbers, dtype=dyad.int16)
    tensor[0] = 5
    assert np.frombuffer(numbers, np.int16).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "dtype", ["bool_", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64"]
)
def test_element_types(dtype):
    dtype = getattr(dyad, dtype)
    values = dyad.Tensor([0, 1, 1], dtype)
    tensor = dyad.frombuffer(bytearray(dyad._core.to_bytes(values)), dtype)
    assert tensor.dtype == dtype
    assert (tensor == values).all()


def test_a_part_of_it():
    numbers = array.array("i", range(10))
    assert dyad.frombuffer(numbers, dyad.int32, count=3, offset=8).asnumpy().tolist() == [2, 3, 4]
    assert dyad.frombuffer(numbers, dyad.int32, offset=32).asnumpy().tolist() == [8, 9]
    assert dyad.frombuffer(numbers, dyad.int32, count=0).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            {"dtype": float},
            TypeError,
            "frombuffer: dtype is <class 'float'>; need an element type of tensors",
        ),
        ({"dtype": dyad.float64, "offset": 4}, ValueError, "12 bytes lie behind offset 4; need those of 1"),
        ({"dtype": dyad.int32, "count": 5}, ValueError, "16 bytes lie behind offset 0; need those of 5"),
        ({"dtype": dyad.int32, "offset": 17}, ValueError, "frombuffer: offset is 17; need 0 to 16"),
        ({"dtype": dyad.int32, "offset": -1}, ValueError, "frombuffer: offset is -1; need 0 to 16"),
    ],
)
def test_frombuffer_rejects_wrong_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        dyad.frombuffer(bytes(16), **arguments)
