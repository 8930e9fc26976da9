"""Exceptions of the captured program on their way: `raise`, and what operators raise while capturing."""

import contextlib

from dyad._src.base.break_reasons import EXCEPTION
from dyad._src.capture.errors import NEEDS_PYTHON, Dead, Thrown
from dyad._src.capture.semantics.control.completion import is_normal
from dyad._src.capture.semantics.control.raising import Raise, RaisedResults
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING, OneOf, is_symbolic_tensor


class Throwing(Part):
    """Raises exceptions of the program, and adds nodes that raise them when the graph runs."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.handled = None  # the exception an `except` block works on
        self._emitted = None  # the `Raise` that was added last

    def throw(self, error, by_operator=False):
        """Raises an exception of the program here."""
        if (
            self.handled is not None
            and self.handled is not error
            and not self.interpreter.exceptions.is_own_exception(error)
        ):
            raise self._changed_outside(error)
        self.interpreter.exceptions.adopt_exception(error)
        self.interpreter.exceptions.note_context(error)
        thrown = Thrown(error)
        thrown.by_operator = by_operator
        raise thrown

    def raise_exception(self, error, cause=MISSING):
        """`raise error`, or `raise error from cause`; either may be a class."""
        if isinstance(error, OneOf):
            return self.interpreter.branches.split(error, lambda chosen: self.raise_exception(chosen, cause))
        if isinstance(error, type) and issubclass(error, BaseException):
            error = self.interpreter.calls.call(error, (), {})
        if not isinstance(error, BaseException):
            self.throw(TypeError("exceptions must derive from BaseException"))
        if cause is not MISSING:
            self._set_cause(error, cause)
        self.interpreter.exceptions.note_raised_anew(error)
        return self.throw(error)

    def raise_again(self):
        """`raise` alone: the exception that is being handled."""
        return self._raise_again(self.handled)

    def _raise_again(self, handled):
        if isinstance(handled, OneOf) and handled.tags_of(is_normal):
            return self.interpreter.branches.split(handled, self._raise_again)
        if handled is None and self.interpreter.lax:
            raise self.interpreter.rejection(
                EXCEPTION, "raise: which exception is handled is known to Python", NEEDS_PYTHON
            )
        if handled is None:
            self.throw(RuntimeError("No active exception to reraise"))
        raise Thrown(handled)

    def _set_cause(self, error, cause):
        if isinstance(cause, type) and issubclass(cause, BaseException):
            cause = self.interpreter.calls.call(cause, (), {})
        if cause is not None and not isinstance(cause, (BaseException, OneOf)):
            self.throw(TypeError("exception causes must derive from BaseException"))
        if not self.interpreter.exceptions.is_own_exception(error):
            raise self._changed_outside(error)
        self.interpreter.exceptions.write_exception(error, "__cause__", cause)

    def _changed_outside(self, error):
        return self.interpreter.rejection(
            EXCEPTION,
            f"raise: a {type(error).__name__} from outside of the graph gets another cause or context",
            "Make the exception inside of the compiled function.",
        )

    def handling(self, error, path):
        """Runs a path in which `error` is the exception being handled."""
        self.interpreter.exceptions.note_handled(error)
        before, self.handled = self.handled, error
        try:
            return path()
        finally:
            self.handled = before

    # ---- when the graph runs

    def raise_in_graph(self, thrown):
        """Adds a node that raises what was thrown, with the place it comes from; its `Raise`, None for several."""
        self.interpreter.exceptions.note_raised_at(thrown)
        with contextlib.suppress(Dead):
            self._emit_raise(thrown.error)
        return None if isinstance(thrown.error, OneOf) else self._emitted

    def _emit_raise(self, error):
        if isinstance(error, OneOf):
            self.interpreter.branches.split(error, self._emit_raise)
        raised_at = self.interpreter.exceptions.raised_at(error)
        if raised_at is not None:
            self.graph.set_location(raised_at.filename, raised_at.line, raised_at.column)
        self.interpreter.effects += 1
        results = self.results_so_far()
        described = results.template(error)
        if self.interpreter.lax and any(map(is_symbolic_tensor, results.leaves)):
            # Who catches it outside may differentiate by way of the Tensor.
            raise self.interpreter.rejection(
                EXCEPTION, "raise: the exception holds a Tensor of the graph", NEEDS_PYTHON
            )
        effects = [*results.effects(), *results.written_tensors()]
        self._emitted = Raise(described, effects, raised_at)
        self.graph.add_host("raise", self._emitted, results.leaves)
        raise Dead

    def results_so_far(self):
        """Describes the changes to objects from outside, for a graph that raises here."""
        return RaisedResults(self.interpreter)
