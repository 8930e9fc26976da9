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
def test_threads_num_rejects_what_is_not_a_positive_int(num, error):
    with pytest.raises(error, match="threads_num: num is"):
        threads_num(num)


def test_precision_of_a_gpu_is_kept_for_it():
    """Without a GPU the switches are there, checked, and read by nobody."""
    with pytest.raises(TypeError, match="conv_allow_tf32: value is None of type NoneType; need a bool"):
        dyad.device_context.gpu.op_precision.conv_allow_tf32(None)
    dyad.device_context.gpu.op_precision.conv_allow_tf32(False)
    assert dyad.device_context.gpu.is_available() == (dyad.device_context.gpu.device_count() > 0)
    with pytest.warns(UserWarning, match="gpu_config has no meaning on CPU and is skipped"):
        dyad.set_context(gpu_config={"matmul_allow_tf32": True})


def test_devices_are_counted_under_every_path():
    cpu, gpu = dyad.device_context.cpu, dyad.device_context.gpu
    assert cpu.is_available() and cpu.device.is_available() and cpu.device_count() == 1
    assert gpu.device.is_available() == gpu.is_available() == (gpu.device.device_count() > 0)
