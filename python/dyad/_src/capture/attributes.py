"""Attributes of captured values: read with guards, written into overlays."""

import functools
import operator
import types

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.errors import NEEDS_PYTHON, CaptureError, rejection
from dyad._src.capture.frameworks import is_captured_part, is_framework_module, is_library_class, module_of
from dyad._src.capture.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.super_object import Super
from dyad._src.capture.values import UNBOUND, Deferred, OneOf, is_symbolic_tensor
from dyad._src.parameter import Parameter

_PLAIN_TYPES = frozenset(
    (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, frozenset, range, slice, type)
)
_HOST_ONLY = frozenset(("asnumpy", "numpy", "tolist", "data_ptr", "__array__", "__dlpack__", "to_bytes"))
_CONVERSIONS = {"__index__": "int", "__int__": "int", "__float__": "float", "__bool__": "bool"}
_MISSING = object()


def class_entry(cls, name):
    """What stands under a name in the class or its bases, as it is written there."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return _MISSING


def is_user_class(cls):
    """Whether the methods of the class are captured: classes of programs, and the layers of the framework."""
    if cls in _PLAIN_TYPES or cls is Tensor:
        return False
    module = module_of(cls)
    if is_framework_module(module):
        return is_captured_part(module)
    return bool(cls.__flags__ & (1 << 9)) and not is_library_class(cls)  # a class made by Python code


class NumberConversion:
    """`number.__index__` and its like of a number that is known when the graph runs."""

    def __init__(self, name, number):
        self._name = name
        self._number = number

    def __call__(self):
        return _core.number_op(self._name, self._number)


class Attributes:
    def user_method(self, owner, name):
        """The method of a user's class by that name, bound; None if the class has none in Python."""
        cls = type(owner)
        if cls in _PLAIN_TYPES or not is_user_class(cls):
            return None
        entry = class_entry(cls, name)
        if not isinstance(entry, (types.FunctionType, ClosureFunction)):
            return None
        entry = self.world.read_class(owner, name, entry)
        return types.MethodType(entry, owner)

    def class_method(self, owner, name):
        """A special method, looked up on the class as Python does."""
        method = self.user_method(owner, name)
        if method is not None:
            return method
        entry = getattr(type(owner), name, None)
        if entry is None:
            self.native(_enter, owner)  # says why that cannot be
        return types.MethodType(entry, owner)

    # ---- reading

    def read_attribute(self, owner, name):
        if isinstance(owner, OneOf):
            return self.split(owner, lambda chosen: self.read_attribute(chosen, name))
        if isinstance(owner, Deferred):
            return self.deferred_method(owner, name)
        if isinstance(owner, Tensor):
            return self._read_tensor(owner, name)
        if isinstance(owner, GraphNumber):
            return self._read_number(owner, name)
        if type(owner) in _PLAIN_TYPES and type(owner) is not type:
            return self.native(getattr, owner, name)
        if isinstance(owner, Super):
            return owner.read(name)
        if isinstance(owner, types.ModuleType):
            return self._read_module(owner, name)
        if isinstance(owner, type):
            return self._read_class(owner, name)
        if isinstance(owner, (ClosureFunction, Bound, Interpreted, types.FunctionType, types.MethodType)):
            return self.native(getattr, owner, name)
        return self._read_object(owner, name)

    def _read_tensor(self, owner, name):
        if name in _HOST_ONLY and is_symbolic_tensor(owner):
            raise rejection(
                self.place,
                f"{name}: the data of a Tensor is needed in Python, but is known only when the graph runs",
                NEEDS_PYTHON,
                kind=AttributeError if self.strict else CaptureError,
            )
        known = self.world.seen.get(id(owner))
        if known is not None and known.seen is owner and name in owner.__dict__:
            return self.world.read_instance(owner, name)
        overlay = self.world.overlays.get(id(owner))
        if overlay is not None and name in overlay.entries:
            return overlay.entries[name]
        entry = class_entry(type(owner), name)
        if isinstance(entry, property) and not is_framework_module(module_of(entry.fget)):
            return self.call(entry.fget, (owner,), {})
        return self.native(getattr, owner, name)

    def _read_number(self, owner, name):
        if name in ("real", "numerator"):
            return owner
        if name in _CONVERSIONS and hasattr(owner.kind, name):
            return NumberConversion(_CONVERSIONS[name], owner)
        if hasattr(owner.kind, name):
            raise rejection(
                self.place,
                f"{name}: it needs the value of a number that is known only when the graph runs",
                NEEDS_PYTHON,
            )
        return self.native(getattr, owner.kind(0), name)

    def _read_module(self, module, name):
        namespace = module.__dict__
        if name not in namespace:
            return self.native(getattr, module, name)
        return self.world.read_global(namespace, name)

    def _read_class(self, cls, name):
        overlay = self.world.overlays.get(id(cls))
        if overlay is not None and name in overlay.entries:
            return overlay.entries[name]
        entry = class_entry(cls, name)
        if entry is _MISSING or is_framework_module(module_of(cls)):
            return self.native(getattr, cls, name)
        if isinstance(entry, staticmethod):
            return self.world.read_class(cls, name, entry) and entry.__func__
        if isinstance(entry, classmethod):
            return types.MethodType(entry.__func__, cls)
        if hasattr(type(entry), "__get__") and not isinstance(entry, types.FunctionType):
            return self.native(getattr, cls, name)
        return self.world.read_class(cls, name, entry)

    def _read_object(self, owner, name):
        cls = type(owner)
        if not is_user_class(cls) and not self._has_own_dict(owner):
            return self.native(getattr, owner, name)
        own = self.world.is_own(owner)
        entry = class_entry(cls, name)
        getter = class_entry(cls, "__getattribute__")
        if isinstance(getter, types.FunctionType):
            return self.call(types.MethodType(getter, owner), (name,), {})
        if isinstance(entry, property):
            if entry.fget is None:
                return self.native(getattr, owner, name)
            entry = self.world.read_class(owner, name, entry)
            return self.call(entry.fget, (owner,), {})
        is_data = entry is not _MISSING and hasattr(type(entry), "__set__")
        getter = self._own_accessor(entry, "__get__")
        if getter is not None and (is_data or self._read_own(owner, name, own) is _MISSING):
            self.world.read_class(owner, name, entry)
            return self.call(getter, (owner, cls), {})
        if is_data:
            if isinstance(entry, types.MemberDescriptorType) and not own:
                return self._read_slot(owner, name)
            return self.native(getattr, owner, name)
        value = self._read_own(owner, name, own)
        if value is not _MISSING:
            return value
        if entry is _MISSING:
            return self._read_missing(owner, name, cls)
        if not is_framework_module(module_of(cls)):
            self.world.read_class(owner, name, entry)
        if isinstance(entry, (types.FunctionType, ClosureFunction)):
            return types.MethodType(entry, owner)
        if isinstance(entry, classmethod):
            return types.MethodType(entry.__func__, cls)
        if isinstance(entry, staticmethod):
            return entry.__func__
        if isinstance(entry, _core.CompiledFunction):
            return types.MethodType(entry, owner)
        if hasattr(type(entry), "__get__"):
            return self.native(getattr, owner, name)
        return self.world.read_class(owner, name, entry)

    def _own_accessor(self, entry, name):
        """`__get__` or `__set__` of a descriptor that the program itself defines; None for other entries."""
        if entry is _MISSING or not is_user_class(type(entry)):
            return None
        method = class_entry(type(entry), name)
        return types.MethodType(method, entry) if isinstance(method, types.FunctionType) else None

    def _has_own_dict(self, owner):
        return hasattr(owner, "__dict__")

    def _read_own(self, owner, name, own):
        if own:
            held = getattr(owner, "__dict__", {})
            return held.get(name, _MISSING)
        try:
            return self.world.read_instance(owner, name)
        except KeyError:
            return _MISSING

    def _read_slot(self, owner, name):
        overlay = self.world.overlays.get(id(owner))
        if overlay is not None and name in overlay.entries:
            return overlay.entries[name]
        value = self.native(getattr, owner, name)
        if isinstance(value, Tensor):
            raise rejection(
                self.place,
                f"{name}: a Tensor in __slots__ is not captured",
                "Keep it in an ordinary attribute.",
            )
        self.world.tree.check_call(self.world.node_of(owner), _slot_reader(name), value)
        return value

    def _read_missing(self, owner, name, cls):
        fallback = class_entry(cls, "__getattr__")
        if isinstance(fallback, types.FunctionType) and not is_framework_module(module_of(fallback)):
            return self.call(types.MethodType(fallback, owner), (name,), {})
        overlay = self.world.overlays.get(id(owner))
        if overlay is not None and name in overlay.entries:
            self.throw(AttributeError(f"{cls.__name__!r} object has no attribute {name!r}"))
        return self.native(getattr, owner, name)

    # ---- writing

    def write_attribute(self, owner, name, value):
        if isinstance(owner, OneOf):
            return self.split(owner, lambda chosen: self.write_attribute(chosen, name, value))
        if isinstance(owner, (Tensor, GraphNumber)):
            raise rejection(
                self.place,
                f"attribute {name!r} of a {type(owner).__name__} is written inside a static graph",
                "Set it outside of the compiled function.",
                kind=ValueError,
            )
        cls = type(owner)
        entry = class_entry(cls, name)
        setter = class_entry(cls, "__setattr__")
        if isinstance(entry, property):
            if entry.fset is None:
                return self.native(setattr, owner, name, value)
            return self.call(entry.fset, (owner, value), {})
        accessor = self._own_accessor(entry, "__set__")
        if accessor is not None:
            return self.call(accessor, (owner, value), {})
        if isinstance(setter, types.FunctionType) and not is_framework_module(module_of(setter)):
            return self.call(types.MethodType(setter, owner), (name, value), {})
        if self._is_parameter_of(owner, name) and isinstance(value, OneOf):
            return self.split(value, lambda chosen: self.write_attribute(owner, name, chosen))
        if self._is_parameter_of(owner, name) and not isinstance(value, Parameter):
            return self._write_parameter(owner, name, value)
        if self.world.is_own(owner):
            return self._write_own(owner, name, value)
        if self.strict:
            raise rejection(
                self.place,
                f"attribute {name!r} of a {cls.__name__} is written, which needs the Python object when the graph runs",
                "Only Parameters of the Cell can be written at STRICT; use jit(fullgraph=False) or a Parameter.",
                kind=TypeError if hasattr(self.world.original_of(owner), name) else AttributeError,
            )
        if isinstance(owner, types.ModuleType):
            return self.world.write_global(owner.__dict__, name, value)
        self.world.write_attribute(owner, name, value)
        return None

    def _is_parameter_of(self, owner, name):
        held = getattr(self.world.original_of(owner), "__dict__", {})
        return isinstance(held.get("_params"), dict) and name in held["_params"]

    def _write_parameter(self, owner, name, value):
        parameter = self.read_attribute(owner, name)
        if not isinstance(parameter, Tensor):
            self.world.write_attribute(owner, name, value)
            return
        if isinstance(value, (bool, int, float, GraphNumber)):
            self.native(setattr, self.world.original_of(owner), name, value)  # says why that cannot be
        if not isinstance(value, Tensor):
            self.throw(
                TypeError(
                    f"{type(owner).__name__}: {name!r} is a Parameter and cannot take a {type(value).__name__}; "
                    "need a Parameter, a Tensor or None"
                )
            )
        if value.shape != parameter.shape:
            self.throw(
                ValueError(
                    f"{type(owner).__name__}: {name!r} is a Parameter of shape {parameter.shape} and cannot take a "
                    f"Tensor of shape {value.shape} inside a static graph"
                )
            )
        self.world.note_written(parameter)
        self.native(_assign, parameter, value)

    def _write_own(self, owner, name, value):
        held = getattr(owner, "__dict__", None)
        if held is None or isinstance(value, Parameter) or "_cells" in held:
            self.native(setattr, owner, name, value)
            return
        self.heap.note_namespace(self.heap.note_outside(held))
        self.heap.touch(held)
        held[name] = value

    def delete_attribute(self, owner, name):
        self.read_attribute(owner, name)
        if self.world.is_own(owner):
            self.heap.touch(owner.__dict__)
            del owner.__dict__[name]
            return
        if self.strict:
            raise rejection(
                self.place,
                f"attribute {name!r} of a {type(owner).__name__} is deleted, which needs the Python object when the "
                "graph runs",
                "Use jit(fullgraph=False).",
                kind=TypeError,
            )
        self.world.write_attribute(owner, name, UNBOUND)


@functools.lru_cache(maxsize=256)
def _slot_reader(name):
    return operator.attrgetter(name)


def _enter(manager):
    with manager:
        pass


def _assign(parameter, value):
    from dyad import ops

    ops.assign(parameter, value.astype(parameter.dtype) if value.dtype is not parameter.dtype else value)
