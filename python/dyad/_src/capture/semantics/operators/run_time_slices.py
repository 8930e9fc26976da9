"""Slices of lists and tuples whose bounds are known when the graph runs: one of all that they may be."""

from dyad import _core
from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.semantics.values import OneOf, is_leaf, kind_of_number

_MOST_SLICES = 64  # so many different ones are written into a graph


def _places(interpreter, key, owner, values=()):
    """Start, stop and step of a slice, of which start and stop may be one of several.

    What is sliced has one of several lengths, which STRICT does not join, unless there is nothing to take; Tensors in
    it would become others.
    """
    count = len(owner)
    start, stop, step = (key.start, key.stop, 1 if key.step is None else key.step)
    parts = (None if is_leaf(part) else part for part in (start, stop, step))
    interpreter.host.native(slice(*parts).indices, count)  # says what of it is wrong whatever the rest is
    unknown = [is_leaf(bound) for bound in (start, stop)]
    many = (count + 1) ** sum(unknown) > _MOST_SLICES
    joins = not (interpreter.strict and owner)
    if not joins or is_leaf(step) or many or not all(map(_is_plain, (*owner, *values))):
        raise interpreter.rejection(
            CONDITION,
            f"slice: the bounds of a slice of a {type(owner).__name__} are known only when the graph runs",
            "Slice a Tensor instead, or use known bounds.",
        )
    known = slice(None if unknown[0] else start, None if unknown[1] else stop, step)
    known_start, known_stop, step = interpreter.host.native(known.indices, count)
    low, high = (0, count) if step > 0 else (-1, count - 1)
    starts = _within(interpreter, start, count, low, high) if unknown[0] else known_start
    stops = _within(interpreter, stop, count, low, high) if unknown[1] else known_stop
    return starts, stops, step


def sliced(interpreter, owner, key):
    """`owner[key]` of a list or tuple."""
    kind = list if isinstance(owner, list) else tuple
    starts, stops, step = _places(interpreter, key, owner)

    def taken(start, stop):
        found = kind(owner[place] for place in range(start, stop, step))
        return interpreter.heap.note_birth(found) if kind is list else found

    return _each(interpreter, starts, stops, taken)


def write_slice(interpreter, owner, key, values):
    """`owner[key] = values` of a list."""
    starts, stops, step = _places(interpreter, key, owner, values)

    def write(start, stop):
        interpreter.heap.touch(owner)
        end = None if stop < 0 else stop
        place = slice(start, max(start, stop) if step == 1 else end, step)
        interpreter.host.guarded(list.__setitem__, owner, place, values)

    _each(interpreter, starts, stops, write)


def _within(interpreter, bound, count, low, high):
    """A bound counted from the start, in the places that a slice can begin or end at: one of several."""
    number = interpreter.subscripts.as_integer(bound, "slice indices")
    number = number + _core.number_op("int", number < 0) * count
    number = _core.number_op("min", _core.number_op("max", number, low), high)
    return OneOf(number, ((place, place) for place in range(low, high + 1)))


def _is_plain(value):
    """Returns whether a program cannot distinguish the value from an equal one."""
    return value is None or isinstance(value, (str, bytes)) or kind_of_number(value) is not None


def _each(interpreter, starts, stops, use):
    split = interpreter.branches.split
    return split(starts, lambda start: split(stops, lambda stop: use(start, stop)))
