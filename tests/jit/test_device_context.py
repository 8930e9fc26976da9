"""Settings of one kind of device."""

import pytest

import dyad
from dyad.device_context.cpu.op_tuning import threads_num


def test_threads_of_an_operator():
    before = dyad.get_context("runtime_num_threads")
    try:
        threads_num(1)
        assert dyad.get_context("runtime_num_threads") == 1
        dyad.device_context.cpu.op_tuning.threads_num(2)
        assert dyad.get_context("runtime_num_threads") == 2
    finally:
        threads_num(before)


@pytest.mark.parametrize(
    ("num", "error"), [(0, ValueError), (-1, ValueError), ("2", TypeError), (True, TypeError)]
)
def test_refusals(num, error):
    with pytest.raises(error, match="threads_num: num is"):
        threads_num(num)
