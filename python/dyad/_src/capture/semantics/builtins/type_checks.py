"""Functions that ask for the class of a value."""

import functools
from collections.abc import Callable
from typing import Any

from dyad._core import GraphNumber
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.builtins.reductions import decided
from dyad._src.capture.semantics.builtins.registry import builtin, splitting
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction
from dyad._src.capture.semantics.iteration.iterators import Elements, Mapped, ModelIterator
from dyad._src.capture.semantics.values import MISSING, Deferred, RuntimeRange


def _like_function():
    pass


# Kinds of captured values -> a value of the class that Python has for them.
_LIKE: tuple[tuple[Any, Callable], ...] = (
    (GraphNumber, lambda number: number.kind(0)),
    (Deferred, lambda text: ""),
    ((ClosureFunction, Bound), lambda function: _like_function),
    (RuntimeRange, lambda numbers: range(0)),
    (AttributeView, lambda view: {}),
)


@builtin(isinstance)
@splitting
def _isinstance(interpreter, args, kwargs):
    if len(args) == 2:
        marked = interpreter.external.marks.class_of(args[0])
        if marked is not None and _asked_class(interpreter, args, "__instancecheck__") is MISSING:
            return interpreter.host.native(isinstance, marked(), args[1])
        for kinds, like in _LIKE:
            if isinstance(args[0], kinds):
                return interpreter.host.native(isinstance, like(args[0]), args[1])
        if isinstance(args[0], ModelIterator):
            return interpreter.host.guarded(issubclass, args[0].kind, args[1])
    own = _asked_class(interpreter, args, "__instancecheck__")
    return interpreter.host.guarded(isinstance, *args, **kwargs) if own is MISSING else own


@builtin(issubclass)
def _issubclass(interpreter, args, kwargs):
    own = _asked_class(interpreter, args, "__subclasscheck__")
    return interpreter.host.guarded(issubclass, *args, **kwargs) if own is MISSING else own


def _asked_class(interpreter, args, name):
    """Returns the answer of a metaclass of the program for an object or class; MISSING if none defines one."""
    if len(args) != 2:
        return MISSING
    if isinstance(args[1], tuple):
        if not any(
            isinstance(cls, type) and interpreter.attributes.user_method(cls, name) for cls in args[1]
        ):
            return MISSING
        function = isinstance if name == "__instancecheck__" else issubclass
        return decided(
            interpreter,
            Mapped(interpreter, functools.partial(function, args[0]), [Elements(interpreter, args[1])]),
            True,
        )
    method = interpreter.attributes.user_method(args[1], name) if isinstance(args[1], type) else None
    if method is None or type(args[0]) is args[1]:
        return MISSING
    return interpreter.operators.truth(interpreter.calls.call(method, (args[0],), {}))


@builtin(type)
@splitting
def _type(interpreter, args, kwargs):
    if len(args) != 1:
        return interpreter.native_calls.call_native(type, args, kwargs)
    value = args[0]
    if (marked := interpreter.external.marks.class_of(value)) is not None:
        return marked
    if isinstance(value, (GraphNumber, ModelIterator)):
        return value.kind
    if isinstance(value, Deferred):
        return str
    if isinstance(value, RuntimeRange):
        return range
    if isinstance(value, ClosureFunction):
        return type(_like_function)
    return dict if isinstance(value, AttributeView) else type(value)


@builtin(callable)
@splitting
def _callable(interpreter, args, kwargs):
    return interpreter.host.native(callable, *args, **kwargs)
