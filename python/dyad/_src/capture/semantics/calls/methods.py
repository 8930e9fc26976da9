"""Methods of Python's own containers and texts on captured values."""

import operator
from collections import OrderedDict, deque
from typing import NamedTuple

from dyad._core import Tensor
from dyad._src.base.break_reasons import CONDITION, DATA_TYPE, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.builtins.registry import BUILTINS
from dyad._src.capture.semantics.calls.host_calls import KEEPING
from dyad._src.capture.semantics.calls.native_calls import CONTAINERS
from dyad._src.capture.semantics.calls.protocol_methods import call_protocol
from dyad._src.capture.semantics.memory.heap import layout, plain
from dyad._src.capture.semantics.operators.texts import call_by_name
from dyad._src.capture.semantics.values import (
    MISSING,
    OneOf,
    contents_choice_of,
    depends_on_run,
    is_symbolic_tensor,
)

_ITERATED = (*CONTAINERS, deque, str)
_TAKING_MEMBERS = ("append", "appendleft")  # they move what they are given
_SEARCHES = ("index", "count", "remove")
_DICT_CHANGES = frozenset(
    ("clear", "pop", "popitem", "setdefault", "update", "move_to_end")
    + ("__setitem__", "__delitem__", "__ior__", "__init__")
)
_SET_MEMBERS = frozenset(("add", "discard", "remove", "__contains__"))  # their argument is a member
_SET_CHANGES = frozenset(
    ("add", "clear", "discard", "pop", "remove", "update")
    + ("difference_update", "intersection_update", "symmetric_difference_update")
    + ("__ior__", "__iand__", "__isub__", "__ixor__", "__init__")
)


class _SequenceMethods(NamedTuple):
    """The methods of a mutable sequence, by their names."""

    kind: type
    changing: frozenset
    taking_elements: frozenset  # their argument is iterated over
    at_place: frozenset  # their first argument is a place, which must be known


_LIST = _SequenceMethods(
    kind=list,
    changing=frozenset(
        ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")
        + ("__setitem__", "__delitem__", "__iadd__", "__imul__", "__init__")
    ),
    taking_elements=frozenset(("extend",)),
    at_place=frozenset(("pop", "insert")),
)
_DEQUE = _SequenceMethods(
    kind=deque,
    changing=frozenset(
        ("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft", "remove")
        + ("reverse", "rotate", "__setitem__", "__delitem__", "__iadd__", "__imul__", "__init__")
    ),
    taking_elements=frozenset(("extend", "extendleft", "__iadd__")),
    at_place=frozenset(("rotate", "insert")),
)


def call_method(interpreter, method, args, kwargs):
    """Calls a method of an object that Python itself defines."""
    if method.__name__ not in _TAKING_MEMBERS:
        args, kwargs = interpreter.external.look_at_all(args, kwargs)
    owner, name = method.__self__, method.__name__
    if (
        isinstance(owner, (list, dict))
        and name not in ("keys", "values", "items")
        and contents_choice_of(owner) is not None
    ):
        return interpreter.branches.with_decided_contents(
            owner, lambda: call_method(interpreter, method, args, kwargs)
        )
    if isinstance(owner, (*CONTAINERS, deque)) and name not in KEEPING:
        for place, value in enumerate(args):
            if isinstance(value, OneOf):
                return interpreter.branches.split(
                    value,
                    lambda chosen, at=place: call_method(
                        interpreter, method, (*args[:at], chosen, *args[at + 1 :]), kwargs
                    ),
                )
        if (undecided := interpreter.operators.undecided_among(*args)) is not None:
            return interpreter.branches.with_decided_contents(
                undecided, lambda: call_method(interpreter, method, args, kwargs)
            )
    if name == "__iter__" and isinstance(owner, _ITERATED):
        return interpreter.iteration.iterator_plainly(owner)
    by_protocol = call_protocol(interpreter, owner, name, args, kwargs)
    if by_protocol is not MISSING:
        return by_protocol
    for kind, meaning in _MEANINGS:
        if isinstance(owner, kind):
            return meaning(interpreter, owner, name, method, args, kwargs)
    if any(owner is kind for kind in (dict, OrderedDict)) and name == "fromkeys" and args:
        keys = interpreter.iteration.items_of(args[0])
        return interpreter.heap.note_birth(interpreter.host.native(method, keys, *args[1:], **kwargs))
    return interpreter.native_calls.call_native(method, args, kwargs)


def _noted(interpreter, result):
    """A result that belongs to the program from now on, if it can be changed."""
    return interpreter.heap.note_birth(result) if isinstance(result, (list, deque)) else result


# ---- sequences


def _call_list(interpreter, owner, name, method, args, kwargs):
    if name == "sort":
        interpreter.heap.touch(owner)
        list.__setitem__(owner, slice(None), BUILTINS[sorted](interpreter, (plain(owner),), kwargs))
        return None
    return _call_sequence(interpreter, _LIST, interpreter.host.native, owner, name, method, args, kwargs)


def _call_deque(interpreter, owner, name, method, args, kwargs):
    return _call_sequence(interpreter, _DEQUE, interpreter.host.guarded, owner, name, method, args, kwargs)


def _call_sequence(interpreter, methods, call, owner, name, method, args, kwargs):
    """A method of a list or deque, at last called with `call`."""
    if name in methods.changing:
        interpreter.heap.touch(owner)
    if name in _TAKING_MEMBERS:
        return interpreter.host.guarded(method, *args, **kwargs)
    if name in methods.taking_elements and len(args) == 1:
        args = (interpreter.iteration.items_of(args[0]),)
    elif name in _SEARCHES and interpreter.operators.needs_capture((plain(owner), args)):
        if interpreter.lax and any(map(is_symbolic_tensor, plain(owner))):
            raise interpreter.rejection(
                UNKNOWN,
                f"{methods.kind.__name__}.{name}: Tensors are compared until one is equal",
                NEEDS_PYTHON,
            )
        return _search(interpreter, owner, name, args)
    elif name == "__reversed__":
        return interpreter.iteration.reversed_plainly(owner)
    elif name in methods.at_place and depends_on_run(args[:1]):
        raise interpreter.rejection(
            CONDITION,
            f"{methods.kind.__name__}.{name}: the place is known only when the graph runs",
            "Use a place that is known.",
        )
    return _noted(interpreter, call(method, *args, **kwargs))


def _call_tuple(interpreter, owner, name, method, args, kwargs):
    if name in ("index", "count") and interpreter.operators.needs_capture((owner, args)):
        return _search(interpreter, owner, name, args)
    return interpreter.host.native(method, *args, **kwargs)


def _search(interpreter, owner, name, args):
    """index, count and remove where equality is known only when the graph runs for some members."""
    members = plain(owner)
    if name == "count":
        number = 0
        for item in members:
            equal = _is_equal(interpreter, item, args[0])
            number = interpreter.operators.binary(operator.add, number, equal)
        return number
    if depends_on_run(args[1:]):
        raise interpreter.rejection(
            CONDITION,
            f"{type(owner).__name__}.{name}: where to search is known only when the graph runs",
            "Use a place that is known.",
        )
    bounds = slice(*args[1:]) if len(args) > 2 else slice(args[1] if len(args) > 1 else 0, None)
    places = range(*bounds.indices(len(members)))
    return _first_equal(interpreter, owner, name, args[0], places)


def _first_equal(interpreter, owner, name, wanted, places):
    """The first of these places whose member is equal; members behind it are not compared."""
    for place in places:
        equal = _is_equal(interpreter, plain(owner)[place], wanted)
        if equal is True and name == "remove":
            layout(owner).__delitem__(owner, place)
            return None
        if equal is True:
            return place
        if equal is False:
            continue
        if name == "remove":
            raise interpreter.rejection(
                CONDITION,
                f"{type(owner).__name__}.{name}: whether a member is equal is known only when the graph runs",
                "Compare Tensors with ops.equal.",
            )
        return interpreter.branches.branch(
            equal,
            lambda place=place: place,
            lambda place=place: _first_equal(interpreter, owner, name, wanted, range(place + 1, places.stop)),
        )
    return interpreter.throwing.throw(ValueError(_not_found(interpreter, owner, name, wanted)))


def _is_equal(interpreter, item, wanted):
    """Returns whether a search takes the member for what is wanted: known now, or by the graph."""
    return item is wanted or interpreter.operators.truth(
        interpreter.operators.compare(operator.eq, item, wanted)
    )


def _not_found(interpreter, owner, name, wanted):
    """Returns the text of Python's error for a search that finds nothing."""
    kind = next(kind.__name__ for kind in (tuple, list, deque) if isinstance(owner, kind))
    if isinstance(owner, tuple) or name == "remove":
        return f"{kind}.{name}(x): x not in {kind}"
    texts = interpreter.texts
    return texts.join_texts([texts.format_value(wanted, "r", ""), f" is not in {kind}"])


# ---- others


def _call_dict(interpreter, owner, name, method, args, kwargs):
    if name in _DICT_CHANGES:
        interpreter.heap.touch(owner)
    if name in ("get", "pop", "setdefault", "__getitem__", "__setitem__") and args:
        interpreter.subscripts.require_key(args[0])
    if name == "update" and args and type(args[0]) is not dict:
        args = (interpreter.calls.call(dict, args, {}),)
    if name in ("keys", "values", "items"):
        return method()
    result = interpreter.host.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if name in ("copy", "fromkeys") else result


def _call_set(interpreter, owner, name, method, args, kwargs):
    if name in _SET_CHANGES:
        interpreter.heap.touch(owner)
    if name == "pop" and len(owner) > 1 and interpreter.external.original_of(owner) is not owner:
        raise interpreter.rejection(
            DATA_TYPE, "set.pop: which member it takes depends on what was taken before", NEEDS_PYTHON
        )
    interpreter.subscripts.require_known(args, f"set.{name}")
    args = [
        interpreter.iteration.items_of(value)
        if not isinstance(value, (set, frozenset)) and name not in _SET_MEMBERS and hasattr(value, "__iter__")
        else value
        for value in args
    ]
    return interpreter.host.native(method, *args, **kwargs)


def _call_text(interpreter, owner, name, method, args, kwargs):
    if name == "join" and len(args) == 1 and not depends_on_run((args, kwargs)):
        args = (interpreter.iteration.items_of(args[0]),)
    if depends_on_run((args, kwargs)):
        return interpreter.texts.deferred("text", call_by_name, (owner, name, args, kwargs))
    for value in (*args, *kwargs.values()):
        interpreter.native_calls.require_no_object(method, value)
    return _noted(interpreter, interpreter.host.native(method, *args, **kwargs))


def _call_tensor(interpreter, owner, name, method, args, kwargs):
    if name == "item" and not args and is_symbolic_tensor(owner):
        return interpreter.subscripts.item_of(owner, Tensor.item)
    return interpreter.calls.call_framework(method, args, kwargs)


# Class of the object -> meaning of its methods, called as `meaning(interpreter, owner, name, method, args, kwargs)`.
_MEANINGS = (
    (deque, _call_deque),
    (list, _call_list),
    (dict, _call_dict),
    (tuple, _call_tuple),
    (set, _call_set),
    (str, _call_text),
    (Tensor, _call_tensor),
)
