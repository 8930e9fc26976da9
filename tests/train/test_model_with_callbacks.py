"""The example of `Model` with callbacks: it learns, stops early and leaves its checkpoints, the same in both forms."""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Tensor

PATH = Path(__file__).parents[2] / "examples/model_with_callbacks.py"
POINTS, EPOCHS = 600, 4


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("model_with_callbacks", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(example, tmp_path_factory):
    """By mode: (Model, History, ModelCheckpoint)."""
    before, found = dyad.get_context("mode"), {}
    for name, mode in example.MODES.items():
        dyad.set_context(mode=mode)
        found[name] = example.train(str(tmp_path_factory.mktemp(name)), EPOCHS, POINTS)
    dyad.set_context(mode=before)
    return found


def test_the_loss_falls_alike_in_both_forms(runs):
    losses = [history.history["net_output"] for _, history, _ in runs.values()]
    np.testing.assert_allclose(*losses, rtol=1e-3)
    assert len(losses[0]) == EPOCHS and losses[0][-1] < losses[0][0]


@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_the_last_checkpoints_stay_and_can_be_taken_over(example, runs, mode):
    model, _, saving = runs[mode]
    last = saving.latest_ckpt_file_name
    steps = POINTS // example.BATCH
    graphs = ["spirals-graph.meta"] if mode == "graph" else []
    kept = [f"spirals-{at}_{steps}.ckpt" for at in (2, 3, 4)]
    assert sorted(os.listdir(os.path.dirname(last))) == kept + graphs
    points = Tensor(example.spirals(50, 3)[0])
    np.testing.assert_allclose(
        example.restored(last)(points).asnumpy(), model.predict(points).asnumpy(), rtol=1e-4, atol=1e-5
    )


def test_training_ends_when_accuracy_has_stopped_to_rise(example, tmp_path, capsys):
    _, history, _ = example.train(str(tmp_path), 60, 4 * POINTS)
    assert len(history.epoch["epoch"]) < 60
    assert max(history.history["accuracy"]) > example.LEAST_ACCURACY
    assert "early stopping" in capsys.readouterr().out
