"""Which results share the memory of their argument: every row of copies_and_views.tsv in every form."""

import importlib.util
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn

DATA = Path(__file__).with_name("copies_and_views.tsv")
PAGE = Path(__file__).parents[2] / "docs" / "copies-and-views.md"


class Row(NamedTuple):
    """An expression of an argument, and what its result is: here, and in MindSpore's two modes."""

    argument: str
    expression: str
    here: str  # copy, view or same
    dynamic: str
    static: str


ROWS = [Row(*line.split("\t")) for line in DATA.read_text().splitlines()]

GRID = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
ARGUMENTS = {
    "x": GRID,
    "q": GRID[None],
    "v": np.array([1, 2, 3], np.float32),
    "m": np.arange(1, 10, dtype=np.float32).reshape(3, 3),
    "i": GRID.astype(np.int32),
    "b": np.array([[True, False, True], [False, True, True]]),
    "c": (GRID + 1j * GRID).astype(np.complex64),
    "s": np.array(2.5, np.float32),
    "im": np.arange(1, 65, dtype=np.float32).reshape(1, 4, 4, 4),
}

HEAD = """
import dyad as ms
import dyad.numpy as mnp
import numpy as np
from dyad import Parameter, Tensor, mint, nn, ops
"""
# Writes into the result of one argument, and into another argument after its result was computed.
FUNCTIONS = """
def result_{n}({name}):
    return {expression}

def writes_{n}(first, second):
    written = result_{n}(first)
    written[...] = {value}
    kept = result_{n}(second)
    second[...] = {value}
    return written, kept

def writes_argument_{n}(first, second):
    kept = result_{n}(second)
    second[...] = {value}
    return first, kept
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The rows as functions of a module, for capture reads their source."""
    path = tmp_path_factory.mktemp("rows") / "rows_as_functions.py"
    path.write_text(
        HEAD
        + "".join(
            FUNCTIONS.format(
                n=n,
                name=row.argument,
                expression=row.expression,
                value=False if row.argument == "b" else 77,
            )
            for n, row in enumerate(ROWS)
        )
    )
    spec = importlib.util.spec_from_file_location("rows_as_functions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class InCell(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, first, second):
        return self.function(first, second)


def in_graph_mode(function):
    def call(first, second):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return InCell(function)(first, second)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


FORMS = {
    "dynamic": lambda function: function,
    "source": dyad.jit,
    "bytecode": lambda function: dyad.jit(function, capture_mode="bytecode"),
    "graph mode": in_graph_mode,
    "trace": lambda function: dyad.jit(function, capture_mode="trace"),
}


def given(row):
    return Tensor(ARGUMENTS[row.argument].copy())


def is_written(tensor, row):
    """Returns whether the write of the row's function is seen in it."""
    values = tensor.asnumpy()
    return not values.any() if row.argument == "b" else bool((values.real == 77).any())


def repeats_elements(result):
    """Returns whether several elements lie in one place, so that the result may not be written."""
    return any(step == 0 and size > 1 for step, size in zip(result.stride(), result.shape, strict=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: f"{ROWS[n].expression}")
def test_a_write_reaches_the_argument_of_a_view_only(number, form, functions):
    row = ROWS[number]
    shares = row.here != "copy"
    readable_only = repeats_elements(getattr(functions, f"result_{number}")(given(row)))
    name = f"writes_argument_{number}" if readable_only else f"writes_{number}"
    first, second = given(row), given(row)
    written, kept = FORMS[form](getattr(functions, name))(first, second)
    assert is_written(second, row)
    assert is_written(kept, row) == shares
    if not readable_only:
        assert is_written(written, row)
        assert is_written(first, row) == shares


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: f"{ROWS[n].expression}")
def test_a_result_of_a_graph_shares_memory_as_in_the_dynamic_graph(number, functions):
    row = ROWS[number]
    function = getattr(functions, f"result_{number}")
    x = given(row)
    assert (function(x) is x) == (row.here == "same")
    for form in (FORMS["dynamic"], FORMS["source"]):
        x = given(row)
        result = form(function)(x)
        if repeats_elements(result):
            continue
        result[...] = False if row.argument == "b" else 77
        assert is_written(x, row) == (row.here != "copy")


def test_the_page_shows_the_rows_that_differ_from_mindspore():
    page = PAGE.read_text()
    assert f"The {len(ROWS)} expressions" in page
    differing = [row for row in ROWS if not agrees(row)]
    assert all(f"`{row.expression}`" in page for row in differing), [
        row.expression for row in differing if f"`{row.expression}`" not in page
    ]


def agrees(row):
    """Returns whether MindSpore's dynamic mode does the same, as far as memory goes; '-' is refused there."""
    return row.dynamic == "-" or (row.dynamic == "copy") == (row.here == "copy")


def test_no_row_is_written_twice():
    seen = [row[:2] for row in ROWS]
    assert len(seen) == len(set(seen))
    assert set(itertools.chain.from_iterable(row[2:] for row in ROWS)) <= {"copy", "view", "same", "-"}
