"""Methods of Python's own classes that the language itself calls: `__init__`, `__getattribute__`, `__setitem__`, ..."""

from collections import defaultdict
from collections.abc import Callable

from dyad._core import Tensor
from dyad._src.capture.semantics.attributes.attributes import is_user_class
from dyad._src.capture.semantics.memory.heap import is_container, layout, set_contents
from dyad._src.capture.semantics.values import MISSING


def call_protocol(interpreter, owner, name, args, kwargs):
    """Calls a method that the language itself calls; MISSING for all others."""
    if kwargs and name not in ("__new__", "__call__", "__init__"):
        return MISSING
    if isinstance(owner, type):
        if name == "__new__" and args and isinstance(args[0], type) and is_user_class(args[0]):
            return interpreter.object_creation.allocate(args[0], args[1:], kwargs)
        return (
            interpreter.object_creation.make_plainly(owner, args, kwargs) if name == "__call__" else MISSING
        )
    if isinstance(owner, (BaseException, Tensor)):
        return MISSING
    if name == "__init__":
        return _initialise(interpreter, owner, args, kwargs)
    meaning = _PROTOCOL.get((name, len(args)))
    if meaning is None or not (is_user_class(type(owner)) or is_container(owner)):
        return MISSING
    return meaning(interpreter, owner, *args)


def _initialise(interpreter, owner, args, kwargs):
    """`__init__` of Python's own containers and of `object`."""
    if not is_container(owner):
        return None if is_user_class(type(owner)) else MISSING
    interpreter.heap.touch(owner)
    if isinstance(owner, dict):
        given = interpreter.calls.call(dict, args, kwargs)
        if isinstance(owner, defaultdict) and args:
            owner.default_factory = args[0]
            given = interpreter.calls.call(dict, args[1:], kwargs)
        for key, value in given.items():
            layout(owner).__setitem__(owner, key, value)
        return None
    items = interpreter.iteration.items_of(args[0]) if args else []
    if isinstance(owner, set):
        interpreter.subscripts.require_known(items, "set")
        set.clear(owner)
        set.update(owner, items)
    else:
        set_contents(owner, items)
    return None


def _equals(interpreter, owner, other):
    """Equality as `object` has it: objects are equal to themselves alone."""
    if is_container(owner):
        return MISSING
    return True if owner is other else NotImplemented


# (name of a method, number of arguments) -> its meaning, called with the interpreter, the object and the arguments.
_PROTOCOL: dict[tuple[str, int], Callable] = {
    ("__getattribute__", 1): lambda interpreter, owner, name: interpreter.attributes.read_plainly(
        owner, name
    ),
    ("__setattr__", 2): lambda interpreter, owner, name, value: interpreter.attribute_writes.write_plainly(
        owner, name, value
    ),
    ("__delattr__", 1): lambda interpreter, owner, name: interpreter.attribute_writes.delete_plainly(
        owner, name
    ),
    ("__getitem__", 1): lambda interpreter, owner, key: interpreter.subscripts.read_item_plainly(owner, key),
    ("__setitem__", 2): lambda interpreter, owner, key, value: interpreter.subscripts.write_item_plainly(
        owner, key, value
    ),
    ("__delitem__", 1): lambda interpreter, owner, key: interpreter.subscripts.delete_item_plainly(
        owner, key
    ),
    ("__eq__", 1): _equals,
}
