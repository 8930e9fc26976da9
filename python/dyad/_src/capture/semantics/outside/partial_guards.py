"""Arguments of which the program reads little: only that is guarded.

A number that nothing reads may be any of its type; of a list only the items that are read count. What is seen of such
an argument is less than all of it, so the program must meet it in one place only: `NeedsWholeArguments` otherwise.
"""

import inspect
import types
from typing import Any

from dyad._core import Tensor
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.capture.semantics.attributes.object_state import has_unseen_state, is_readable
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES
from dyad._src.primitive.primitive import Primitive
from dyad._src.tensor.mutable import Mutable

_WHOLE = (Tensor, AbstractCell, Mutable, type, types.ModuleType)
_CONTAINERS = (list, tuple, dict)
# What a function is; its name and its text make no difference to a call.
_PARTS_OF_FUNCTIONS = ("__code__", "__globals__", "__defaults__", "__kwdefaults__")
# Stands in for an item that nothing reads.
_UNREAD = object()


class NeedsWholeArguments(BaseException):
    """The program is to be captured again: all of its arguments are guarded, and those that are one are seen as one."""


def guard_used_parts(external, value, node, place, use, by_value):
    """Returns the program's view of an argument with this use, in a tuple; None if all of it is to be guarded.

    `by_value` are types of which the whole value is compared.
    """
    if isinstance(value, (*_WHOLE, *by_value)) or not is_readable(type(value)) or external.has_met(value):
        return None
    if use.is_nothing:
        external.tree.check_type(node, type(value))
        return (value,)
    if use.items_only and type(value) in _CONTAINERS:
        return _adopt_items(external, value, node, place, use.items)
    if use.attributes_only and _has_plain_attributes(value, use.attributes):
        external.tree.check_type(node, type(value))
        external.note_partial(value, node)
        external.note_changeable(node)
        return (value,)
    if use.called_only and type(value) is types.FunctionType:
        return _adopt_called_function(external, value, node)
    if use.called_only and isinstance(value, Primitive):
        return _adopt_called_primitive(external, value, node)
    return None


def _adopt_items(external, value, node, place, keys):
    """A container with those items only; None if one of them is not there."""
    if type(value) is dict:
        if any(key not in value for key in keys):
            return None
    elif any(type(key) is not int or not 0 <= key < len(value) for key in keys):
        return None
    tree = external.tree
    tree.check_type(node, type(value))
    if type(value) is not tuple:
        external.note_partial(value, node)
        external.note_changeable(node)
    seen: Any
    if type(value) is dict:
        seen = {}
        for key in sorted(keys, key=str):
            seen[key] = external.meet(value[key], tree.item(node, key), (*place, key))
    else:
        seen = [_UNREAD] * len(value)
        for key in sorted(keys):
            seen[key] = external.meet(value[key], tree.element(node, key), (*place, key))
        if type(value) is tuple:
            return (tuple(seen),)
    external.heap.note_outside(seen)
    return (seen,)


def _has_plain_attributes(value, names):
    """Returns whether reading these attributes of an object runs no code and gives nothing that is bound to it."""
    cls = type(value)
    if isinstance(value, (*CONSTANT_TYPES, *_CONTAINERS, set, frozenset, slice, types.FunctionType)):
        return False
    if is_framework_module(module_of(cls)) or has_unseen_state(cls):
        return False
    held = getattr(value, "__dict__", {})
    for name in names:
        entry = inspect.getattr_static(cls, name, None)
        is_slot = isinstance(entry, types.MemberDescriptorType)
        if not is_slot and (hasattr(type(entry), "__get__") or (entry is None and name not in held)):
            return False
    return True


def _adopt_called_function(external, function, node):
    """A function that is only called: one with the same code, globals, defaults and cells is as good."""
    if is_framework_module(module_of(function)) or not _has_no_marks(function):
        return None
    tree = external.tree
    tree.check_type(node, types.FunctionType)
    for part in _PARTS_OF_FUNCTIONS:
        tree.check_identity(tree.attribute(node, part), getattr(function, part), weak=False)
    cells = tree.attribute(node, "__closure__")
    for number, cell in enumerate(function.__closure__ or ()):
        tree.check_identity(tree.element(cells, number), cell, weak=False)
    tree.check_call(node, _has_no_marks, True)
    external.note_partial(function, node)
    return (function,)


def _has_no_marks(function):
    """Returns whether a function has no attributes of its own; some say how it is captured."""
    return not function.__dict__


def _adopt_called_primitive(external, primitive, node):
    """An operator that is only called: one of the same class with equal attributes is as good."""
    tree = external.tree
    try:
        tree.check_equal(tree.attribute(node, "__dict__"), primitive.__dict__)
    except TypeError:  # something in it is known by its identity
        return None
    tree.check_type(node, type(primitive))
    external.note_partial(primitive, node)
    return (primitive,)
