"""Elementwise operators on the device: every definition over its dtypes, layouts and mixtures of operands."""

import numpy as np
import pytest
from device_samples import faults_of

from dyad import Tensor, _core, ops

ELEMENTWISE = [
    pytest.param(op, id=op["name"])
    for op in _core.op_table()
    if op["numpy"] and op["samples"] and op["samples"][0].startswith(("unary", "binary", "ternary"))
]


@pytest.mark.parametrize("op", ELEMENTWISE)
def test_as_numpy(op):
    faults = faults_of(op)
    assert not faults, "\n" + "\n".join(faults[:4])


def test_results_lie_on_the_device():
    assert (Tensor([1.0, 2.0]) + 1).device.startswith("GPU")


@pytest.mark.parametrize("count", [1, 3, 4, 5, 1023, 70001])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "float64", "complex64"])
def test_tails_of_packs(count, dtype):
    values = (np.arange(count) % 19 + 1).astype(dtype)
    result = (Tensor(values) + Tensor(values)).asnumpy()
    assert result.dtype == values.dtype
    assert np.array_equal(result, values + values)


def test_unaligned_views():
    values = np.arange(4099, dtype=np.float32)
    x = Tensor(values)
    assert np.array_equal((x[1:] * x[:-1]).asnumpy(), values[1:] * values[:-1])


def test_rows_and_columns_are_spread():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(7, 64, 12)).astype(np.float32)
    row = rng.normal(size=(12,)).astype(np.float32)
    column = rng.normal(size=(64, 1)).astype(np.float32)
    assert np.array_equal((Tensor(a) + Tensor(row)).asnumpy(), a + row)
    assert np.array_equal((Tensor(a) * Tensor(column)).asnumpy(), a * column)


def test_more_dimensions_than_a_launch_numbers():
    shape = (2, 3) * 5
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    order = (8, 0, 6, 2, 4, 9, 1, 7, 3, 5)
    turned = ops.transpose(Tensor(values), order)
    other = np.ascontiguousarray(values.transpose(order)[::-1])
    assert np.array_equal((turned + Tensor(other)).asnumpy(), values.transpose(order) + other)


def test_numbers_and_tensors_of_one_element():
    values = np.linspace(-2, 2, 33, dtype=np.float32)
    one = Tensor(np.float32(3))
    assert np.array_equal((Tensor(values) * one + 0.5).asnumpy(), values * np.float32(3) + np.float32(0.5))
    assert np.array_equal(ops.maximum(one, Tensor(values)).asnumpy(), np.maximum(np.float32(3), values))


def test_wrong_dtype_is_named():
    with pytest.raises(TypeError, match="bitwise_and"):
        ops.bitwise_and(Tensor([1.0]), Tensor([2.0]))


def test_host_reads_what_was_computed_last():
    x = Tensor(np.zeros(100000, np.float32))
    for _ in range(50):
        x = x + 1
    assert x.asnumpy().max() == 50.0


def test_written_in_place():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    x += 1
    x[0] = 7
    assert np.array_equal(x.asnumpy(), [[7, 7, 7], [4, 5, 6]])
