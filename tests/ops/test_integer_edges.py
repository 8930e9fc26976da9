"""Integers at the ends of their range, and floats that become integers."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops

FORMS = pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])


@FORMS
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_distances_wider_than_the_dtype(form, dtype):
    limits = np.iinfo(dtype)
    a = np.array([0, limits.max, limits.min, 5], dtype)
    b = np.array([limits.min, limits.min, limits.max, 5], dtype)
    assert form(lambda x, y: ops.isclose(x, y))(Tensor(a), Tensor(b)).asnumpy().tolist() == [
        False,
        False,
        False,
        True,
    ]


@FORMS
@pytest.mark.parametrize("source", [np.float32, np.float64])
@pytest.mark.parametrize("target", ["uint8", "uint16", "uint32", "uint64"])
def test_negative_floats_wrap(form, source, target):
    values = np.array([-300.0, -1.0, 0.0, -0.5, 200.0], source)
    bits = np.iinfo(target).bits
    found = form(lambda x: ops.cast(x, getattr(dyad, target)))(Tensor(values)).asnumpy()
    assert found.tolist() == [int(value) % 2**bits for value in values]


@FORMS
def test_large_floats_become_large_integers(form):
    values = np.array([2.0**63, 2.0**64 - 2.0**11, 2.0**62], np.float64)
    found = form(lambda x: ops.cast(x, dyad.uint64))(Tensor(values)).asnumpy()
    assert found.tolist() == [2**63, 2**64 - 2**11, 2**62]


@FORMS
@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        ((-1, 1), [1, 2, 3, 4, 1]),
        ((1, -1), [3, 0, 1, 2, 3]),
        ((-1, 2), [1, 2, 3, 4, 1, 2]),
        ((-2, -1), [2, 3]),
        ((2, 1), [3, 4, 0, 1, 2, 3, 4, 0]),
    ],
)
def test_what_is_cut_off_does_not_come_round(form, margins, expected):
    x = Tensor(np.arange(5, dtype=np.float32).reshape(1, 1, 5))
    found = form(lambda x: ops.pad(x, margins, "circular"))(x)
    assert found.asnumpy().ravel().tolist() == expected


def test_nothing_left_to_go_round():
    x = Tensor(np.arange(5, dtype=np.float32).reshape(1, 1, 5))
    with pytest.raises(ValueError, match="pad: padding"):
        ops.pad(x, (-5, 1), "circular")
