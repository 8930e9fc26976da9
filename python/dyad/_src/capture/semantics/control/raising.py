"""Exceptions of the captured program when the graph runs, and what the program changed before them."""

import sys
import threading
import types

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.semantics.calls.frameworks import is_framework_module
from dyad._src.capture.semantics.control.exceptions import state_of, with_state
from dyad._src.capture.semantics.control.traceback_lines import raise_in
from dyad._src.capture.semantics.results import Results
from dyad._src.capture.semantics.values import Deferred, OneOf, contents_choice_of, is_symbolic_tensor

_raised = threading.local()


class RaisedByGraph(RuntimeError):
    """An exception of the program on its way to where the objects are that it holds."""


class Raise:
    """Raises, when the graph runs, the exception that the program made.

    `error` and `effects`, what the program changed of objects from outside before, are described as results of a graph
    are; an object that both hold is one.
    """

    def __init__(self, error, effects, raised_at):
        self._error = error
        self._effects = effects
        self._place = raised_at

    def __call__(self, *leaves):
        shared: dict = {}
        _raised.last = None
        error = RaisedByGraph() if _needs_found(self._error) else build(self._error, leaves, (), shared)
        _raised.last = (error, self, leaves, shared)
        self.throw(error)

    def throw(self, error):
        """Raises an exception as if from the line of the program that raised it."""
        if self._place is None:
            raise error
        lines = list(self._place.lines)
        if _running_line() == lines[0]:
            del lines[0]  # Python runs the function around a part of it: the traceback has that line
        error.__traceback__ = None  # that of where it was handled before it was raised again
        if not lines:
            raise error
        raise_in(lines, error)

    def throw_if_known(self):
        """Raises the exception now, unless something in it is known only when the graph runs."""
        if _is_known(self._error):
            self.throw(build(self._error, (), (), {}))

    def finish(self, error, leaves, found, shared):
        """Lets the exception leave the compiled function: what was changed before it is changed."""
        if self._place is not None and not self._place.by_operator:
            _take_note_back(error)  # the traceback tells the line
        if isinstance(error, RaisedByGraph):
            error = build(self._error, leaves, found, shared)
        for effect in self._effects:
            build(effect, leaves, found, shared)
        return error


def _take_note_back(error):
    """Removes the note with the line of the program, which whatever fails in a graph gets."""
    error.__notes__.pop()
    if not error.__notes__:
        del error.__notes__


def _running_line():
    """(file, line, function) of the innermost frame of the program, which is not of the framework."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_framework_module(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def _needs_found(template):
    """Returns whether a description speaks of objects that the guards find."""
    if template[0] == "source":
        return True
    return any(_needs_found(part) for part in _parts(template))


def _is_known(template):
    """Returns whether what is described needs neither results of a graph nor objects that the guards find."""
    if template[0] in ("result", "part", "own", "choice", "source"):
        return False
    return all(_is_known(part) for part in _parts(template))


def _parts(template):
    kind = template[0]
    if kind in ("list", "tuple"):
        return template[1]
    if kind == "dict":
        return [item for _, item in template[1]]
    if kind in ("build", "choice"):
        return template[2]
    return [template[2]] if kind == "shared" else []


def after_failure(error, found):
    """Called when running an entry raised `error`; `found` holds the objects the guards found, by node."""
    last, _raised.last = getattr(_raised, "last", None), None
    if last is None or last[0] is not error:
        return
    _, raising, leaves, shared = last
    made = raising.finish(error, leaves, found, shared)
    if made is not error:
        raising.throw(made)


class RaisedResults(Results):
    """Results of a graph that raises: each states whether it may be a Tensor of the caller.

    The memory of a result does not tell: what a graph computes may turn out to be what it was computed from.
    """

    def _result(self, tensor, may_be_given):
        interpreter = self._interpreter
        memory = interpreter.graph.memory(tensor)
        linked = interpreter.aliases.linked_with(memory)
        given = {
            interpreter.graph.memory(known.seen)
            for known in self._external.seen.values()
            if is_symbolic_tensor(known.seen)
        }
        if not given & linked:
            return ("own", self._leaf(tensor))
        is_part = memory in given or not may_be_given
        return ("part" if is_part else "result", self._leaf(tensor))


def _original(value, found):
    """The tensor that the caller gave, if this is another object over the same memory."""
    if isinstance(value, Tensor):
        for given in found:
            if isinstance(given, Tensor) and _looks_at_the_same(given, value):
                return given
    return value


def _own(value, found):
    """The value; a tensor that is no part of what the caller gave is a copy, as it may be a constant of the graph."""
    if not isinstance(value, Tensor):
        return value
    given = any(isinstance(tensor, Tensor) and _core.shares_storage(tensor, value) for tensor in found)
    return value if given else value.copy()


def _looks_at_the_same(a, b):
    return (a.data_ptr(), a.shape, a.dtype, a.stride()) == (b.data_ptr(), b.shape, b.dtype, b.stride())


def build(template, results, found, shared):
    """The value that a template describes."""
    kind = template[0]
    if kind == "result":
        return _own(_original(results[template[1]], found), found)
    if kind == "part":
        return _own(results[template[1]], found)
    if kind == "own":
        return results[template[1]].copy()
    if kind == "constant":
        return template[1]
    if kind == "fresh":
        return template[1].copy()
    if kind == "source":
        return found[template[1]]
    if kind in ("list", "tuple"):
        items = [build(item, results, found, shared) for item in template[1]]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {key: build(item, results, found, shared) for key, item in template[1]}
    if kind == "build":
        return template[1](*[build(item, results, found, shared) for item in template[2]])
    if kind == "choice":
        return build(template[2][results[template[1]]], results, found, shared)
    number, inner = template[1:]
    if number not in shared:
        shared[number] = build(inner, results, found, shared)
    return shared[number]


def evaluated(value):
    """The value with every deferred computation carried out."""
    if isinstance(value, Deferred):
        return value.function(*evaluated(list(value.arguments)))
    if isinstance(value, OneOf):
        return evaluated(value.alternatives[value.tag])
    if isinstance(value, BaseException):
        return with_state(type(value), {name: evaluated(item) for name, item in state_of(value).items()})
    if type(value) in (list, dict) and contents_choice_of(value) is not None:
        return type(value)(evaluated(contents_choice_of(value).choice))
    if type(value) in (list, tuple):
        return type(value)(evaluated(item) for item in value)
    if type(value) is dict:
        return {key: evaluated(item) for key, item in value.items()}
    return value
