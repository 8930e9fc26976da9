"""Why a call was compiled, and what the program is told to do about it."""

import importlib
import logging

import pytest

from dyad import Tensor, jit
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
    "subject, expected, actual, advice",
    [
        ("argument 0", "Float32 Tensor of shape (2, 3)", "Float32 Tensor of shape (4, 3)", "dynamic=1"),
        ("argument 0", "Float32 Tensor of shape (2,)", "Float16 Tensor of shape (2,)", "one dtype"),
        ("argument n", "3", "4", "mutable(number)"),
        ("argument n", "True", "False", "as a Tensor"),
        ("argument self.step", "3", "4", "a Parameter"),
        ("global rate", "0.5", "0.25", "a Parameter"),
        ("argument 1", "length 3", "length 4", "dynamic_len=True"),
        ("argument 1", "the same object, <Box>", "another object, <Box>", "make the object once"),
        ("argument 1", "'sum'", "'mean'", "stay the same"),
        ("", "", "it is the first call", ""),
    ],
)
def test_advice_fits_what_changed(subject, expected, actual, advice):
    given = Cause(subject, expected, actual).advice
    assert advice in given and bool(given) == bool(subject)


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
