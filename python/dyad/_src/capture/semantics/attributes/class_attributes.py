"""Attributes of classes, and how an entry of a class becomes what reading it gives."""

import functools
import types

from dyad import _core
from dyad._src.base.break_reasons import FUNCTION, UNKNOWN
from dyad._src.capture.semantics.attributes.attributes import (
    ABSENT,
    class_entry,
    is_data_descriptor,
    is_user_class,
)
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.calls.functions import ClosureFunction, Interpreted
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import UNBOUND

_C_DESCRIPTORS = (
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)
_READING_MODULES = (
    "_collections",
    "collections",
    "enum",
    "types",
    "dyad._core",
    "builtins",
)  # their descriptors only read
_NAMES = ("__name__", "__qualname__")


class ClassAttributes(Part):
    """Attributes of classes, with their metaclasses, and what `super()` finds."""

    # ---- binding

    def bound_entry(self, entry, owner, cls, name):
        """Reads an entry of a class for an object (or, if `owner` is None, for the class itself)."""
        if isinstance(entry, (types.FunctionType, ClosureFunction, _core.CompiledFunction)):
            return entry if owner is None else types.MethodType(entry, owner)
        if isinstance(entry, classmethod):
            return self._bound_class_method(entry.__func__, cls, name)
        if isinstance(entry, staticmethod):
            return entry.__func__
        if type(entry) is property:
            return entry if owner is None else self._property(entry, owner, name)
        if type(entry) is functools.cached_property:
            return entry if owner is None else self._cached_property(entry, owner)
        if type(entry) is functools.partialmethod:
            inner = self.bound_entry(entry.func, owner, cls, name)
            return functools.partial(inner, *entry.args, **entry.keywords)
        if type(entry) is functools.singledispatchmethod:
            return self._single_dispatch(entry, owner, cls, name)
        getter = self.own_accessor(entry, "__get__")
        if getter is not None:
            return self.interpreter.calls.call(getter, (owner, cls), {})
        if not hasattr(type(entry), "__get__"):
            return entry
        if isinstance(entry, types.GetSetDescriptorType) and owner is not None and name == "__dict__":
            return self.interpreter.attributes.read_plainly(owner, name)
        if not isinstance(entry, _C_DESCRIPTORS) and module_of(type(entry)) not in _READING_MODULES:
            raise self.interpreter.rejection(
                FUNCTION,
                f"{name}: what a {type(entry).__name__} does when it is read is not captured",
                "Use a property or a method.",
            )
        if owner is not None:
            self.interpreter.native_calls.require_seen(owner)
        return self.interpreter.host.guarded(_bind, entry, owner, cls)

    def bound_super_entry(self, entry, instance, start, is_class):
        """Reads an entry that `super` found."""
        if isinstance(
            entry, (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)
        ):
            return entry if isinstance(entry, types.BuiltinFunctionType) else entry.__get__(instance)
        owner = None if is_class else instance
        if is_class and isinstance(entry, types.FunctionType) and entry.__name__ != "__new__":
            return types.MethodType(entry, instance) if not isinstance(instance, type) else entry
        return self.bound_entry(entry, owner, start, getattr(entry, "__name__", ""))

    def _bound_class_method(self, function, cls, name):
        if isinstance(function, (types.FunctionType, ClosureFunction)):
            return types.MethodType(function, cls)
        return self.bound_entry(function, cls, type(cls), name)

    def _property(self, entry, owner, name):
        if entry.fget is None:
            return self.interpreter.throwing.throw(
                AttributeError(f"property {name!r} of {type(owner).__name__!r} object has no getter")
            )
        return self.interpreter.calls.call(entry.fget, (owner,), {})

    def _cached_property(self, entry, owner):
        """Computed where it is first read, then an attribute of the object."""
        value = self.interpreter.calls.call(entry.func, (owner,), {})
        self.interpreter.attribute_writes.write_entry(owner, entry.attrname, value)
        return value

    def _single_dispatch(self, entry, owner, cls, name):
        def call(*args, **kwargs):
            kind = args[0].kind if isinstance(args[0], _core.GraphNumber) else type(args[0])
            found = self.dispatched(entry.dispatcher, kind)
            return self.interpreter.calls.call(self.bound_entry(found, owner, cls, name), args, kwargs)

        return Interpreted(self.interpreter, _Dispatching(call))

    def dispatched(self, dispatcher, kind):
        """The function that single dispatch chooses for a class; which one is guarded."""
        found = self.interpreter.host.native(dispatcher.dispatch, kind)
        node = self.external.node_of(dispatcher)
        self.external.tree.check_call(node, functools.partial(_dispatch, kind), found)
        return found

    def own_accessor(self, entry, name):
        """`__get__`, `__set__` or `__delete__` of a descriptor of a user's class; None for other entries."""
        if entry is ABSENT or not is_user_class(type(entry)):
            return None
        return self.interpreter.attributes.user_method(entry, name)

    # ---- classes

    def read_class_attribute(self, cls, name):
        """`cls.name`."""
        if is_framework_module(module_of(cls)):
            if not hasattr(cls, name):
                self.external.attributes.note_no_class_entry(cls, name, always=True)
            return self.interpreter.host.native(getattr, cls, name)
        if name in _NAMES and is_user_class(cls):
            return self.external.adopt(
                getattr(cls, name), self.external.tree.attribute(self.external.node_of(cls), name)
            )
        meta = type(cls)
        above = self._meta_entry(meta, name)
        if is_data_descriptor(above):
            return self._of_meta(above, cls, name)
        entry, is_new = self.interpreter.attributes.entry_of(cls, name)
        if entry is not ABSENT:
            seen = entry if is_new else self.external.attributes.read_class(cls, name, entry)
            if not hasattr(type(entry), "__get__") or isinstance(entry, type):
                return seen
            return self.bound_entry(entry, None, cls, name)
        self.external.attributes.note_no_class_entry(cls, name)
        if above is not ABSENT:
            return self._of_meta(above, cls, name)
        fallback = self.interpreter.attributes.user_method(cls, "__getattr__")
        if fallback is not None:
            return self.interpreter.calls.call(fallback, (name,), {})
        return self.interpreter.throwing.throw(
            AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        )

    def _meta_entry(self, meta, name):
        entry, is_new = self.interpreter.attributes.entry_of(meta, name)
        if meta is not type and not is_new and is_user_class(meta):
            if entry is ABSENT:
                self.external.attributes.note_no_class_entry(meta, name)
            else:
                self.external.attributes.read_class(meta, name, entry)
        return entry

    def _of_meta(self, entry, cls, name):
        if class_entry(type, name) is entry or not is_user_class(type(cls)):
            return self.interpreter.host.native(getattr, cls, name)
        return self.bound_entry(entry, cls, type(cls), name)

    def write_class_attribute(self, cls, name, value):
        """Writes to a class from outside; `value` UNBOUND deletes."""
        if name.startswith("__") and name.endswith("__"):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{cls.__name__}.{name} is written inside a static graph: it decides how objects behave that Python "
                "itself works on",
                "Write it outside of the compiled function.",
            )
        above, _ = self.interpreter.attributes.entry_of(type(cls), name)
        if is_data_descriptor(above) and is_user_class(type(cls)):
            return self.interpreter.attribute_writes.write_through(above, cls, name, value)
        self.external.written_classes.add(cls)

        def old():
            if name not in cls.__dict__:
                self.external.attributes.read_base(cls, name, UNBOUND)
                raise KeyError(name)
            return self.external.attributes.read_base(cls, name, cls.__dict__[name])

        self.external.attributes.write(cls, name, value, old)
        return None


class _Dispatching:
    """A call that finds its function by the class of its first argument."""

    __module__ = "dyad._src.capture"

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _dispatch(kind, dispatcher):
    return dispatcher.dispatch(kind)


def _bind(entry, owner, cls):
    return entry.__get__(owner, cls)
