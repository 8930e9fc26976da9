"""`Tensor.tolist()` in captured code: nested lists of the numbers that Python has, in the graph where they are few."""

import math

import numpy as np
import pytest
from guard_rows import bytecode, fresh, graphs

from dyad import Tensor, jit, ops

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "float32",
    "float64",
)
SHAPES = ((), (1,), (3,), (2, 3), (2, 0), (0,), (1, 2, 2))


def tensor_of(shape, dtype):
    values = np.arange(math.prod(shape), dtype=np.float64).reshape(shape) / (3 if "float" in dtype else 1)
    return Tensor(values.astype(dtype))


def listed(x):
    return ops.reshape(x, x.shape).tolist(), x


def of_the_class(x):
    return Tensor.tolist(ops.reshape(x, x.shape)), x


def worked_on(x):
    rows = (x * 2).tolist()
    rows.append(rows[0])
    rows[0][0] = 7
    first, second = rows[1][0], rows[-1]
    return rows, x * first, len(rows), sum(second), second is rows[0]


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [listed, of_the_class])
def test_as_python_has_it(function, dtype, mode):
    for shape in SHAPES:
        compiled, x = jit(fresh(function), capture_mode=mode), tensor_of(shape, dtype)
        for _ in range(2):
            found, expected = compiled(x)[0], function(x)[0]
            assert repr(found) == repr(expected) and type(found) is type(expected)
        assert graphs(compiled) == 1


@pytest.mark.parametrize("value", [float("nan"), -0.0, float("inf"), 1 / 3])
def test_every_float_is_exact(value):
    x = Tensor(np.array([value, 1.0]))
    assert repr(bytecode(listed)(x)[0]) == repr(listed(x)[0])


def test_ints_to_their_last_bit():
    x = Tensor(np.array([2**63 - 1, -(2**63)]))
    assert bytecode(listed)(x)[0] == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
def test_the_lists_are_lists(mode):
    compiled, x = jit(fresh(worked_on), capture_mode=mode), tensor_of((2, 3), "float32")
    for factor in (1, -3):
        assert repr(compiled(x * factor)) == repr(worked_on(x * factor))
    assert graphs(compiled) == 1


def test_new_data_is_seen():
    compiled = bytecode(listed)
    assert compiled(Tensor([1, 2]))[0] == [1, 2] and compiled(Tensor([3, 4]))[0] == [3, 4]
    assert graphs(compiled) == 1


@pytest.mark.parametrize(
    "x",
    [
        pytest.param(tensor_of((9, 9), "float32"), id="many elements"),
        pytest.param(Tensor(np.array([2**64 - 1], np.uint64)), id="more bits than a number of a graph has"),
        pytest.param(Tensor(np.array([1 + 2j])), id="complex"),
    ],
)
def test_what_is_left_to_python(x):
    compiled = bytecode(listed)
    for _ in range(3):
        assert compiled(x)[0] == x.tolist()
    assert graphs(compiled) == 0 and compiled.__jit_compiler__.breaks


def one_element(x):
    return ops.reshape(x, (1,)).item(), int(ops.reshape(x, (1,)))


def test_an_element_with_more_bits_is_left_to_python_too():
    x = Tensor(np.array([2**64 - 1], np.uint64))
    for mode in ("bytecode", "ast"):
        assert jit(fresh(one_element), capture_mode=mode)(x) == (2**64 - 1, 2**64 - 1)
