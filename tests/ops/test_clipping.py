"""Clipping gives back the form it was given."""

import numpy as np
import pytest

from dyad import Tensor, ops


def vector(*numbers):
    return Tensor(np.array(numbers, np.float32))


def test_one_tensor():
    np.testing.assert_allclose(ops.clip_by_norm(vector(3, 4), 1.0).asnumpy(), [0.6, 0.8], rtol=1e-5)


@pytest.mark.parametrize("form", [list, tuple])
def test_several_share_one_factor(form):
    clipped = ops.clip_by_norm(form([vector(3), vector(4)]), 1.0)
    assert type(clipped) is form
    np.testing.assert_allclose([part.item() for part in clipped], [0.6, 0.8], rtol=1e-5)


def test_short_vectors_stay():
    np.testing.assert_array_equal(ops.clip_by_norm(vector(0.1, 0.2), 1.0).asnumpy(), np.float32([0.1, 0.2]))


def test_infinite_norm_is_an_error_on_request():
    with pytest.raises(RuntimeError, match="clip_by_norm: the norm is infinite or NaN"):
        ops.clip_by_norm(vector(np.inf), 1.0, error_if_nonfinite=True)


@pytest.mark.parametrize("form", [list, tuple])
def test_values_of_several_are_bounded_one_by_one(form):
    clipped = ops.clip_by_value(form([vector(-3, 0.5), vector(4)]), -1, 2)
    assert type(clipped) is form
    np.testing.assert_array_equal(clipped[0].asnumpy(), np.float32([-1, 0.5]))
    np.testing.assert_array_equal(clipped[1].asnumpy(), np.float32([2]))


def test_values_of_one_tensor_are_bounded():
    clipped = ops.clip_by_value(vector(-3, 4), clip_value_max=vector(1, 5))
    np.testing.assert_array_equal(clipped.asnumpy(), np.float32([-3, 4]))
    with pytest.raises(ValueError, match="clamp: min and max are both None"):
        ops.clip_by_value(vector(1))
