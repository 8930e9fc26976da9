"""Exceptions that `pytest.raises(RuntimeError)` accepts in these tests."""

import pytest

from dyad._core import CaptureError


def test_a_refusal_is_not_an_error_of_the_program():
    with pytest.raises(AssertionError), pytest.raises(RuntimeError):
        raise CaptureError("refused")


def test_a_refusal_is_found_by_its_own_name():
    for expected in (CaptureError, (RuntimeError, CaptureError)):
        with pytest.raises(expected, match="refused"):
            raise CaptureError("refused")


def test_other_errors_are_found_as_ever():
    with pytest.raises(RuntimeError, match="broken"):
        raise RuntimeError("broken")
    with pytest.raises(RecursionError):
        raise RecursionError("deep")
    with pytest.raises((RuntimeError, ValueError)):
        raise ValueError("wrong")
