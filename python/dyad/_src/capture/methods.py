"""Methods of Python's own containers and texts on captured values."""

import ast
from collections import OrderedDict

from dyad._core import Tensor
from dyad._src.capture.errors import rejection
from dyad._src.capture.functions import Interpreted
from dyad._src.capture.values import depends_on_run, is_symbolic_tensor, torn_of

_CHANGES = {
    list: frozenset(
        (
            "append",
            "clear",
            "extend",
            "insert",
            "pop",
            "remove",
            "reverse",
            "sort",
            "__setitem__",
            "__delitem__",
            "__iadd__",
        )
    ),
    dict: frozenset(("clear", "pop", "popitem", "setdefault", "update", "__setitem__", "__delitem__")),
    set: frozenset(
        (
            "add",
            "clear",
            "discard",
            "pop",
            "remove",
            "update",
            "difference_update",
            "intersection_update",
            "symmetric_difference_update",
        )
    ),
}
_EQ = ast.Eq()


def call_method(interpreter, method, args, kwargs):
    """Calls a method of an object that Python itself defines."""
    owner, name = method.__self__, method.__name__
    if isinstance(owner, (list, dict)) and torn_of(owner) is not None:
        return interpreter.opened(owner, lambda: _call_opened(interpreter, owner, name, args, kwargs))
    if isinstance(owner, list):
        return _call_list(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, dict):
        return _call_dict(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, tuple):
        if name in ("index", "count") and depends_on_run((owner, args)):
            return _search(interpreter, owner, name, args)
        return interpreter.native(method, *args, **kwargs)
    if isinstance(owner, set):
        if name in _CHANGES[set]:
            interpreter.heap.touch(owner)
        interpreter.require_known(args, f"set.{name}")
        args = [
            interpreter.items_of(value)
            if not isinstance(value, (set, frozenset)) and name != "add" and hasattr(value, "__iter__")
            else value
            for value in args
        ]
        return interpreter.native(method, *args, **kwargs)
    if isinstance(owner, str):
        return _call_text(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, Tensor):
        if name == "item" and not args and is_symbolic_tensor(owner):
            return interpreter.item_of(owner, Tensor.item)
        return interpreter.call_framework(method, args, kwargs)
    if any(owner is kind for kind in (dict, OrderedDict)) and name == "fromkeys" and args:
        keys = interpreter.items_of(args[0])
        return interpreter.heap.note_birth(interpreter.native(method, keys, *args[1:], **kwargs))
    return interpreter.call_native(method, args, kwargs)


def _call_opened(interpreter, owner, name, args, kwargs):
    """A method of a container whose contents are decided for now; a view would outlive that."""
    result = call_method(interpreter, getattr(owner, name), args, kwargs)
    return tuple(result) if name in ("keys", "values", "items") else result


def _call_list(interpreter, owner, name, method, args, kwargs):
    if name in _CHANGES[list]:
        interpreter.heap.touch(owner)
    if name == "extend" and len(args) == 1:
        args = (interpreter.items_of(args[0]),)
    elif name == "sort":
        return _sort(interpreter, owner, kwargs)
    elif name in ("index", "count", "remove") and depends_on_run((owner, args)):
        return _search(interpreter, owner, name, args)
    elif name in ("pop", "insert") and args and depends_on_run(args[0]):
        raise rejection(
            interpreter.place,
            f"list.{name}: the place is known only when the graph runs",
            "Use a place that is known.",
        )
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, list) else result


def _sort(interpreter, owner, kwargs):
    from dyad._src.capture.builtin_functions import BUILTINS

    owner[:] = BUILTINS[sorted](interpreter, (owner,), kwargs)


def _search(interpreter, owner, name, args):
    """index, count and remove where equality is known only when the graph runs for some members."""
    place, number = None, 0
    for i, item in enumerate(owner):
        equal = item is args[0] or interpreter.truth(interpreter.compare(_EQ, item, args[0]))
        if not isinstance(equal, bool):
            raise rejection(
                interpreter.place,
                f"{type(owner).__name__}.{name}: whether a member is equal is known only when the graph runs",
                "Compare Tensors with ops.equal.",
            )
        if equal:
            number += 1
            place = i if place is None else place
    if name == "count":
        return number
    if place is None:
        what = (
            "list.remove(x): x not in list"
            if name == "remove"
            else f"{args[0]!r} is not in {type(owner).__name__}"
        )
        interpreter.throw(ValueError(what))
    if name == "remove":
        del owner[place]
        return None
    return place


def _call_dict(interpreter, owner, name, method, args, kwargs):
    if name in _CHANGES[dict]:
        interpreter.heap.touch(owner)
    if name in ("get", "pop", "setdefault", "__getitem__", "__setitem__") and args:
        interpreter.require_key(args[0])
    if name == "update" and args and not isinstance(args[0], dict):
        args = ([tuple(interpreter.items_of(pair)) for pair in interpreter.items_of(args[0])],)
    if name in ("keys", "values", "items"):
        return method()
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if name in ("copy", "fromkeys") else result


def _call_text(interpreter, owner, name, method, args, kwargs):
    if depends_on_run((args, kwargs)):
        if kwargs:
            return interpreter.deferred("text", _call_by_name, (owner, name, args, kwargs))
        return interpreter.deferred("text", _call_by_name, (owner, name, args, {}))
    args = [
        Interpreted(interpreter, value) if callable(value) and not isinstance(value, type) else value
        for value in args
    ]
    if name == "join" and args:
        args = [interpreter.items_of(args[0])]
        if depends_on_run(args):
            return interpreter.deferred("text", _call_by_name, (owner, name, tuple(args), {}))
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, list) else result


def _call_by_name(owner, name, args, kwargs):
    return getattr(owner, name)(*args, **kwargs)
