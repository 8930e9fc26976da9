"""The example that follows a function from its bytecode to graphs: its page has every stage, and is the written one."""

import importlib.util
import re
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "examples/follow_bytecode.py"
WRITTEN = PATH.parent.parent / "docs/how-bytecode-becomes-a-graph.md"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("follow_bytecode", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(example):
    return example.page()


def part(page, number):
    """The text under one heading."""
    return page.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def line_of(text):
    return next(place for place, line in enumerate(PATH.read_text().splitlines(), 1) if text in line)


def test_instructions_and_their_flow(page):
    assert "LOAD_GLOBAL ops" in part(page, 1) and "FOR_ITER to " in part(page, 1)
    assert re.search(r"JUMP\w*_IF_FALSE to (\d+): goes on at \d+ or \1, the ways meet at \1", part(page, 2))
    assert re.search(r"FOR_ITER to \d+: a loop of the instructions", part(page, 2))


def test_the_reader_stops_at_the_break(page):
    rows = re.findall(r"^ *\d+ \w+.*\|.*$", part(page, 3), re.MULTILINE)
    # From 3.13 on a comparison may be told to give a truth, a number of the graph.
    assert any("COMPARE_OP" in row and re.search(r"\| .*bool", row) for row in rows)
    assert "asnumpy" in rows[-1] and rows[-1].endswith("| ?")


def test_parts_are_graphs_of_their_lines(page):
    first, second = re.findall(r"```text\nfunc .*?```", part(page, 4), re.DOTALL)
    assert f"tanh(%1)  # line {line_of('ops.tanh(x')}" in first and " = if %" in first
    assert second.count(f"# line {line_of('y * 0.9 + x')}") == 4


def test_the_rewritten_code_calls_the_parts(page):
    code = part(page, 5)
    assert code.count("LOAD_DEREF .part_") == 2 and "asnumpy" in code and "tanh" not in code


def test_guards_and_a_later_call(page):
    assert part(page, 6).count("argument x: contiguous Float32") == 2
    assert part(page, 7).count("1 served by its graph, 0 captured") == 2


def test_the_written_page_is_what_the_program_prints(example, page):
    written = WRITTEN.read_text()
    if f"on CPython {example.MINOR}." in written:
        assert page == written
    else:  # instructions differ from minor to minor, the rest does not
        assert part(page, 2).partition("```")[0] == part(written, 2).partition("```")[0]
        assert re.findall(r"^## .*$", page, re.MULTILINE) == re.findall(r"^## .*$", written, re.MULTILINE)
