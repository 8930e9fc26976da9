"""Declares programs that run in the dynamic graph and at LAX, and are rejected at STRICT.

The refusal names the line marked with `# here` and the words given with the program. What a call does to objects
outside of the program is seen in what `watch` tells; `before` sets up what a run finds.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from program import Call, Program, Scene

REJECTIONS: list["Rejection"] = []


@dataclass
class Rejection:
    function: Any
    arguments: tuple
    words: tuple[str, ...]
    before: Callable = lambda: None
    watch: Callable = lambda: None

    def __str__(self):
        return f"{self.function.__module__.rsplit('.', 1)[-1]}.{self.function.__name__}"

    def call(self):
        return Call(*self.arguments)

    def program(self):
        """Program for LAX: two equal calls, one with negated numbers, and the first again."""

        def build():
            self.before()
            return Scene(self.function, watch=self.watch)

        negated = self.call().negated()
        return Program(str(self), build, [self.call(), self.call(), *([negated] if negated else [])])

    def line(self):
        lines, first = inspect.getsourcelines(self.function)
        return next(first + i for i, line in enumerate(lines) if "# here" in line)


def rejected(*arguments, words, **options):
    def declare(function):
        given = (words,) if isinstance(words, str) else words
        REJECTIONS.append(Rejection(function, arguments, given, **options))
        return function

    return declare
