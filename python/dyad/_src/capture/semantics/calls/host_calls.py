"""Python code that is not captured: it runs now, and what it raises is an exception of the program."""

import collections
import operator
import sys

from dyad._core import CaptureError, GraphNumber, SymbolicDimError, Tensor
from dyad._src.base.break_reasons import CONDITION, UNKNOWN
from dyad._src.capture.errors import KNOWN_SIZE, NEEDS_PYTHON, Signal, Thrown, is_interruption
from dyad._src.capture.semantics.attributes.attributes import PLAIN_TYPES
from dyad._src.capture.semantics.calls.native_calls import CONTAINERS
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.stand_ins import NeedsLook
from dyad._src.capture.semantics.values import MISSING, Deferred, RuntimeRange, depends_on_run, is_unread

# What only moves the members of what it is given.
_MOVING = (
    getattr,
    operator.getitem,
    list.__getitem__,
    tuple.__getitem__,
    collections.deque.__getitem__,
)
# Names of functions and methods that read no member of their arguments.
KEEPING = frozenset(
    ("append", "appendleft", "insert", "setdefault", "__setitem__", "__setattr__", "get", "pop", "add")
    + ("getattr", "setattr", "hasattr", "callable", "id")
)


class HostCalls(Part):
    """Calls out of the captured program."""

    @property
    def host_error(self):
        """The class of the error for code that needs the interpreter at run time."""
        return CaptureError if self.interpreter.lax else ValueError

    def native(self, function, *args, **kwargs):
        """Calls code that is not captured, on known values; what it raises is an exception of the program."""
        for value in args:
            if type(value) not in PLAIN_TYPES or type(value) in CONTAINERS:
                self.interpreter.native_calls.require_seen(value)
                self._require_decided(function, value)
        if not any(function is each for each in _MOVING):  # objects may compare in ways of their own
            require_looked_into((args, kwargs))
        return self.guarded(function, *args, **kwargs)

    def _require_decided(self, function, value):
        """Refuses a container whose contents are one of several: Python would find the choice in their place."""
        if getattr(function, "__name__", None) in KEEPING:
            return
        if self.interpreter.operators.undecided_among(value) is not None:
            raise self.interpreter.rejection(
                CONDITION,
                f"{type(value).__name__}: what it holds is known only when the graph runs",
                NEEDS_PYTHON,
            )

    def guarded(self, function, *args, **kwargs):
        """Calls a function; what it raises is an exception of the program."""
        try:
            result = function(*args, **kwargs)
            self.interpreter.aliases.check_writes()
            if not is_unread(result) and isinstance(result, Tensor):
                self.interpreter.aliases.note_made(result, function, args, kwargs)
            return result
        except Signal:
            raise
        except RecursionError:
            raise self.interpreter.too_deep() from None
        except SymbolicDimError as error:
            raise self.interpreter.rejection(
                error.kind, str(error), KNOWN_SIZE, error=SymbolicDimError
            ) from None
        except CaptureError as error:
            raise self.interpreter.rejection(
                error.kind, str(error), NEEDS_PYTHON, error=self.host_error
            ) from None
        except Exception as error:
            if is_interruption(error):
                raise
            if self.external.has_symbolic_dims and depends_on_run((args, kwargs)):
                # Another size may do, and a message would speak of a size by the name that the graph has for it.
                raise self.interpreter.rejection(
                    UNKNOWN, str(error), KNOWN_SIZE, error=SymbolicDimError
                ) from None
            if self.interpreter.lax and _has_number((args, kwargs)):
                # It may only mean that the function takes no number of a graph.
                raise self.interpreter.rejection(UNKNOWN, str(error), NEEDS_PYTHON) from None
            failure = error
        # Out of the `except`: what the program raises is not raised while handling something of ours.
        _forget_context(failure, sys.exception())
        return self.interpreter.throwing.throw(failure, by_operator=True)

    def asked(self, function, *args, **kwargs):
        """Calls a part of capture that raises as Python does where the program would."""
        try:
            return function(*args, **kwargs)
        except (Signal, CaptureError):
            raise
        except Exception as error:
            if is_interruption(error):
                raise
            failure = error
        failure.__context__ = failure.__cause__ = None
        failure.__suppress_context__ = False
        return self.interpreter.throwing.throw(failure)

    def catching(self, kind, path):
        """Returns the result of the path; MISSING if it raises an exception of that kind."""
        before, self.interpreter.completions.awaited = (
            self.interpreter.completions.awaited,
            (*self.interpreter.completions.awaited, kind),
        )
        try:
            return path()
        except Thrown as thrown:
            if isinstance(thrown.error, kind):
                return MISSING
            raise
        finally:
            self.interpreter.completions.awaited = before


def require_looked_into(value):
    """Code that is not captured is given no stand-in for a container."""
    if is_unread(value):
        raise NeedsLook(value)
    if type(value) in CONTAINERS:
        for member in value.values() if type(value) is dict else value:
            require_looked_into(member)


def _has_number(value):
    """Returns whether a number that is known when the graph runs is among the arguments of a call."""
    if type(value) in (tuple, list):
        return any(map(_has_number, value))
    if type(value) is dict:
        return any(map(_has_number, value.values()))
    if type(value) is slice:
        return any(map(_has_number, (value.start, value.stop, value.step)))
    return isinstance(value, (GraphNumber, RuntimeRange, Deferred))


def _forget_context(error, ours):
    """Takes what capture itself was handling out of the chain of an exception of the program."""
    while ours is not None and error is not None:
        if error.__context__ is ours:
            error.__context__ = None
        error = error.__context__
