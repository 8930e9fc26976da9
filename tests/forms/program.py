"""Declares the programs of this directory.

A program is a function with arguments, or a scene: a function that builds anew what the program needs (a Cell, an
object, a closure, globals) and says what changes between two calls and what state is watched.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dyad import Parameter, Tensor

PROGRAMS: list["Program"] = []
UNSAID = object()


class Call:
    """The arguments of one call; each form and each call works on copies of its own."""

    def __init__(self, *arguments, **keywords):
        self.arguments, self.keywords = arguments, keywords

    def fresh(self):
        return copy.deepcopy((self.arguments, self.keywords))

    def negated(self):
        """The same call with every Tensor of floats negated, or None where there is none."""
        found = []

        def change(value):
            if isinstance(value, Tensor) and not isinstance(value, Parameter):
                if not value.is_floating_point():
                    return value
                found.append(value)
                return Tensor(-value.asnumpy() - np.asarray(0.5, value.asnumpy().dtype))
            if type(value) in (list, tuple):
                return type(value)(map(change, value))
            if type(value) is dict:
                return {key: change(item) for key, item in value.items()}
            return value

        changed = Call()
        changed.arguments, changed.keywords = change(self.arguments), change(self.keywords)
        return changed if found else None


@dataclass
class Raises:
    kind: type
    text: str = ""


@dataclass
class Scene:
    """Result of building a scene: the callable, the change between calls, the state to compare after each call."""

    function: Callable
    change: Callable | None = None
    watch: Callable = lambda: None
    after: Callable | None = (
        None  # called as after(result, *arguments) in the dynamic graph; its result is compared
    )
    transform: Callable | None = None  # makes the function that is called of `function`: its gradient, say


@dataclass(eq=False)
class Program:
    name: str
    build: Callable[[], Scene]
    calls: list[Call]
    expect: Any = UNSAID
    again: Any = UNSAID
    changed: Any = UNSAID
    strict: Any = True  # True: works at STRICT; False: not run there; a class: what STRICT raises
    trace: bool = False
    compiles: int | None = None
    same_text: bool = True  # False: an exception's class is compared, its text is not
    topic: str = field(default="")

    def __str__(self):
        return f"{self.topic}.{self.name}"


def program(*arguments, **options):
    """Declares a function as a program; `arguments` are those of its first call."""

    def declare(function):
        _add(function, lambda: Scene(function), arguments, **options)
        return function

    return declare


def scene(*arguments, **options):
    """Declares a function that builds a Scene, or just the callable, as a program."""

    def declare(builder):
        def build():
            built = builder()
            return built if isinstance(built, Scene) else Scene(built)

        _add(builder, build, arguments, **options)
        return builder

    return declare


def _add(function, build, arguments, then=(), vary=True, keywords=None, **options):
    first = Call(*arguments, **(keywords or {}))
    calls = [first, first]
    negated = first.negated() if vary else None
    if negated is not None:
        calls.append(negated)
    calls += [later if isinstance(later, Call) else Call(*later) for later in then]
    topic = function.__module__.rsplit(".", 1)[-1]
    PROGRAMS.append(Program(function.__name__, build, calls, topic=topic, **options))
