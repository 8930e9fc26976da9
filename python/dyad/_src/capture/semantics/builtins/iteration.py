"""Functions that make iterators and ask them for elements."""

import functools

from dyad._core import Tensor
from dyad._src.capture.semantics.attributes.attributes import ABSENT
from dyad._src.capture.semantics.builtins.registry import builtin, model
from dyad._src.capture.semantics.calls.functions import Interpreted
from dyad._src.capture.semantics.iteration.iterators import (
    Called,
    Elements,
    Enumerated,
    Filtered,
    Mapped,
    ModelIterator,
    Zipped,
)
from dyad._src.capture.semantics.iteration.members import is_watched
from dyad._src.capture.semantics.values import MISSING, is_leaf


@builtin(zip)
def _zip(interpreter, args, kwargs):
    if set(kwargs) - {"strict"}:
        return interpreter.host.native(zip, *args, **kwargs)
    sources = [interpreter.iteration.iterator_of(value) for value in args]
    return Zipped(interpreter, sources, interpreter.operators.truth(kwargs.get("strict", False)))


@builtin(enumerate)
def _enumerate(interpreter, args, kwargs):
    if not 1 <= len(args) <= 2 or set(kwargs) - {"start"}:
        return interpreter.host.native(enumerate, *args, **kwargs)
    start = interpreter.subscripts.index_of(args[1] if len(args) > 1 else kwargs.get("start", 0))
    source = interpreter.iteration.iterator_of(args[0])
    if not is_leaf(start):
        interpreter.host.native(enumerate, (), start)  # says what cannot be a start
    return Enumerated(interpreter, source, start)


@model(reversed, 1)
def _reversed(interpreter, value):
    method = interpreter.attributes.user_method(value, "__reversed__")
    if method is not None:
        return interpreter.calls.call(method, (), {})
    if type(value) in (list, tuple, str, range, bytes):
        return interpreter.iteration.reversed_plainly(value)
    if isinstance(value, Tensor):
        return Elements(interpreter, interpreter.iteration.items_of(value)[::-1], reversed)
    is_asked = any(
        interpreter.attributes.user_method(value, name) is not None for name in ("__getitem__", "__len__")
    )
    if is_asked and interpreter.attributes.entry_of(type(value), "__reversed__")[0] is ABSENT:
        places = range(interpreter.iteration.length_of(value))
        return Mapped(
            interpreter,
            Interpreted(interpreter, functools.partial(interpreter.subscripts.read_item, value)),
            [Elements(interpreter, places, reversed, backwards=True)],
        )
    if isinstance(value, (list, tuple)):
        return interpreter.iteration.reversed_plainly(value)
    items = list(interpreter.host.native(reversed, value))  # says what cannot be reversed
    if is_watched(value):
        return interpreter.iteration.reversed_plainly(value)
    return Elements(interpreter, items, reversed)


@builtin(map)
def _map(interpreter, args, kwargs):
    if len(args) < 2 or kwargs:
        return interpreter.host.native(map, *args, **kwargs)
    return Mapped(interpreter, args[0], [interpreter.iteration.iterator_of(value) for value in args[1:]])


@model(filter, 2)
def _filter(interpreter, function, iterable):
    return Filtered(interpreter, filter, function, interpreter.iteration.iterator_of(iterable))


@model(iter, 1, 2)
def _iter(interpreter, value, *sentinel):
    return Called(interpreter, value, *sentinel) if sentinel else interpreter.iteration.iterator_of(value)


@model(next, 1, 2)
def _next(interpreter, iterator, *default):
    interpreter.iteration.require_inner_iterator(iterator)
    method = interpreter.attributes.user_method(iterator, "__next__")
    if not default and method is not None:
        return interpreter.calls.call(method, (), {})
    if method is None and not isinstance(iterator, ModelIterator) and hasattr(iterator, "__next__"):
        interpreter.native_calls.require_new(iterator, "next")
        return interpreter.host.native(next, iterator, *default)
    item = interpreter.iteration.advance(iterator)
    if item is not MISSING:
        return item
    return default[0] if default else interpreter.throwing.throw(StopIteration())
