"""Exceptions of the captured program when the graph runs, and what the program changed before them."""

import threading

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.forms import Built
from dyad._src.capture.values import Deferred, OneOf, torn_of

_raised = threading.local()


class Raise:
    """Raises, when the graph runs, the exception that was met while it was captured.

    What the program changed of objects from outside before that point is written back too: `effects` are described
    as results of a graph are, over the leaves behind those of the exception.
    """

    def __init__(self, error, form, count, effects):
        self._error = error.with_traceback(None)  # whose frames would keep all that was captured
        self._form = form
        self._count = count
        self._effects = effects

    def __call__(self, *leaves):
        arguments = evaluated(self._form.build(Built(leaves[: self._count])))
        kind = type(self._error)
        try:
            error = kind(*arguments)
        except Exception:
            error = self._error
        error.__cause__ = self._error.__cause__
        error.__suppress_context__ = self._error.__suppress_context__
        _raised.last = (error, self._effects, leaves[self._count :])
        raise error


def after_failure(error, found):
    """Called when running an entry raised `error`; `found` holds the objects the guards found, by node."""
    last, _raised.last = getattr(_raised, "last", None), None
    if last is None or last[0] is not error:
        return
    _, effects, results = last
    error.args = tuple(_original(value, found) for value in error.args)
    for effect in effects:
        build(effect, results, found, {})


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
    if type(value) in (list, dict) and torn_of(value) is not None:
        return type(value)(evaluated(torn_of(value).choice))
    if type(value) in (list, tuple):
        return type(value)(evaluated(item) for item in value)
    if type(value) is dict:
        return {key: evaluated(item) for key, item in value.items()}
    return value
