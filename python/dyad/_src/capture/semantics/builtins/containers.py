"""Functions that make containers and ranges, sort them and tell their length."""

from dyad._core import GraphNumber
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.builtins.registry import builtin, by_method, model
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.memory.heap import contents
from dyad._src.capture.semantics.operators.special_methods import ordered_by
from dyad._src.capture.semantics.values import OneOf, RuntimeRange, is_leaf


@model(len, 1)
def _len(interpreter, value):
    return interpreter.iteration.length_of(value)


@builtin(range)
def _range(interpreter, args, kwargs):
    if not any(is_leaf(value) for value in args):
        return interpreter.host.native(
            range, *[interpreter.subscripts.index_of(value) for value in args], **kwargs
        )
    numbers = []
    for value in args:
        if isinstance(value, OneOf):
            value = interpreter.branches.split(value, lambda chosen: chosen)
        numbers.append(
            interpreter.subscripts.as_integer(value, "range")
            if is_leaf(value)
            else interpreter.subscripts.index_of(value)
        )
    if len(numbers) == 1:
        return RuntimeRange(0, numbers[0], 1)
    start, stop, step = (*numbers, 1)[:3]
    if step == 0 and not isinstance(step, GraphNumber):
        interpreter.throwing.throw(ValueError("range() arg 3 must not be zero"))
    return RuntimeRange(start, stop, step)


def _register_sequence(kind):
    @builtin(kind)
    def make(interpreter, args, kwargs):
        if len(args) != 1 or kwargs:
            made = interpreter.host.native(kind, *args, **kwargs)
        elif any(
            interpreter.attributes.user_method(args[0], name) is not None for name in ("__iter__", "__len__")
        ):
            iterator = interpreter.iteration.iterator_of(args[0])
            by_method(interpreter, args[0], "__len__", "__length_hint__")  # Python asks for room first
            made = kind(interpreter.iteration.left_of(iterator))
        elif kind is list and isinstance(args[0], ModelIterator):
            return interpreter.iteration.collected(
                args[0]
            )  # how many there are may be known only when the graph runs
        else:
            made = kind(interpreter.iteration.items_of(args[0]))
            interpreter.external.marks.follow(made, args[0])
        return interpreter.heap.note_birth(made) if kind is list else made


_register_sequence(list)
_register_sequence(tuple)


def _register_set(kind):
    @builtin(kind)
    def make(interpreter, args, kwargs):
        items = [interpreter.iteration.items_of(value) for value in args]
        interpreter.subscripts.require_known([member for part in items for member in part], kind.__name__)
        return interpreter.heap.note_birth(interpreter.host.native(kind, *items, **kwargs))


_register_set(set)
_register_set(frozenset)


@builtin(dict)
def _dict(interpreter, args, kwargs):
    made = {}
    if args:
        source = args[0]
        if isinstance(source, dict) and interpreter.attributes.user_method(source, "__iter__") is None:
            made.update(contents(source))
        elif hasattr(source, "keys") or isinstance(source, AttributeView):
            made.update(interpreter.iteration.known_mapping(source))
        else:
            for pair in interpreter.iteration.items_of(source):
                key, value = interpreter.iteration.items_of(pair)
                interpreter.subscripts.require_key(key)
                made[key] = value
    made.update(kwargs)
    return interpreter.heap.note_birth(made)


@builtin(sorted)
def _sorted(interpreter, args, kwargs):
    if len(args) != 1 or set(kwargs) - {"key", "reverse"}:
        return interpreter.host.native(sorted, *args, **kwargs)
    items = interpreter.iteration.items_of(args[0])
    key = kwargs.get("key")
    keys = [item if key is None else interpreter.calls.call(key, (item,), {}) for item in items]
    reverse = interpreter.operators.truth(kwargs.get("reverse", False))
    if interpreter.operators.needs_capture(keys):
        keys = list(map(ordered_by(interpreter), keys))
    order = interpreter.host.native(sorted, range(len(items)), key=keys.__getitem__, reverse=reverse)
    return interpreter.heap.note_birth([items[place] for place in order])
