"""The example that trains a digit classifier learns what it says, and the same in both forms."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "examples/train_digits.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("train_digits", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_digits_are_drawn_apart(example):
    images = example.draw(np.arange(10), np.random.default_rng(0))
    assert images.shape == (10, 1, example.SIZE, example.SIZE)
    assert images.min() >= 0 and images.max() <= 1
    distances = np.abs(images[:, None] - images).mean((2, 3, 4))
    assert distances[~np.eye(10, dtype=bool)].min() > 0.02


def test_two_epochs_reach_the_stated_accuracy_in_both_forms(example, capsys):
    random = np.random.default_rng(1)
    images, labels = example.make_digits(4000, random)
    trainings = [example.Training(form) for form in example.FORMS.values()]
    example.train(trainings, images, labels, 2, random)
    dynamic, static = trainings
    # The graph adds up in another order; from step to step rounding tells more.
    np.testing.assert_allclose(static.losses[:20], dynamic.losses[:20], rtol=1e-4)
    assert example.apart_by(static.losses, dynamic.losses, 100) < example.MOST_APART
    assert len(static.step.entries) == 1
    for ours, theirs in zip(static.network.get_parameters(), dynamic.network.get_parameters(), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), atol=0.05)
    losses = static.losses
    assert np.mean(losses[-20:]) < 0.2 < 2.0 < losses[0]
    unseen, wanted = example.make_digits(500, random)
    probabilities = example.predict(static.network, unseen)
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-4)
    assert (probabilities.argmax(1) == wanted).mean() > example.LEAST_ACCURACY
    example.show_forms(trainings)
    example.show_curve(losses)
    example.show_predictions(unseen, wanted, probabilities, np.arange(8))
    shown = capsys.readouterr().out
    assert "epoch 2/2" in shown and "step 124" in shown and "100%" in shown
    assert shown.count("by step 100") == 1
