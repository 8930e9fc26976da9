"""How programs are declared that run in the dynamic graph and are refused by a static graph.

The refusal names the line marked with `# here` and the words given with the program.
"""

import copy
import inspect
from dataclasses import dataclass
from typing import Any

REJECTIONS: list["Rejection"] = []


@dataclass
class Rejection:
    function: Any
    arguments: tuple
    words: tuple[str, ...]

    def __str__(self):
        return f"{self.function.__module__.rsplit('.', 1)[-1]}.{self.function.__name__}"

    def fresh(self):
        return copy.deepcopy(self.arguments)

    def line(self):
        lines, first = inspect.getsourcelines(self.function)
        return next(first + i for i, line in enumerate(lines) if "# here" in line)


def rejected(*arguments, words):
    def declare(function):
        REJECTIONS.append(Rejection(function, arguments, (words,) if isinstance(words, str) else words))
        return function

    return declare
