"""Programs that a static graph refuses, and how the refusal is checked.

A program is a function with arguments. The line it is refused for ends with `# here`. The refusal has a class, a
sentence, and the place: file, line, the text of the line and a mark under the part of it that is given as `marked`.
What STRICT refuses runs at LAX and gives what the dynamic graph gives: `before` sets up what a run finds, `watch` tells
the state to look at after each call, `told` what of the result can be the same in two runs.
"""

import inspect
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from described import difference
from program import Call, Program, Scene
from session import dynamic, graph_mode, graph_mode_strict, jit, run, strict

import dyad
from dyad import Tensor, _core

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


LAX_FORMS = (jit, graph_mode)
STRICT_FORMS = (strict, graph_mode_strict)


@dataclass
class Wrong:
    function: Any
    arguments: tuple
    says: str
    marked: str | None
    error: type
    strict: type | None = None  # another class at STRICT
    before: Callable = lambda: None
    watch: Callable = lambda: None
    told: Callable = lambda result: result

    def __str__(self):
        return self.function.__name__

    def line(self):
        """(number, text) of the line marked with `# here`."""
        lines, first = inspect.getsourcelines(self.function)
        return next((first + i, line.strip()) for i, line in enumerate(lines) if "# here" in line)

    def check(self, form):
        self.before()
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

    def check_runs(self, form):
        """Each call gives, prints, writes, changes and raises what it does in the dynamic graph."""
        truth, static = (run(self._program(), self._telling(each)) for each in (dynamic, form))
        for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
            found = difference(ours, theirs, f"call {number}")
            assert found is None, f"{found}; raised {static.raised}"
        assert the_next_graph_works()
        return static

    def _program(self):
        def build():
            self.before()
            return Scene(self.function, watch=self.watch)

        return Program(str(self), build, [Call(*self.arguments)] * 2)

    def _telling(self, form):
        def telling(function):
            compiled = form(function)
            return lambda *arguments: self.told(compiled(*arguments))

        return telling

    def _error_at(self, form):
        return self.strict if form in STRICT_FORMS and self.strict is not None else self.error

    def _check_place(self, message):
        number, text = self.line()
        assert f'  File "{self.function.__code__.co_filename}", line {number}, in ' in message, message
        if self.marked is not None:
            column = text.index(self.marked)
            assert f"    {text}\n    {' ' * column}{'^' * len(self.marked)}\n" in message + "\n", message


class Refused(list):
    """The programs of one file; used as a decorator it adds one."""

    def __call__(self, *arguments, says, marked=None, error=CaptureError, **options):
        def declare(function):
            self.append(Wrong(function, arguments, says, marked, error, **options))
            return function

        return declare

    def in_forms(self, *forms):
        def declare(test):
            test = pytest.mark.parametrize("form", forms or (jit, strict, graph_mode))(test)
            return pytest.mark.parametrize("program", self, ids=str)(test)

        return declare

    def at_strict(self, test):
        return self.in_forms(*STRICT_FORMS)(test)

    def at_lax(self, test):
        return self.in_forms(*LAX_FORMS)(test)


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


def line_marked(function):
    """The number of the line of a function that ends with `# here`; None if it has none."""
    lines, first = inspect.getsourcelines(function)
    return next((first + i for i, line in enumerate(lines) if "# here" in line), None)


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


def asserted_behind_a_cut(x):
    """Likewise."""
    s = float(x.asnumpy().sum())
    y = x * s
    assert s < 2, f"the sum is {s}"  # here
    return y
