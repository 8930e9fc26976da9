"""Clipping gives back the form it was given; bounds of clamp that samples cannot state."""

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
    with pytest.raises(ValueError, match="clip_by_value: at least one of 'min' or 'max' must not be None"):
        ops.clip_by_value(vector(1))


@pytest.mark.parametrize("bounds", [(np.nan, 1.0), (-1.0, np.nan), (np.nan, None), (None, np.nan)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_bound_gives_nan(bounds, dtype):
    values = Tensor(np.linspace(-3, 3, 70).astype(dtype))
    assert np.isnan(ops.clamp(values, *bounds).asnumpy()).all()


def test_nan_in_a_tensor_of_bounds_gives_nan_there():
    found = ops.clamp(vector(-5, 0, 5), vector(-1, np.nan, 1), 2.0).asnumpy()
    np.testing.assert_array_equal(found, np.float32([-1, np.nan, 2]))


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [((-1, 3), [0, 2, 3]), ((-5, None), [0, 2, 250]), ((None, -1), [0, 0, 0]), ((1, 300), [1, 2, 250])],
)
def test_bound_beyond_the_unsigned_numbers(bounds, expected):
    found = ops.clamp(Tensor(np.array([0, 2, 250], np.uint8)), *bounds).asnumpy()
    assert found.tolist() == expected
    assert found.dtype == np.uint8
    assert ops.hardtanh(Tensor(np.array([0, 2, 250], np.uint8))).asnumpy().tolist() == [0, 1, 1]


def test_a_tensor_alone_is_clipped_by_its_own_norm():
    clipped = ops.clip_by_global_norm(vector(3, 4), 1.0)
    np.testing.assert_allclose(clipped.asnumpy(), [0.6, 0.8], rtol=1e-5)


def test_a_norm_that_is_known_already():
    clipped = ops.clip_by_global_norm([vector(3, 4)], 1.0, use_norm=Tensor(np.float32(10)))
    np.testing.assert_allclose(clipped[0].asnumpy(), [0.3, 0.4], rtol=1e-5)
