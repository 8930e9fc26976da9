"""The example of per-sample gradients: they are those of a loop, and they find the wrong labels."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Tensor

PATH = Path(__file__).parents[2] / "examples/per_sample_gradients.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("per_sample_gradients", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(example):
    points, labels, wrong = example.spirals()
    return Tensor(points), Tensor(labels), wrong


def test_gradients_are_those_of_a_loop(example, data):
    points, labels, _ = (part[:20] if isinstance(part, Tensor) else part for part in data)
    dyad.set_seed(1)
    network = example.Network()
    found = example.all_at_once(network)(points, labels)
    expected = example.in_a_loop(network)(points, labels)
    for parameter, ours, theirs in zip(network.trainable_params(), found, expected, strict=True):
        assert ours.shape == (20, *parameter.shape)
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-6)


def test_lengths_of_gradients(example, data):
    points, labels, _ = data
    dyad.set_seed(1)
    network = example.Network()
    gradients = example.all_at_once(network)(points, labels)
    expected = sum((part.asnumpy().reshape(len(labels), -1) ** 2).sum(1) for part in gradients)
    np.testing.assert_allclose(example.squared_norms(gradients).asnumpy(), expected, rtol=1e-5)


def test_long_gradients_are_those_of_wrong_labels(example, data):
    points, labels, wrong = data
    dyad.set_seed(3)
    norms, history = example.train(example.Network(), points, labels, 60)
    assert history[-1][1] > 0.9 and len(wrong) == example.WRONG
    found = wrong.intersection(np.argsort(-norms)[: example.WRONG].tolist())
    assert len(found) >= example.WRONG - 2


def test_what_is_shown(example, capsys):
    example.main()
    shown = capsys.readouterr().out
    assert "vmap, one static graph" in shown and "of 12 wrong labels" in shown
