"""`Tensor.transpose`: two dimensions that change places, or all of them in another order."""

import numpy as np
import pytest

import dyad
from dyad import Tensor

MATRIX = np.arange(6.0, dtype=np.float32).reshape(2, 3)
STACK = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
@pytest.mark.parametrize(
    ("call", "array", "expected"),
    [
        (lambda x: x.transpose(0, 1), MATRIX, MATRIX.T),
        (lambda x: x.transpose(1, 0), MATRIX, MATRIX.T),
        (lambda x: x.transpose(-1, -2), MATRIX, MATRIX.T),
        (lambda x: x.transpose(dim0=0, dim1=1), MATRIX, MATRIX.T),
        (lambda x: x.transpose(0, dim1=1), MATRIX, MATRIX.T),
        (lambda x: x.transpose(), MATRIX, MATRIX.T),
        (lambda x: x.transpose((0, 1)), MATRIX, MATRIX),
        (lambda x: x.transpose([1, 0]), MATRIX, MATRIX.T),
        (lambda x: x.transpose(axes=(1, 0)), MATRIX, MATRIX.T),
        (lambda x: x.transpose(0, 1), STACK, STACK.swapaxes(0, 1)),
        (lambda x: x.transpose(0, 2, 1), STACK, STACK.transpose(0, 2, 1)),
        (lambda x: x.transpose((2, 0, 1)), STACK, STACK.transpose(2, 0, 1)),
        (lambda x: x.transpose(dim0=2, dim1=0), STACK, STACK.swapaxes(2, 0)),
    ],
)
def test_transposes_agree_with_numpy(form, call, array, expected):
    np.testing.assert_array_equal(form(call)(Tensor(array)).asnumpy(), expected)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.transpose(0, 2), ValueError),
        (lambda x: x.transpose(0), ValueError),
        (lambda x: x.transpose(dim0=0), TypeError),
        (lambda x: x.transpose(0, 1, dim0=1), TypeError),
        (lambda x: x.transpose("a", 1), TypeError),
    ],
)
def test_wrong_orders(call, error):
    with pytest.raises(error, match=r"transpose|swapaxes"):
        call(Tensor(MATRIX))


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("axes", [(0, 1), [0, 1], (0,), (0, 1, 1), (0, 3, 1)])
def test_a_tuple_names_every_dimension_once(form, axes):
    with pytest.raises(ValueError, match="perm"):
        form(lambda x: x.transpose(axes))(Tensor(STACK))
