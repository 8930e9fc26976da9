"""Which float32 arithmetic products and convolutions may use."""

import pytest

import dyad
from dyad.device_context import gpu


@pytest.fixture(autouse=True)
def as_before():
    yield
    dyad.set_context(gpu_config={"conv_allow_tf32": False, "matmul_allow_tf32": False})


def test_off_by_default():
    assert not any(dyad.get_context("gpu_config").values())


def test_each_has_its_own_switch():
    gpu.op_precision.matmul_allow_tf32(True)
    assert dyad.get_context("gpu_config") == {"conv_allow_tf32": False, "matmul_allow_tf32": True} or (
        dyad.get_context("gpu_config") == {"matmul_allow_tf32": True}
    )
    gpu.op_tuning.conv_allow_tf32(True)
    assert dyad.get_context("gpu_config") == {"conv_allow_tf32": True, "matmul_allow_tf32": True}


def test_products_stay_right():
    import numpy as np

    x = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    gpu.op_precision.matmul_allow_tf32(True)
    assert np.abs((dyad.Tensor(x) @ dyad.Tensor(x)).asnumpy() - x @ x).max() < 0.1


def test_algorithms_are_said_to_have_no_effect(monkeypatch):
    said = []
    monkeypatch.setattr("dyad._src.context.settings.say_no_effect", lambda name, shown: said.append(shown))
    dyad.set_context(gpu_config={"conv_fprop_algo": "performance"})
    assert said == ["set_context: gpu_config['conv_fprop_algo']"]


def test_wrong_values():
    with pytest.raises(TypeError, match="matmul_allow_tf32: value is 1 of type int; need a bool"):
        gpu.op_precision.matmul_allow_tf32(1)
    with pytest.raises(ValueError, match="gpu_config has the entry 'tf32'; need entries from"):
        dyad.set_context(gpu_config={"tf32": True})
    with pytest.raises(TypeError, match="need bool"):
        dyad.set_context(gpu_config={"conv_allow_tf32": 1})
