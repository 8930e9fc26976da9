"""Exceptions raised during capture."""

import contextlib
import functools
import signal
import sys
import threading
import weakref
from typing import NamedTuple

from dyad._core import CaptureError, SymbolicDimError
from dyad._src.base.abstract_cell import AbstractCell

__all__ = [
    "KNOWN_SIZE",
    "NEEDS_PYTHON",
    "BudgetSpent",
    "CaptureError",
    "Dead",
    "Refusal",
    "Rejected",
    "Signal",
    "SymbolicDimError",
    "Thrown",
    "is_interruption",
    "keeping_interruptions",
    "lost_interruptions",
    "refusal_of",
    "rejection",
    "with_refusal",
]


NEEDS_PYTHON = (
    "What needs Python itself when the graph runs is not captured; do it outside of the compiled function."
)
_REFUSAL = "_dyad_refusal"
KNOWN_SIZE = (
    "Let the graph be compiled for this size: leave it out of the templates, or count outside of the graph."
)


class Signal(Exception):
    """Control flow of capture itself: never an exception that the program raises."""


class Rejected(Signal):
    """The program cannot be captured. What the user sees is `error`, whose text names file, line and expression.

    `statement` is the innermost statement of the captured function itself that holds what was met, `outermost` the
    outermost one, as its reader knows statements. `kind` is one of `break_reasons`, `place` is where it was met, and
    `advice` what the user may do. With `whole` Python must run all of the function. `after_effect` means that something
    was changed before an operator that may raise; `is_fault` that capture itself failed.
    """

    def __init__(self, kind, error, place=None, advice="", is_fault=False):
        super().__init__(str(error))
        self.error = error
        self.place = place
        self.advice = advice
        self.kind = kind
        self.is_fault = is_fault
        self.after_effect = False
        self.whole = False
        self.result = None  # the number of the result that cannot be given back, if that is it
        self.statement = None
        self.outermost = None
        self.expression = None  # the innermost one, likewise
        self.callees = []  # RefusedCallee of each function that it has left, the innermost first
        self._in_frame = None  # the innermost statement of the function that it is in

    def passes_in_frame(self, statement):
        """Notes that it leaves a statement of the function that it is in."""
        if self._in_frame is None:
            self._in_frame = statement

    def leaves(self, code, bound):
        """Notes that it leaves a function, whose names began as `bound`."""
        first = next(iter(bound.values()), None)
        receiver = weakref.ref(first) if isinstance(first, AbstractCell) else None
        self.callees.append(RefusedCallee(code, receiver, self._in_frame))
        self._in_frame = None

    def passes(self, statement):
        """Notes that it leaves a statement of the captured function."""
        if self.statement is None:
            self.statement = statement
        self.outermost = statement


class BudgetSpent(Rejected):
    """Capturing takes more steps than are allowed."""


class RefusedCallee(NamedTuple):
    """A function that was called where capture was refused, and its statement that holds what was met.

    `receiver` is a weak reference to the Cell whose method it is, if it is one.
    """

    code: object
    receiver: object
    statement: object


class Refusal(NamedTuple):
    """The reason that a function is not one graph, and the statement that is left to Python (None: not known).

    `expression` is what in the statement needs Python, where that is known. `places` lead to it, the outermost call
    first. `kind` is one of `break_reasons`.
    """

    statement: object
    kind: str
    because: str
    expression: object = None
    error: Exception | None = None  # what says so at STRICT
    places: tuple = ()
    advice: str = ""
    is_fault: bool = False  # capture itself failed
    after_effect: bool = False  # something was changed before an operator that may raise
    result: int | None = None  # which of several results cannot be given back
    callees: tuple = ()  # the functions that lead to it, the innermost first


def refusal_of(error):
    """The Refusal that an exception of capture carries; None for an exception of the program."""
    return error.__dict__.get(_REFUSAL)


def with_refusal(error, rejected):
    """Returns the error of a rejection, with its Refusal."""
    if isinstance(error, CaptureError):
        vars(error)["kind"] = rejected.kind
    statement = rejected.outermost if isinstance(rejected, BudgetSpent) else rejected.statement
    if rejected.whole:
        statement = None
    error.__dict__[_REFUSAL] = Refusal(
        statement,
        rejected.kind,
        str(rejected.error).partition("\n")[0],
        rejected.expression,
        error,
        tuple(reversed(rejected.__dict__.get("calls", ()))) + ((rejected.place,) if rejected.place else ()),
        rejected.advice,
        rejected.is_fault,
        rejected.after_effect,
        rejected.result,
        () if isinstance(rejected, BudgetSpent) else tuple(rejected.callees),
    )
    return error


def is_interruption(error):
    """Returns True if a signal handler raised the exception, so that the program did not."""
    codes = set()
    entry = error.__traceback__
    while entry is not None:
        codes.add(entry.tb_frame.f_code)
        entry = entry.tb_next
    handlers = map(signal.getsignal, signal.valid_signals())
    return any(_code_of(handler) in codes for handler in handlers if callable(handler))


def _code_of(handler):
    while isinstance(handler, functools.partial):
        handler = handler.func
    own = getattr(handler, "__code__", None)
    return own or getattr(type(handler).__call__, "__code__", None)


_lost: list[BaseException] = []  # what signal handlers raised where Python only reports exceptions


def lost_interruptions():
    """The list of interruptions that this thread has to raise yet: signals are handled in the main thread only."""
    return _lost if threading.current_thread() is threading.main_thread() else []


@contextlib.contextmanager
def keeping_interruptions():
    """Inside, no interruption is lost: what is raised in the callback of a weak reference is raised at the next place.

    A signal may arrive in any Python code, also in such a callback or a `__del__`: Python would only report it.
    """
    lost, before = lost_interruptions(), sys.unraisablehook

    def keep(unraisable):
        error = unraisable.exc_value
        if isinstance(error, KeyboardInterrupt) or is_interruption(error):
            lost.append(error)
        else:
            before(unraisable)

    if lost is not _lost:
        yield
        return
    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = before
        if lost:
            raise lost.pop()


class Thrown(Signal):
    """An exception of the captured program itself, met while capturing: it belongs to the program."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error
        self.place = None  # where it was raised, once that is left
        self.by_operator = False  # whether an operator raises it, not the program itself
        self.calls = []  # places of the calls that it has left, innermost first


class Dead(Signal):
    """The path being captured ends here: a node of the graph raises when it is reached."""


def rejection(kind, place, what, advice="", error=CaptureError):
    """Returns the Rejected for something at `place` that cannot be captured; `kind` is one of `break_reasons`."""
    return Rejected(kind, error(_message(place, what, advice)), place, advice)


def _message(place, what, advice):
    return "\n".join(filter(None, (what, place.text() if place is not None else "", advice)))
