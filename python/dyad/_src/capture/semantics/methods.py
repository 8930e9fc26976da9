"""Methods of Python's own containers and texts on captured values."""

import ast
from collections import OrderedDict, defaultdict, deque

from dyad._core import Tensor
from dyad._src.capture.errors import rejection
from dyad._src.capture.semantics.attributes import is_user_class
from dyad._src.capture.semantics.builtins.registry import BUILTINS
from dyad._src.capture.semantics.heap import is_container, layout, set_contents
from dyad._src.capture.semantics.values import MISSING, depends_on_run, is_symbolic_tensor, torn_of

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
    by_protocol = _call_protocol(interpreter, owner, name, args, kwargs)
    if by_protocol is not MISSING:
        return by_protocol
    if isinstance(owner, (list, dict)) and torn_of(owner) is not None:
        return interpreter.opened(owner, lambda: _call_opened(interpreter, method, args, kwargs))
    if isinstance(owner, deque):
        return _call_deque(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, list):
        return _call_list(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, dict):
        return _call_dict(interpreter, owner, name, method, args, kwargs)
    if isinstance(owner, tuple):
        if name in ("index", "count") and interpreter.needs_capture((owner, args)):
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


def _call_opened(interpreter, method, args, kwargs):
    """A method of a container whose contents are decided for now; a view would outlive that."""
    result = call_method(interpreter, method, args, kwargs)
    return tuple(result) if method.__name__ in ("keys", "values", "items") else result


def _call_protocol(interpreter, owner, name, args, kwargs):
    """Methods of Python's own classes that the language itself calls; MISSING for all others."""
    if kwargs and name not in ("__new__", "__call__", "__init__"):
        return MISSING
    if isinstance(owner, type):
        if name == "__new__" and args and isinstance(args[0], type) and is_user_class(args[0]):
            return interpreter.allocate(args[0], args[1:], kwargs)
        return interpreter.make_plainly(owner, args, kwargs) if name == "__call__" else MISSING
    if isinstance(owner, (BaseException, Tensor)):
        return MISSING
    if name == "__init__":
        return _initialise(interpreter, owner, args, kwargs)
    handler = _PROTOCOL.get((name, len(args)))
    if handler is None or not (is_user_class(type(owner)) or is_container(owner)):
        return MISSING
    return handler(interpreter, owner, *args)


def _initialise(interpreter, owner, args, kwargs):
    """`__init__` of Python's own containers and of `object`."""
    if not is_container(owner):
        return None if is_user_class(type(owner)) else MISSING
    interpreter.heap.touch(owner)
    if isinstance(owner, dict):
        given = interpreter.call(dict, args, kwargs)
        if isinstance(owner, defaultdict) and args:
            owner.default_factory = args[0]
            given = interpreter.call(dict, args[1:], kwargs)
        for key, value in given.items():
            layout(owner).__setitem__(owner, key, value)
        return None
    items = interpreter.items_of(args[0]) if args else []
    if isinstance(owner, set):
        interpreter.require_known(items, "set")
        set.clear(owner)
        set.update(owner, items)
    else:
        set_contents(owner, items)
    return None


def _order(name):
    """A comparison as the method of Python's own classes does it: objects are equal to themselves alone."""

    def compare(interpreter, owner, other):
        if is_container(owner):
            return MISSING
        if name in ("__eq__", "__ne__"):
            return (name == "__eq__" if owner is other else NotImplemented) if name == "__eq__" else MISSING
        return NotImplemented

    return compare


_PROTOCOL = {
    ("__getattribute__", 1): lambda interpreter, owner, name: interpreter.read_plainly(owner, name),
    ("__setattr__", 2): lambda interpreter, owner, name, value: interpreter.write_plainly(owner, name, value),
    ("__delattr__", 1): lambda interpreter, owner, name: interpreter.delete_plainly(owner, name),
    ("__getitem__", 1): lambda interpreter, owner, key: interpreter.read_item_plainly(owner, key),
    ("__setitem__", 2): lambda interpreter, owner, key, value: interpreter.write_item_plainly(
        owner, key, value
    ),
    ("__delitem__", 1): lambda interpreter, owner, key: interpreter.delete_item_plainly(owner, key),
    ("__eq__", 1): _order("__eq__"),
}


def _call_list(interpreter, owner, name, method, args, kwargs):
    if name in _CHANGES[list]:
        interpreter.heap.touch(owner)
    if name == "extend" and len(args) == 1:
        args = (interpreter.items_of(args[0]),)
    elif name == "sort":
        return _sort(interpreter, owner, kwargs)
    elif name in ("index", "count", "remove") and interpreter.needs_capture((list(owner), args)):
        return _search(interpreter, owner, name, args)
    elif name in ("__iter__", "__reversed__"):
        return interpreter.call(iter if name == "__iter__" else reversed, (owner,), {})
    elif name in ("pop", "insert") and args and depends_on_run(args[0]):
        raise rejection(
            interpreter.place,
            f"list.{name}: the place is known only when the graph runs",
            "Use a place that is known.",
        )
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, list) else result


def _call_deque(interpreter, owner, name, method, args, kwargs):
    if name not in ("copy", "count", "index", "__len__", "__contains__", "__iter__", "__reversed__"):
        interpreter.heap.touch(owner)
    if name in ("extend", "extendleft", "__iadd__") and len(args) == 1:
        args = (interpreter.items_of(args[0]),)
    elif name in ("index", "count", "remove") and interpreter.needs_capture((list(owner), args)):
        return _search(interpreter, owner, name, args)
    elif name in ("__iter__", "__reversed__"):
        return interpreter.call(iter if name == "__iter__" else reversed, (owner,), {})
    elif depends_on_run(args) and name in ("rotate", "insert"):
        raise rejection(
            interpreter.place,
            f"deque.{name}: the place is known only when the graph runs",
            "Use a place that is known.",
        )
    result = interpreter.guarded(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, deque) else result


def _sort(interpreter, owner, kwargs):
    list.__setitem__(owner, slice(None), BUILTINS[sorted](interpreter, (list(owner),), kwargs))


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
    if name == "update" and args and type(args[0]) is not dict:
        args = (interpreter.call(dict, args, {}),)
    if name == "__iter__":
        return interpreter.iterator_of(owner)
    if name in ("keys", "values", "items"):
        return method()
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if name in ("copy", "fromkeys") else result


def _call_text(interpreter, owner, name, method, args, kwargs):
    if depends_on_run((args, kwargs)):
        if kwargs:
            return interpreter.deferred("text", _call_by_name, (owner, name, args, kwargs))
        return interpreter.deferred("text", _call_by_name, (owner, name, args, {}))
    if name == "join" and len(args) == 1:
        args = [interpreter.items_of(args[0])]
        if depends_on_run(args):
            return interpreter.deferred("text", _call_by_name, (owner, name, tuple(args), {}))
    for value in (*args, *kwargs.values()):
        interpreter._require_no_object(method, value)
    result = interpreter.native(method, *args, **kwargs)
    return interpreter.heap.note_birth(result) if isinstance(result, list) else result


def _call_by_name(owner, name, args, kwargs):
    return getattr(owner, name)(*args, **kwargs)
