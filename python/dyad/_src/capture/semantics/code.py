"""Descriptions of functions and of positions in them, made by a reader: all that is known of programs."""

import abc
from typing import NamedTuple, Protocol

from dyad._src.capture.errors import is_interruption


class Position(Protocol):
    """A stretch of a file, with the names that syntax trees and `dis` give them; lines count from 1, columns from 0."""

    lineno: int
    end_lineno: int
    col_offset: int
    end_col_offset: int


class Text(Protocol):
    """The file that a function stands in."""

    filename: str

    def line(self, number):
        """One line by its number, without its end; empty if it is not known."""


class Parameters(NamedTuple):
    """The parameters of a function by name. `positional` begins with the `positional_only` first ones."""

    positional: tuple
    positional_only: int
    keyword_only: tuple
    rest: str | None  # `*rest`
    keywords: str | None  # `**keywords`

    def names(self):
        """All names, in the order in which Python lists them."""
        further = (name for name in (self.rest, self.keywords) if name is not None)
        return (*self.positional, *self.keyword_only, *further)


class Scope:
    """The names of one function, lambda or comprehension: which it binds, which it declares."""

    def __init__(self):
        self.bound = set()
        self.global_names = set()
        self.nonlocal_names = set()
        self.is_comprehension = False


class Code(abc.ABC):
    """The body of one function, as a reader reads it. Equal bodies have equal `identity`."""

    name: str
    text: Text
    position: Position  # of the whole function
    identity: object
    parameters: Parameters
    scope: Scope
    is_generator: bool
    keeps_names: bool  # whether its names may be read after it is left
    may_recur: bool  # whether it mentions a function of its own name
    doc: str | None

    @abc.abstractmethod
    def run(self, reader):
        """Evaluates the body in the interpreter's frame; gives its completion (see `completion.py`)."""


class Reader(abc.ABC):
    """Decides what is evaluated next. It is given the interpreter, and asks its parts what that means."""

    @abc.abstractmethod
    def code_of(self, function):
        """The Code of a Python function; OSError or TypeError if it cannot be read."""

    def generator(self, code, frame, bound):
        """The iterator that calling a generator function gives; None if this reader reads none."""
        return None

    def can_read(self, function):
        """Returns whether there is code of the function to read."""
        try:
            self.code_of(function)
        except (OSError, TypeError) as error:
            if is_interruption(error):
                raise
            return False
        return True
