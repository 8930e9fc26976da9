"""Loss scalers: what they multiply, how they adjust, what they refuse."""

import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, amp


def gradients(*numbers):
    return tuple(Tensor(np.array([number], np.float16)) for number in numbers)


def test_all_finite():
    for form in (tuple, list):
        result = amp.all_finite(form(gradients(1, 2)))
        assert result.shape == () and result.dtype == dyad.bool_ and bool(result)
        assert not amp.all_finite(form(gradients(1, np.inf)))
        assert not amp.all_finite(form(gradients(np.nan, 1)))
    assert amp.all_finite(Tensor([1.0, 2.0])) and not amp.all_finite(Tensor([-np.inf]))


@pytest.mark.parametrize("scaler", [amp.StaticLossScaler(8), amp.DynamicLossScaler(8, 2, 3)])
def test_scale_and_unscale_keep_form_and_dtype(scaler):
    assert float(scaler.scale(Tensor(3.0))) == 24.0
    scaled = scaler.scale(gradients(1, 2))
    assert isinstance(scaled, tuple) and [float(part[0]) for part in scaled] == [8.0, 16.0]
    assert all(part.dtype == dyad.float16 for part in scaled)
    back = scaler.unscale(list(scaled))
    assert isinstance(back, list) and [float(part[0]) for part in back] == [1.0, 2.0]


def test_a_static_scale_stays():
    scaler = amp.StaticLossScaler(4.0)
    assert scaler.adjust(False) is False
    assert float(scaler.scale_value) == 4.0


def test_a_dynamic_scale_grows_after_a_window_and_shrinks_on_overflow():
    scaler, seen = amp.DynamicLossScaler(4, 2, 2), []
    for finite in (True, True, True, False, True, True, False, False, False, False):
        assert scaler.adjust(Tensor(finite)) is True
        seen.append(float(scaler.scale_value))
    assert seen == [4, 8, 8, 4, 4, 8, 4, 2, 1, 1]


def test_a_dynamic_scale_does_not_overflow():
    scaler = amp.DynamicLossScaler(2.0**127, 2, 1)
    scaler.adjust(True)
    assert float(scaler.scale_value) == 2.0**127


def test_loss_scale_managers_adjust_after_overflows():
    fixed = amp.FixedLossScaleManager(64.0)
    fixed.update_loss_scale(True)
    assert fixed.get_loss_scale() == fixed.get_update_cell().get_loss_scale() == 64.0
    assert fixed.get_drop_overflow_update()
    assert amp.FixedLossScaleManager(drop_overflow_update=False).get_update_cell() is None
    dynamic, seen = amp.DynamicLossScaleManager(4, 2, 2), []
    for overflow in (False, False, True, False, False, True, True, True):
        dynamic.update_loss_scale(overflow)
        seen.append(dynamic.get_loss_scale())
    assert seen == [4, 8, 4, 4, 8, 4, 2, 1]
    assert dynamic.get_update_cell().get_loss_scale() == 1 and dynamic.get_drop_overflow_update()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: amp.StaticLossScaler(0.5),
            ValueError,
            "StaticLossScaler: scale_value is 0.5; need a finite number of 1 or more",
        ),
        (lambda: amp.DynamicLossScaler(0, 2, 3), ValueError, "DynamicLossScaler: scale_value is 0"),
        (
            lambda: amp.DynamicLossScaler(2, 0, 3),
            ValueError,
            "scale_factor is 0; need a finite number above 0",
        ),
        (lambda: amp.DynamicLossScaler(2, 2, 0), ValueError, "scale_window is 0; need an int of at least 1"),
        (lambda: amp.StaticLossScaler("8"), TypeError, "scale_value is '8' of type str; need a number"),
        (lambda: amp.StaticLossScaler(8).scale(3), TypeError, "inputs is of type int; need a Tensor"),
        (lambda: amp.FixedLossScaleManager(0), ValueError, "FixedLossScaleManager: loss_scale is 0"),
        (lambda: amp.DynamicLossScaleManager(8, 2.5), TypeError, "scale_factor is 2.5 of type float"),
        (lambda: amp.all_finite(3), TypeError, "all_finite: inputs is of type int"),
        (lambda: amp.all_finite([]), ValueError, "all_finite: x holds no tensors"),
    ],
)
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()
