"""The example of text generation: bytecode mode makes one graph of its loop, which writes the same text."""

import importlib.util
from pathlib import Path

import pytest

import dyad
from dyad import Tensor, jit

PATH = Path(__file__).parents[2] / "examples/made_static_by_one_line.py"
STEPS = 3  # of training; the text need not be good


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("made_static_by_one_line", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def called(example):
    """(the static function, its arguments)."""
    model, _ = example.taught(STEPS)
    static = jit(example.generate, capture_mode="bytecode")
    arguments = model, Tensor(example.encode("One "), dyad.int32)
    for _ in range(2):
        static(*arguments, end=example.END)
    return static, arguments


@pytest.mark.parametrize("end", ["never", "soon"])
def test_both_forms_write_the_same(example, called, end):
    static, arguments = called
    token = example.END
    if end == "soon":
        token = int(example.generate(*arguments, end=example.END)[0][9])
    expected, count = example.generate(*arguments, end=token)
    given, counted = static(*arguments, end=token)
    assert (given == expected).all() and counted == count
    assert end == "never" or count <= 9


def test_the_loop_is_one_graph(example, called):
    static, arguments = called
    explanation = dyad.explain(static)(*arguments, end=example.END)
    assert explanation.rejection is None and len(explanation.compilations) <= 2
    nodes = [node for function in explanation.graph.functions.values() for node in function.nodes]
    assert [node.kind for node in nodes].count("while") == 1


def test_the_page_is_written(example, called, tmp_path):
    static, arguments = called
    graph = dyad.explain(static)(*arguments, end=example.END).graph
    page = Path(graph.show(tmp_path / "page.html"))
    assert "graph of generate" in page.read_text()
