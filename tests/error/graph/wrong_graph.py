"""Programs that a static graph refuses, and how the refusal is checked.

A program is a function with arguments. The line it is refused for ends with `# here`. The refusal has a class, a
sentence, and the place: file, line, the text of the line and a mark under the part of it that is given as `marked`.
"""

import inspect
import re
import traceback
from dataclasses import dataclass
from typing import Any

import pytest

import dyad
from dyad import Tensor, _core, nn

CaptureError = _core.CaptureError

# What a message for users never shows.
INTERNAL = (
    "internal error",
    ".cpp",
    ".h:",
    "_src",
    "nanobind",
    "0x",
    "Traceback",
    "incompatible function arguments",
)


class InCell(nn.Cell):
    """Graph mode compiles Cells: this one makes a Cell of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *arguments, **keywords):
        return self.function(*arguments, **keywords)


def jit(function):
    return dyad.jit(function)


def strict(function):
    return dyad.jit(function, fullgraph=True)


def graph_mode(function):
    cell = function if isinstance(function, nn.Cell) else InCell(function)

    def call(*arguments, **keywords):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return cell(*arguments, **keywords)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


@dataclass
class Wrong:
    function: Any
    arguments: tuple
    says: str
    marked: str | None
    error: type
    strict: type | None  # another class than at LAX

    def __str__(self):
        return self.function.__name__

    def line(self):
        """(number, text) of the line marked with `# here`."""
        lines, first = inspect.getsourcelines(self.function)
        return next((first + i, line.strip()) for i, line in enumerate(lines) if "# here" in line)

    def check(self, form):
        compiled = form(self.function)
        for _ in range(2):  # what is refused once is refused again
            with pytest.raises(Exception) as caught:  # the class is compared below, so that its text is shown
                compiled(*self.arguments)
            message = message_of(caught.value)
            assert caught.type is self._error_at(form), f"{caught.type.__name__}: {message}"
            assert self.says in message.split("\n")[0], message
            self._check_place(message)
        assert the_next_graph_works()

    def check_raised(self, form):
        """An error of the program itself: the running graph raises it as the dynamic graph does, with its line."""
        compiled = form(self.function)
        for _ in range(2):
            with pytest.raises(self.error) as caught:
                compiled(*self.arguments)
            message = message_of(caught.value)
            assert caught.type is self.error, f"{caught.type.__name__}: {message}"
            assert self.says in message.split("\n")[0], message
            assert f'  File "{self.function.__code__.co_filename}", line {self.line()[0]}' in message, message
        assert the_next_graph_works()

    def _error_at(self, form):
        return self.strict if form is strict and self.strict is not None else self.error

    def _check_place(self, message):
        number, text = self.line()
        assert f'  File "{self.function.__code__.co_filename}", line {number}, in ' in message, message
        if self.marked is not None:
            column = text.index(self.marked)
            assert f"    {text}\n    {' ' * column}{'^' * len(self.marked)}\n" in message + "\n", message


class Refused(list):
    """The programs of one file; used as a decorator it adds one."""

    def __call__(self, *arguments, says, marked=None, error=CaptureError, strict=None):
        def declare(function):
            self.append(Wrong(function, arguments, says, marked, error, strict))
            return function

        return declare

    def in_forms(self, *forms):
        def declare(test):
            test = pytest.mark.parametrize("form", forms or (jit, strict, graph_mode))(test)
            return pytest.mark.parametrize("program", self, ids=str)(test)

        return declare


def same_in_both_forms(program):
    """The dynamic graph refuses with the class and the sentence that a graph refuses with.

    How often something was written is not compared: the writes of a loop are one node of a graph.
    """
    words = []
    for call in (program.function, dyad.jit(program.function)):
        with pytest.raises(program.error) as caught:
            call(*program.arguments)
        words.append((caught.type, re.sub(r"version \d+", "version", str(caught.value).split("\n")[0])))
    assert words[0] == words[1]
    assert program.says in words[0][1]


def message_of(error):
    """The text of an error with its notes and the lines it passed; no text may speak of the inside of the framework."""
    message = "\n".join([str(error), *getattr(error, "__notes__", ())])
    for word in INTERNAL:
        assert word not in message, message
    return "\n".join([message, *traceback.format_tb(error.__traceback__)])


def the_next_graph_works():
    if _core.current_graph() is not None:
        return False
    return _add_one(Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 3.0]


@dyad.jit
def _add_one(x):
    return x + 1


def asserted_in_an_arm(x):
    """Stands here because pytest rewrites the assertions of test files."""
    if x > 0:
        assert x > 10, "too small"  # here
    return x
