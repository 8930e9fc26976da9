"""The example of a training loop in plain Python: bytecode mode makes few graphs of its step and learns the same."""

import importlib.util
import math
import sys
from pathlib import Path

import pytest

import dyad
from dyad import jit

PATH = Path(__file__).parents[2] / "examples/plain_training_loop.py"
STEPS = 12
MOST_GRAPHS = 2
MOST_APART = 1e-3  # an optimised graph adds up in another order


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("plain_training_loop", PATH)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # dataclasses ask for it
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def trained(example):
    """(the loop as it stands, the one whose step is static, that step)."""
    config = example.ModelConfig(width=16, heads=2, layers=1, length=8)
    arguments = example.TrainingArguments(batch_size=4, max_steps=STEPS, warmup_steps=3)
    step = jit(example.train_step, capture_mode="bytecode")
    forms = {"as it stands": example.train_step, "bytecode": step}
    one, other = (example.train(form, config, arguments, name) for name, form in forms.items())
    return one, other, step, example.make_batches(config, arguments, 1)[0]


def test_both_forms_learn_the_same(trained):
    one, other, *_ = trained
    assert len(one.history) == len(other.history) == STEPS
    for dynamic, static in zip(one.history, other.history, strict=True):
        assert dynamic.keys() == static.keys()
        assert all(type(value) is float for name, value in static.items() if name != "step")
        assert math.isclose(dynamic["loss"], static["loss"], rel_tol=MOST_APART)
        assert math.isclose(dynamic["grad_norm"], static["grad_norm"], rel_tol=20 * MOST_APART)


def test_the_step_is_few_graphs_that_serve_every_batch(example, trained):
    _, other, step, batch = trained
    explanation = dyad.explain(step)(other, batch)
    assert 1 <= example.graphs(explanation) <= MOST_GRAPHS
    longest = max(
        (piece for piece in explanation.pieces if piece.is_graph),
        key=lambda piece: piece.last_line - piece.first_line,
    )
    assert longest.calls >= STEPS - 1


def test_forward_gradients_and_update_are_not_a_break(example, trained):
    _, other, step, batch = trained
    lines, first = PATH.read_text().splitlines(), example.train_step.__code__.co_firstlineno
    update = next(line for line, text in enumerate(lines, 1) if line > first and "trainer.optimizer(" in text)
    found = example.breaks(dyad.explain(step)(other, batch))
    assert found and min(found) > update
    assert any("asnumpy" in because or "ndarray" in because for because in found.values())
