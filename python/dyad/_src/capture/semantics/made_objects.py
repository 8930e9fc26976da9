"""Creates objects that a captured program made, and writes its attributes, after the graph has run."""

import contextlib
import types

from dyad._src.autodiff.recording import recording_off
from dyad._src.capture.semantics.attributes.attributes import class_entry, is_builtin_method
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.memory.heap import layout, set_contents
from dyad._src.capture.semantics.values import UNBOUND


class ObjectMaker:
    """Makes an object of a user's class with the given attributes; none of its methods is called."""

    def __init__(self, kind):
        self._kind = kind

    def __call__(self, attributes):
        made = self._kind() if self._kind is types.SimpleNamespace else object.__new__(self._kind)
        for name, value in attributes.items():
            write_attribute(made, name, value)
        return made


class ContainerMaker:
    """Makes a container of a class derived from one of Python's own; none of its methods is called."""

    def __init__(self, like):
        self._kind = type(like)
        self._layout = layout(like)
        self._size = getattr(like, "maxlen", None)
        self._factory = getattr(like, "default_factory", None)

    def __call__(self, items, attributes):
        made = self._layout.__new__(self._kind)
        if self._size is not None:
            made.__init__((), self._size)
        if self._factory is not None:
            made.default_factory = self._factory
        set_contents(made, items)
        for name, value in attributes.items():
            write_attribute(made, name, value)
        return made


class TupleMaker:
    """Makes a named tuple (or another kind of tuple) of its elements."""

    def __init__(self, kind):
        self._kind = kind

    def __call__(self, items):
        return tuple.__new__(self._kind, items)


class DictMaker:
    """Makes a dict of a class derived from dict."""

    def __init__(self, like):
        self._empty = like.copy()
        self._empty.clear()

    def __call__(self, items):
        made = self._empty.copy()
        made.update(items)
        return made


class ViewMaker:
    """Makes the keys, values or items of a dict, by the name of the method that gives them."""

    def __init__(self, method):
        self._method = method

    def __call__(self, mapping):
        return getattr(mapping, self._method)()


def add_to(target, added):
    """Lets a list, deque, set or dict hold more; none of its members is looked at."""
    kind = type(target)
    if kind is dict:
        for key, value in added.items():
            target[key] = value
    else:
        (kind.update if kind is set else kind.extend)(target, added)


def write_tensor(target, new):
    """Lets a tensor hold what the graph has for it, which is itself if the graph wrote in place."""
    if new is not target:
        with recording_off():
            target.copy_(new)


def write_item(target, name, value):
    """Lets a namespace hold a value under a name; UNBOUND takes the name out."""
    if value is UNBOUND:
        target.pop(name, None)
    else:
        target[name] = value


def write_attribute(target, name, value):
    """Writes an attribute past a `__setattr__` or `__delattr__` of the program, which has been called already."""
    root = type if isinstance(target, type) else object
    if value is not UNBOUND:
        (root.__setattr__ if _is_users(target, "__setattr__") else setattr)(target, name, value)
        return
    with contextlib.suppress(AttributeError):  # written and deleted, it was never there
        (root.__delattr__ if _is_users(target, "__delattr__") else delattr)(target, name)


def _is_users(target, name):
    """Returns whether the class has a special method that was captured with the program."""
    cls = type(target)
    entry = class_entry(cls, name)
    if entry is getattr(object, name):
        return False
    return not is_framework_module(module_of(entry)) and not is_builtin_method(cls, name, entry)


def _zip_of(rows):
    return zip(*zip(*rows, strict=True), strict=False)


def _enumerate_of(pairs):
    return enumerate([item for _, item in pairs], pairs[0][0] if pairs else 0)


def _map_of(items):
    return map(_same, items)


def _filter_of(items):
    return filter(_always, items)


def _same(item):
    return item


def _always(item):
    return True


def _reversed_of(items):
    return reversed(items[::-1])


def _tuple_iterator(items):
    return iter(tuple(items))


ITERATORS = {
    zip: _zip_of,
    enumerate: _enumerate_of,
    reversed: _reversed_of,
    map: _map_of,
    filter: _filter_of,
    type(iter([])): iter,
    type(iter(())): _tuple_iterator,
}
