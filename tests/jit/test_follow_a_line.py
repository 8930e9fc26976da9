"""The example that follows a line of Python to machine code: its page shows every stage of the program it follows."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "examples/follow_a_line.py"


@pytest.fixture(scope="module")
def page(request):
    if request.config.getoption("--jit-level") == "O0":
        pytest.skip("the page is one of a graph that is optimised")
    spec = importlib.util.spec_from_file_location("follow_a_line", PATH)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example.page()


def part(page, number):
    """The text under one heading."""
    return page.partition(f"\n## {number}. ")[2].partition("\n## ")[0]


def test_the_captured_graph_names_its_lines(page):
    line = next(place for place, text in enumerate(PATH.read_text().splitlines(), 1) if "x * 0.5" in text)
    assert f"mul(%x, other=0.5)  # line {line}" in part(page, 1)


def test_passes_that_changed_something(page):
    assert "**fuse_product_epilogues.**" in part(page, 2)
    assert 'steps="relu"' in part(page, 2)
    assert "fused func @" in part(page, 2)


def test_loops_and_code(page):
    assert "div.float32" in part(page, 3)
    assert "fdiv <" in part(page, 4)
    assert "div" in part(page, 5)


def test_plan_and_profile(page):
    assert "panel_product" in part(page, 6)
    assert "fused mul add mul mean add sqrt div" in part(page, 6)


def test_the_written_page_is_of_this_program(page):
    written = (PATH.parent.parent / "docs/how-a-line-becomes-machine-code.md").read_text()
    assert part(written, 1) == part(page, 1)
