"""Which results share the memory of an argument, and which must not."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops


def vector(*numbers, dtype=np.float32):
    return Tensor(np.array(numbers, dtype))


def test_relu_writes_into_its_input_on_request_only():
    x = vector(-1, 2)
    assert ops.relu(x, False).tolist() == [0, 2]
    assert x.tolist() == [-1, 2]
    assert ops.relu(x, inplace=True).tolist() == [0, 2]
    assert x.tolist() == [0, 2]


def test_astype_copies_on_request():
    x = vector(1, 2)
    x.astype(dyad.float32, copy=True)[0] = 5
    assert x.tolist() == [1, 2]
    x.astype(dyad.float32)[0] = 5
    assert x.tolist() == [5, 2]


@pytest.mark.cpu("the CPU is the device that it asks for")
def test_to_shares_what_fits_already():
    x = vector(1, 2)
    x.to("CPU", copy=True)[0] = 5
    x.to(vector(0), copy=True)[0] = 5
    assert x.tolist() == [1, 2]
    x.to(device="cpu:0")[0] = 6
    x.to(vector(0))[1] = 7
    assert x.tolist() == [6, 7]


def test_parts_of_complex_numbers_are_views():
    x = vector(1 + 2j, 3 - 4j, dtype=np.complex64)
    parts = ops.view_as_real(x)
    assert parts.tolist() == [[1, 2], [3, -4]]
    parts[1, 0] = 9
    assert x.tolist() == [1 + 2j, 9 - 4j]
    ops.view_as_complex(parts)[0] = 5j
    assert parts.tolist() == [[0, 5], [9, -4]]


def test_scattered_parts_are_gathered():
    parts = vector(1, 2, 3, 4, 5, 6).reshape(2, 3).T
    assert ops.view_as_complex(parts[:2]).tolist() == [1 + 4j, 2 + 5j]
