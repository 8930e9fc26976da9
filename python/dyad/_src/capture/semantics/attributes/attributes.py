"""Attributes of captured values: what Python finds under a name, and reading it with guards."""

import functools
import types
from typing import Any

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION, DATA_TYPE, FUNCTION, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON, CaptureError
from dyad._src.capture.semantics.attributes.attribute_view import AttributeView
from dyad._src.capture.semantics.attributes.object_state import (
    has_unseen_state,
    layout_of,
    missing_text,
    unfilled_text,
)
from dyad._src.capture.semantics.calls.frameworks import (
    is_captured_class,
    is_captured_part,
    is_framework_module,
    is_library_class,
    is_trusted_module,
    module_of,
)
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction, Interpreted
from dyad._src.capture.semantics.control.exceptions import EXCEPTION_NAMES
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    MISSING,
    UNBOUND,
    Deferred,
    OneOf,
    is_symbolic_tensor,
    is_unread,
)
from dyad._src.tensor.parameter import Parameter


class Super:
    """Attributes of the classes behind `cls` in the order of the instance's class."""

    def __init__(self, cls, instance):
        super(cls, instance)  # says why that cannot be
        self._cls = cls
        self._instance = instance

    def read(self, interpreter, name):
        instance = self._instance
        is_class = isinstance(instance, type) and issubclass(instance, self._cls)
        start = instance if is_class else type(instance)
        order = start.__mro__[start.__mro__.index(self._cls) + 1 :]
        for base in order:
            written = interpreter.external.overlays.entry(base, name)
            if written is not None and written[0] is not UNBOUND:
                return interpreter.class_attributes.bound_entry(
                    written[0], None if is_class else instance, start, name
                )
            if written is None and name in base.__dict__:
                entry = base.__dict__[name]
                interpreter.external.attributes.read_base(base, name, entry)
                return interpreter.class_attributes.bound_super_entry(entry, instance, start, is_class)
            interpreter.external.attributes.read_base(base, name, UNBOUND)
        return interpreter.throwing.throw(AttributeError(f"'super' object has no attribute {name!r}"))


PLAIN_TYPES = frozenset(
    (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set, frozenset, range, slice, type)
)
_HOST_ONLY = frozenset(("asnumpy", "numpy", "data_ptr", "__array__", "__dlpack__", "to_bytes"))
_LEFT_BY_BACKWARD = frozenset(("grad", "grad_fn"))
_TOLD_BY_RECORDER = {"requires_grad": _core.is_recorded, "is_leaf": _core.is_leaf}
_CONVERSIONS = {"__index__": "int", "__int__": "int", "__float__": "float", "__bool__": "bool"}
_HOLDING_FIELDS = frozenset(("__closure__", "__defaults__", "__globals__", "__kwdefaults__"))
_FUNCTIONS = (ClosureFunction, Bound, Interpreted, types.FunctionType, types.MethodType)
# Fields of functions and classes that stay as they are made, or that are guarded where they matter.
_FIXED_FIELDS = frozenset(
    ("__class__", "__code__", "__closure__", "__globals__", "__mro__", "__bases__", "__base__", "__self__")
    + ("__func__", "__wrapped__", "__module__", "__doc__", "__annotations__")
)
_C_METHODS = (types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType)
ABSENT = object()


def class_entry(cls, name):
    """Returns the entry of a name in the class or its bases, as it is written there."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return ABSENT


def is_user_class(cls):
    """Returns whether the methods of the class are captured: classes of programs, and the layers of the framework."""
    if cls in PLAIN_TYPES or cls is Tensor:
        return False
    module = module_of(cls)
    if is_framework_module(module):
        return is_captured_part(module)
    if not cls.__flags__ & (1 << 9):  # not made by Python code
        return False
    return not is_library_class(cls) or is_captured_class(module, cls.__qualname__)


def is_builtin_method(cls, name, entry):
    """Returns whether an entry is the method of a class written in C under that name, not one from a class body.

    `__len__` of a subclass of dict is; in `__getattr__ = dict.get` it is not.
    """
    if not isinstance(entry, _C_METHODS):
        return False
    if entry is class_entry(layout_of(cls), name):
        return True
    found_in = next(base for base in cls.__mro__ if name in base.__dict__)
    return getattr(entry, "__objclass__", getattr(entry, "__self__", None)) is found_in


def is_data_descriptor(entry):
    return entry is not ABSENT and (hasattr(type(entry), "__set__") or hasattr(type(entry), "__delete__"))


class NumberConversion:
    """`number.__index__` and its like of a number that is known when the graph runs."""

    def __init__(self, name, number):
        self._name = name
        self._number = number

    def __call__(self):
        return _core.number_op(self._name, self._number)


class Attributes(Part):
    """Reads attributes as Python's protocols say: `__getattribute__`, descriptors, `__dict__`, `__getattr__`.

    What is read of objects from outside is guarded.
    """

    class_entry_of = staticmethod(class_entry)

    def entry_of(self, cls, name):
        """Returns the present entry of a name in the class and its bases, and whether the program itself wrote it."""
        if self.external.written_classes:
            for base in cls.__mro__:
                written = self.external.overlays.entry(base, name)
                if written is not None and written[0] is not UNBOUND:
                    return self._surely_there(written[0], cls, name), True
                if written is None and name in base.__dict__:
                    return base.__dict__[name], False
            return ABSENT, False
        return class_entry(cls, name), False

    def user_method(self, owner, name):
        """The method of a user's class by that name, bound; None if it has that of Python's own class, or none."""
        cls = type(owner)
        if cls in PLAIN_TYPES or not is_user_class(cls):
            return None
        entry, is_new = self.entry_of(cls, name)
        if entry is ABSENT or entry is None or (not is_new and is_builtin_method(cls, name, entry)):
            self.note_undefined(cls, name)
            return None  # of `__hash__ = None` and its like Python says that it is not possible
        if not is_new and not is_framework_module(module_of(cls)):
            self.external.attributes.read_class(cls, name, entry)
        if isinstance(entry, (types.FunctionType, ClosureFunction)):
            return types.MethodType(entry, owner)
        return self.interpreter.class_attributes.bound_entry(entry, owner, cls, name)

    def overriding_method(self, owner, name):
        """The method that a class has in place of Python's own, bound; None if it has none or that of the framework."""
        entry, _ = self.entry_of(type(owner), name)
        if is_framework_module(module_of(entry)):
            return None
        method = self.user_method(owner, name)
        if method is None and isinstance(entry, types.FunctionType):
            raise self.interpreter.rejection(
                UNKNOWN, f"{type(owner).__name__}: its {name} is that of a library", NEEDS_PYTHON
            )
        return method

    def note_undefined(self, cls, name):
        """Guards that a class of the program goes on having the method of Python's own class, or none."""
        if cls in PLAIN_TYPES or not is_user_class(cls) or is_framework_module(module_of(cls)):
            return
        entry = class_entry(cls, name)
        if entry is ABSENT:
            self.external.attributes.note_no_class_entry(cls, name)
        else:
            self.external.attributes.note_entry(cls, name, entry)

    def class_method(self, owner, name):
        """A special method, looked up on the class as Python does."""
        method = self.user_method(owner, name)
        if method is not None:
            return method
        entry: Any = getattr(type(owner), name, None)
        if entry is None:
            self.interpreter.host.native(_enter, owner)  # says why that cannot be
        return types.MethodType(entry, owner)

    # ---- reading

    def read_attribute(self, owner, name):
        """`owner.name`; AttributeError of the program where there is none."""
        if is_unread(owner):
            method = self.external.lazy_containers.method(owner, name)
            if method is not MISSING:
                return method
            owner = self.external.look(owner)
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(owner, lambda chosen: self.read_attribute(chosen, name))
        if isinstance(owner, Deferred):
            return self.interpreter.texts.deferred_method(owner, name)
        if isinstance(owner, Tensor):
            return self._read_tensor(owner, name)
        if isinstance(owner, GraphNumber):
            return self._read_number(owner, name)
        if type(owner) in PLAIN_TYPES and type(owner) is not type:
            return self.interpreter.host.native(getattr, owner, name)
        if isinstance(owner, (Super, AttributeView)):
            return owner.read(self.interpreter, name)
        if isinstance(owner, ModelIterator):
            return self._read_iterator(owner, name)
        if isinstance(owner, BaseException) and name in EXCEPTION_NAMES:
            return self.interpreter.exceptions.read_exception(owner, name)
        if isinstance(owner, types.ModuleType):
            return self.read_module(owner, name)
        if isinstance(owner, type):
            return self.interpreter.class_attributes.read_class_attribute(owner, name)
        if isinstance(owner, _FUNCTIONS):
            return self._read_function(owner, name)
        if type(owner) is functools.partial and name in ("func", "args", "keywords"):
            return self.external.carried_by(owner)[("func", "args", "keywords").index(name)]
        return self._read_object(owner, name)

    def _read_tensor(self, owner, name):
        if (name in _HOST_ONLY or (name == "tolist" and self.strict)) and is_symbolic_tensor(owner):
            raise self.needs_data(name)
        if name in _LEFT_BY_BACKWARD:
            raise self.interpreter.rejection(
                UNKNOWN, f"{name}: a backward pass leaves it at the Tensor", NEEDS_PYTHON
            )
        if name == "__dict__":
            raise self.interpreter.rejection(
                UNKNOWN, "__dict__: a captured Tensor has more entries in it than the Tensor", NEEDS_PYTHON
            )
        known = self.external.seen.get(id(owner))
        if known is not None and known.seen is owner and name in owner.__dict__:
            return self.external.attributes.read_instance(owner, name)
        if name in _TOLD_BY_RECORDER and not isinstance(owner, Parameter) and is_symbolic_tensor(owner):
            return self._read_recording(owner, name, known)
        written = self.external.overlays.entry(owner, name)
        if written is not None:
            return written[0]
        entry = self._tensor_entry(owner, name)
        if isinstance(entry, property) and not is_framework_module(module_of(entry.fget)):
            return self.interpreter.calls.call(entry.fget, (owner,), {})
        return self.interpreter.host.native(getattr, owner, name)

    def _tensor_entry(self, tensor, name):
        """Reads and guards the class entry of a Tensor; guards that the Tensor itself goes on having none."""
        cls = type(tensor)
        entry = class_entry(cls, name)
        self._note_added(cls, name, entry)
        known = self.external.seen.get(id(tensor))
        is_default = entry is ABSENT or not hasattr(type(entry), "__get__")
        if is_default and known is not None and known.seen is tensor:
            self.external.attributes.note_missing(tensor, name)
        return entry

    def tensor_has(self, tensor, name):
        """`hasattr(tensor, name)`; what the framework's own properties hold is not computed."""
        added = self.external.overlays.entry(tensor, name) is not None or name in tensor.__dict__
        if not added:
            entry = self._tensor_entry(tensor, name)
            added = isinstance(entry, property) and not is_framework_module(module_of(entry.fget))
        if not added:
            return hasattr(tensor, name)
        found = self.interpreter.host.catching(AttributeError, lambda: self.read_attribute(tensor, name))
        return found is not MISSING

    def guard_name(self, parameter):
        """Guards the name of a Parameter from outside."""
        known = self.external.seen.get(id(parameter))
        if known is None or known.seen is not parameter:
            return
        if self.external.attributes.read_instance(parameter, "_name") is None:
            self.external.attributes.read_instance(parameter, "_number")

    def _note_added(self, cls, name, entry):
        """Guards what a class of the framework has under a name: a program may add to it, or replace it."""
        if entry is ABSENT:
            self.external.attributes.note_no_class_entry(cls, name, always=True)
        else:
            self.external.attributes.note_entry(cls, name, entry, always=True)

    def _read_recording(self, owner, name, known):
        """Returns whether a Tensor is recorded, which whoever calls the graph decides too.

        Recorded inside of the graph is recorded. Of what comes from outside it is asked in every call; of what the
        graph computes it is known only where the graph is called.
        """
        if _core.is_recorded(owner):
            return self.interpreter.host.native(getattr, owner, name)
        if known is not None and known.seen is owner:
            told = _TOLD_BY_RECORDER[name]
            value = self.graph.asked_outside(told, known.original)
            self.external.tree.check_call(known.node, told, value)
            return value
        raise self.interpreter.rejection(
            UNKNOWN, f"{name}: whether it is recorded is decided by who calls the graph", NEEDS_PYTHON
        )

    def needs_data(self, name):
        """The rejection of a method that gives the data of a Tensor."""
        return self.interpreter.rejection(
            FUNCTION,
            f"{name}: the data of a Tensor is needed in Python, but is known only when the graph runs",
            NEEDS_PYTHON,
            error=CaptureError if self.interpreter.lax else AttributeError,
        )

    def _read_number(self, owner, name):
        if name in ("real", "numerator"):
            return owner
        if name in _CONVERSIONS and hasattr(owner.kind, name):
            return NumberConversion(_CONVERSIONS[name], owner)
        if hasattr(owner.kind, name):
            raise self.interpreter.rejection(
                FUNCTION,
                f"{name}: it needs the value of a number that is known only when the graph runs",
                NEEDS_PYTHON,
            )
        return self.interpreter.host.native(getattr, owner.kind(0), name)

    def read_module(self, module, name):
        """`module.name`; a class of the program that the module has takes part as that of any object."""
        cls = type(module)
        if not _is_trusted(module):
            self.external.attributes.note_type(module)  # `module.__class__ = ...` leaves the module the same
            if name == "__dict__":
                raise self.interpreter.rejection(
                    UNKNOWN,
                    "__dict__: the names of a module are not a value of a static graph",
                    "Read the names that are needed.",
                )
        entry = class_entry(cls, name)
        if is_user_class(cls) and (entry is ABSENT or entry is not class_entry(types.ModuleType, name)):
            self._require_plain_reading(module)
            return self._or_fallback(lambda: self.read_plainly(module, name), module, name)
        if hasattr(cls, name) and not self._is_in(module, name):
            return self.interpreter.host.native(getattr, module, name)
        value = self._held_by_module(module, name)
        return self._missing_in_module(module, name) if value is ABSENT else value

    def _held_by_module(self, module, name):
        """The value that a module itself holds under a name, ABSENT if none."""
        if not self._is_in(module, name):
            self.external.attributes.note_missing(module, name)
            return ABSENT
        try:
            return self.external.names.read_attribute(module, name)
        except KeyError:
            return ABSENT

    def _is_in(self, module, name):
        """Returns whether a module holds something under a name, or did so before the program deleted it."""
        namespace = module.__dict__
        return name in namespace or self.external.overlays.entry(namespace, name) is not None

    def _missing_in_module(self, module, name):
        """The result of the `__getattr__` that a module holds; AttributeError without one."""
        is_held = "__getattr__" in module.__dict__
        if not is_held or not _is_trusted(module):
            finder = self._held_by_module(module, "__getattr__")
            if finder is not ABSENT:
                return self.interpreter.calls.call(finder, (name,), {})
        if name in module.__dict__ or (is_held and not _is_trusted(module)):  # the program deleted it
            text = f"module {module.__dict__.get('__name__')!r} has no attribute {name!r}"
            return self.interpreter.throwing.throw(AttributeError(text, name=name, obj=module))
        read = types.ModuleType.__getattribute__ if is_user_class(type(module)) else getattr
        return self.interpreter.host.native(read, module, name)

    def _read_iterator(self, owner, name):
        if name in ("__next__", "__iter__"):
            return functools.partial(next if name == "__next__" else iter, owner)
        if not hasattr(owner.kind, name):
            self.interpreter.throwing.throw(
                AttributeError(f"{owner.kind.__name__!r} object has no attribute {name!r}")
            )
        raise self.interpreter.rejection(
            UNKNOWN,
            f"{owner.kind.__name__}.{name}: it is not known what this does to an iterator of a static graph",
            "Use for, next or list.",
        )

    def _read_function(self, owner, name):
        if isinstance(owner, (types.MethodType, Bound)):
            if name in ("__self__", "__func__"):
                return getattr(owner, name)
            return self.read_attribute(owner.__func__, name)
        if isinstance(owner, Interpreted):
            return self.read_attribute(owner.__wrapped__, name)
        if isinstance(owner, ClosureFunction):
            return self._read_closure(owner, name)
        if name in _HOLDING_FIELDS and self.interpreter.lax:
            raise self.interpreter.rejection(
                DATA_TYPE, f"function: {name} holds objects that the graph does not look at", NEEDS_PYTHON
            )
        if is_framework_module(module_of(owner)) or name in _FIXED_FIELDS - {"__wrapped__"}:
            return self.interpreter.host.native(getattr, owner, name)
        if name in ("__name__", "__qualname__"):
            value = getattr(owner, name)
            return self.external.adopt(
                value, self.external.tree.attribute(self.external.node_of(owner), name)
            )
        if name == "__dict__":
            return AttributeView(owner)
        try:
            return self.external.attributes.read_instance(owner, name)
        except KeyError:
            return self.interpreter.host.native(
                getattr, owner, name
            )  # a method of functions, or there is none

    def _read_closure(self, owner, name):
        """An attribute of a function that the program made itself."""
        if name in owner.attributes:
            return owner.attributes[name]
        if name in ("__name__", "__qualname__", "__module__", "__doc__", "__call__", "__get__"):
            return getattr(owner, name)
        if name in vars(types.FunctionType) or hasattr(object, name):
            raise self.interpreter.rejection(
                DATA_TYPE, f"function: {name} of a function that is made inside the graph", NEEDS_PYTHON
            )
        return self.interpreter.throwing.throw(AttributeError(f"'function' object has no attribute {name!r}"))

    def _read_object(self, owner, name):
        cls = type(owner)
        if name == "__class__":
            return cls
        if self.interpreter.environment.holds(owner) and isinstance(
            class_entry(cls, name), types.FunctionType
        ):
            return types.MethodType(class_entry(cls, name), owner)
        if not is_user_class(cls) and (has_unseen_state(cls) or not hasattr(owner, "__dict__")):
            value = self.interpreter.host.native(getattr, owner, name)
            if type(value) is types.MappingProxyType and not has_unseen_state(cls):
                self.external.note_own(
                    value
                )  # a view of what does not change, such as the parameters of a signature
            return value
        if name == "__dict__" and hasattr(owner, "__dict__") and not self.external.is_own(owner):
            return AttributeView(owner)
        self._require_plain_reading(owner)
        return self._or_fallback(lambda: self.read_plainly(owner, name), owner, name)

    def _require_plain_reading(self, owner):
        if self.user_method(owner, "__getattribute__") is not None:
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{type(owner).__name__}: its __getattribute__ runs whenever Python looks at the object, while "
                "compiling too",
                "Use __getattr__, which is called for attributes that are not there.",
            )

    def _or_fallback(self, read, owner, name):
        """Returns `read()`; where that raises AttributeError, the result of `__getattr__` of the class."""
        fallback = self._fallback_of(type(owner))
        if fallback is ABSENT:
            self.note_undefined(type(owner), "__getattr__")
        if fallback is ABSENT or is_framework_module(module_of(fallback)):
            return read()
        value = self.interpreter.host.catching(AttributeError, read)
        if value is not MISSING:
            return value
        method = self.overriding_method(owner, "__getattr__")
        if method is None:
            return self.interpreter.host.native(getattr, owner, name)  # says what `__getattr__ = None` does
        return self.interpreter.calls.call(method, (name,), {})

    def _fallback_of(self, cls):
        return self.entry_of(cls, "__getattr__")[0]

    def read_plainly(self, owner, name):
        """Returns the result of `object.__getattribute__`."""
        cls = type(owner)
        if name == "__dict__" and hasattr(owner, "__dict__"):
            return owner.__dict__ if self.external.is_own(owner) else AttributeView(owner)
        entry, is_new = self.entry_of(cls, name)
        if not is_new and not is_framework_module(module_of(cls)):
            if entry is ABSENT:
                self.external.attributes.note_no_class_entry(cls, name)
            else:
                seen = self.external.attributes.read_class(cls, name, entry)
                entry = entry if isinstance(entry, type) or hasattr(type(entry), "__get__") else seen
        if isinstance(entry, types.MemberDescriptorType) and is_user_class(entry.__objclass__):
            return self._read_slot(owner, name, entry)
        if is_data_descriptor(entry):
            return self.interpreter.class_attributes.bound_entry(entry, owner, cls, name)
        value = self.read_own(owner, name)
        if value is not ABSENT:
            return value
        if entry is ABSENT:
            return self._say_missing(owner, name)
        return self.interpreter.class_attributes.bound_entry(entry, owner, cls, name)

    def _say_missing(self, owner, name):
        if isinstance(owner, types.ModuleType):
            return self._missing_in_module(owner, name)
        cls = type(owner)
        self.external.attributes.note_no_class_entry(cls, name, always=True)
        is_framework = is_framework_module(module_of(cls)) or self.interpreter.cells.is_cell(owner)
        if is_framework and self.external.overlays.entry(owner, name) is None:
            fallback = self._fallback_of(cls)
            if fallback is ABSENT or is_framework_module(module_of(fallback)):
                self.note_undefined(cls, "__getattr__")
                return self.interpreter.host.native(getattr, owner, name)  # a message of the framework's own
        error = AttributeError(missing_text(owner, name), name=name, obj=owner)
        return self.interpreter.throwing.throw(error)

    def read_own(self, owner, name):
        """Returns the object's own attribute of a name; ABSENT if there is none."""
        if isinstance(owner, types.ModuleType):
            return self._held_by_module(owner, name)
        if self.external.is_own(owner):
            value = getattr(owner, "__dict__", {}).get(name, ABSENT)
        else:
            try:
                value = self.external.attributes.read_instance(owner, name)
            except KeyError:
                return ABSENT
        return self._surely_there(value, owner, name)

    def _surely_there(self, value, owner, name):
        """The value of an attribute, which must be there on all paths that lead here or on none."""
        if type(value) is OneOf and any(v is UNBOUND for v in value.alternatives.values()):
            kind = owner if isinstance(owner, type) else type(owner)
            raise self.interpreter.rejection(
                CONDITION,
                f"{name}: whether this {kind.__name__} has the attribute is known only when the graph runs",
                "Give it a value before the condition.",
            )
        return value

    def _read_slot(self, owner, name, member):
        if self.external.is_own(owner):
            value = self.external.slots_of(owner).get(name, UNBOUND)
        else:
            try:
                value = self.external.attributes.read_slot(owner, name, member)
            except KeyError:
                value = UNBOUND
        if value is UNBOUND:
            self.interpreter.throwing.throw(AttributeError(unfilled_text(owner, name)))
        return self._surely_there(value, owner, name)


def _is_trusted(module):
    return is_trusted_module(module.__dict__.get("__name__", ""))


def _enter(manager):
    with manager:
        pass
