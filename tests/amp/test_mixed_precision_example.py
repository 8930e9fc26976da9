"""The example of mixed precision: both precisions learn, in every mode."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dyad

PATH = Path(__file__).parents[2] / "examples/mixed_precision.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("mixed_precision", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("mode", ["pynative", "graph", "jit"])
def test_both_precisions_learn(example, mode, capsys):
    try:
        full, half = example.main(["--mode", mode, "--steps", "80", "--hidden", "16"])
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    overflowed = round(np.log2(2**24 / float(half.scaler.scale_value)))
    assert 0 < overflowed < 20 and float(full.scaler.scale_value) == 2**24
    for training in (full, half):
        assert np.mean(training.losses[-5:]) < 0.75 * training.losses[0]
        assert {parameter.dtype for parameter in training.network.get_parameters()} == {dyad.float32}
    shown = capsys.readouterr().out
    assert "step    0" in shown and "Float16: loss" in shown and "ms per step" in shown


def test_the_step_is_one_graph(example):
    training = example.Training(dyad.float16, "jit", 16)
    first, *others = example.make_batches(3, np.random.default_rng(0))
    training.train_on(*first)
    graphs = example.Training.static_step.entries
    for batch in others:
        training.train_on(*batch)
    assert graphs and example.Training.static_step.entries == graphs
