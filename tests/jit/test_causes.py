"""Why a call was compiled, and what the program is told to do about it."""

import importlib
import logging
import types

import pytest

from dyad import Tensor, explain, jit
from dyad._src.jit.cache.cause import Cause, most_frequent


@pytest.fixture
def logged():
    importlib.import_module("dyad.log")  # sets the level when it is first imported
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    logger = logging.getLogger("dyad")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield records
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.mark.parametrize(
    "kind, difference, of_argument, advice",
    [
        ("tensor", "shape", True, "dynamic=1"),
        ("tensor", "form", True, "one dtype"),
        ("tensor", "", True, "stay the same"),
        ("value", "number", True, "mutable(number)"),
        ("value", "number", False, "a Parameter"),
        ("state", "number", False, "a Parameter"),
        ("length", "", True, "dynamic_len=True"),
        ("identity", "", True, "make the object once"),
        ("identity", "gone", True, "stay the same"),
        ("value", "", True, "stay the same"),
    ],
)
def test_advice_fits_what_changed(kind, difference, of_argument, advice):
    assert advice in Cause("subject", "before", "now", kind, difference, of_argument).advice
    assert not Cause("", "", "it is the first call").advice


@pytest.mark.parametrize(
    "before, now, expected",
    [
        (Tensor([[1.0], [2.0]]), Tensor([[1.0]]), ("tensor", "shape", True)),
        (Tensor([1.0]), Tensor([1]), ("tensor", "form", True)),
        (3, 4, ("value", "number", True)),
        (True, False, ("value", "number", True)),
        ("sum", "mean", ("value", "", True)),
        ([1, 2], [1, 2, 3], ("length", "", True)),
    ],
)
def test_a_cause_says_as_data_what_changed(before, now, expected):
    @jit
    def program(x):
        return x * 2

    program(before)
    program(now)
    cause = explain(program)(now).compilations[-1].cause
    assert (cause.kind, cause.difference, cause.of_argument) == expected


def test_an_attribute_of_an_argument_is_not_the_argument():
    @jit
    def program(x):
        return x.value * 2

    held = types.SimpleNamespace(value=3)
    program(held)
    held.value = 4
    program(held)
    cause = explain(program)(held).compilations[-1].cause
    assert (cause.kind, cause.difference, cause.of_argument) == ("value", "number", False)


def test_the_cause_that_recurs_most_is_named_with_its_latest_values():
    first, n, other = Cause("", "", "it is the first call"), Cause("n", "1", "2"), Cause("m", "5", "6")
    assert most_frequent([first]) is None
    assert most_frequent([first, n, other, Cause("n", "2", "3")]) == (Cause("n", "2", "3"), 2)


def test_every_compilation_is_logged_with_both_values(compilations, logged):
    def scaled(x, factor):
        return x * factor

    function = jit(scaled)
    function(2, 3)
    function(2, 4)
    function(2, factor=4)
    messages = [record.getMessage() for record in logged]
    assert [record.levelno for record in logged] == [logging.INFO] * 3
    assert "graph 1" in messages[0] and messages[0].endswith("it is the first call")
    assert messages[1].endswith("argument 1: was 3, is 4")
    assert messages[2].endswith("no earlier call had 1 positional arguments and the keywords factor")
    assert all("scaled" in message and "test_causes.py" in message for message in messages)


def test_the_warning_names_what_changes_each_time(compilations, logged):
    def repeated(x, times):
        return x * times

    function = jit(repeated)
    for times in range(12):
        function(Tensor([1.0]), times)
    warnings = [record.getMessage() for record in logged if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert "was compiled 9 times; 8 times argument 1 had changed (argument 1: was 7, is 8" in warnings[0]
    assert "pass it as a Tensor" in warnings[0]
