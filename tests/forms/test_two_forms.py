"""The example that runs one network in every form does what it shows."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dyad

PATH = Path(__file__).parents[2] / "examples/two_forms.py"
FORMS = [
    "dynamic_graph",
    "graph_mode",
    "jit_as_decorator",
    "jit_as_transform",
    "jit_of_a_network",
    "jit_on_construct",
    "network_made_inside",
]


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("two_forms", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_hand(network, x):
    hidden = x.asnumpy().reshape(x.shape[0], -1)
    for cell in network.dense_relu_sequential:
        if isinstance(cell, dyad.nn.Dense):
            hidden = hidden @ cell.weight.asnumpy().T + cell.bias.asnumpy()
        else:
            hidden = np.maximum(hidden, 0)
    return hidden


def test_the_example_shows_every_form(example):
    assert [form.__name__ for form in example.FORMS] == FORMS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_network_s_answer(example, form):
    dyad.set_seed(42)
    first, second = example.Network(), example.Network()
    makes_another = form == "network_made_inside"
    dyad.set_seed(42)
    call = getattr(example, form)()
    for network in (first, second if makes_another else first):
        expected = by_hand(network, example.images())
        np.testing.assert_allclose(call(example.images()).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_the_comparison_finds_no_difference(example, capsys):
    example.compare_forms()
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == len(FORMS)
    assert all(line.endswith("  same") for line in lines)
    assert dyad.get_context("mode") == dyad.PYNATIVE_MODE


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_a_static_cell_inside_a_network(example, capsys, mode):
    dyad.set_context(mode=mode)
    example.mixed_execution()
    assert capsys.readouterr().out == "[[[[15.99984]]\n\n  [[15.99984]]]]\n" * 2


def test_one_graph_counts_for_every_number(example):
    static = dyad.jit(example.collatz_steps)
    for number, steps in ((1, 0), (6, 8), (7, 16), (27, 111)):
        assert int(static(dyad.Tensor(number))) == steps
    assert len(static.entries) == 1
