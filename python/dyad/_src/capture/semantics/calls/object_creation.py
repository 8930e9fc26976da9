"""Objects that the captured program makes: `__call__` of the metaclass, `__new__`, `__init__`."""

import collections
import enum
import functools
import types

from dyad._src.base.break_reasons import DATA_TYPE, UNKNOWN
from dyad._src.capture.semantics.attributes.attributes import ABSENT, is_user_class
from dyad._src.capture.semantics.attributes.object_state import layout_of
from dyad._src.capture.semantics.calls.frameworks import (
    is_captured_part,
    is_framework_module,
    is_library_class,
    module_of,
)
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf, depends_on_run
from dyad._src.tensor.parameter import Parameter

_C_FUNCTIONS = (types.BuiltinFunctionType, types.WrapperDescriptorType)
_CONTAINER_LAYOUTS = (list, dict, set, collections.OrderedDict, collections.defaultdict)
_VALUE_LAYOUTS = (int, str, float, complex, bytes)


class ObjectCreation(Part):
    """Makes objects of classes: of the program, of exceptions, of Cells, of Python's own."""

    def make(self, cls, args, kwargs):
        """`cls(*args, **kwargs)`."""
        if issubclass(cls, Parameter):
            return self.interpreter.cells.make_parameter(cls, args, kwargs)
        if issubclass(cls, BaseException):
            return self.interpreter.exceptions.make_exception(cls, args, kwargs)
        if cls is functools.partial:
            if args and isinstance(args[0], OneOf):
                return self.interpreter.branches.split(
                    args[0], lambda chosen: self.make(cls, (chosen, *args[1:]), kwargs)
                )
            return self.interpreter.host.guarded(cls, *args, **kwargs)
        if self.interpreter.cells.is_cell_class(cls) and is_framework_module(module_of(cls)):
            return self.interpreter.cells.make_layer(cls, args, kwargs)
        if is_framework_module(module_of(cls)) and not is_captured_part(module_of(cls)):
            return self.interpreter.calls.call_framework(cls, args, kwargs)
        if cls is types.SimpleNamespace and not args:
            made = self.heap.note_birth(self.external.note_own(cls()))
            made.__dict__.update(kwargs)
            self.heap.note_namespace(made.__dict__)
            return made
        if not is_user_class(cls):
            return self.interpreter.native_calls.call_native(cls, args, kwargs)
        return self._make_by_metaclass(cls, args, kwargs)

    def _make_by_metaclass(self, cls, args, kwargs):
        meta = type(cls)
        call = self.interpreter.attributes.user_method(cls, "__call__") if is_user_class(meta) else None
        if call is not None:
            return self.interpreter.calls.call(call, args, kwargs)
        if issubclass(cls, enum.Enum):
            return self._member(cls, args, kwargs)
        return self.make_plainly(cls, args, kwargs)

    def _member(self, cls, args, kwargs):
        """The member of an enumeration that has a value."""
        missing, _ = self.interpreter.attributes.entry_of(cls, "_missing_")
        known = len(args) == 1 and not depends_on_run(args)
        own = isinstance(missing, classmethod) and not is_library_class(_class_of(cls, "_missing_"))
        if not known or kwargs or (own and args[0] not in [member.value for member in cls]):
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{cls.__name__}: a member is looked up in a way that a static graph does not know",
                "Look it up outside of the compiled function.",
            )
        return self.interpreter.host.guarded(cls, *args)

    def make_plainly(self, cls, args, kwargs):
        """Does the work of `type.__call__`."""
        new, _ = self.interpreter.attributes.entry_of(cls, "__new__")
        new = new.__func__ if isinstance(new, staticmethod) else new
        if isinstance(new, _C_FUNCTIONS):
            self.interpreter.attributes.note_undefined(cls, "__new__")
            init, _ = self.interpreter.attributes.entry_of(cls, "__init__")
            if new is object.__new__ and isinstance(init, types.WrapperDescriptorType) and (args or kwargs):
                return self.interpreter.host.guarded(cls, *args, **kwargs)  # says that it takes no arguments
            made = self.allocate(cls, args, kwargs)
        else:
            self.external.attributes.read_class(
                cls, "__new__", self.interpreter.attributes.entry_of(cls, "__new__")[0]
            )
            made = self.interpreter.calls.call(new, (cls, *args), kwargs)
        if not isinstance(made, cls):
            return made
        return self._initialised(made, args, kwargs)

    def _initialised(self, made, args, kwargs):
        init = self.interpreter.attributes.user_method(made, "__init__")
        if init is not None:
            with self.interpreter.cells.initializing(made):
                given = self.interpreter.calls.call(init, args, kwargs)
            if given is not None:
                self.interpreter.throwing.throw(TypeError("__init__() should return None"))
        elif layout_of(type(made)) in _CONTAINER_LAYOUTS:
            self.interpreter.calls.call(layout_of(type(made)).__init__, (made, *args), kwargs)
        return made

    def allocate(self, cls, args, kwargs):
        """A new object of a class of the program, before `__init__`: what `__new__` of Python's own classes gives."""
        if self.interpreter.attributes.entry_of(cls, "__del__")[0] is not ABSENT:
            raise self.interpreter.rejection(
                UNKNOWN,
                f"{cls.__name__}: its __del__ runs when Python drops an object, which a static graph has not",
                "Make the object outside of the compiled function.",
            )
        maker, layout = _maker_of(cls), layout_of(cls)
        if layout is object and maker is not object:
            layout = maker  # an extension's class, which looks like one of Python's
        if layout is object:
            made = self.external.note_own(self.interpreter.host.guarded(object.__new__, cls))
            self.heap.note_birth(made)
            if hasattr(made, "__dict__"):
                self.heap.note_namespace(made.__dict__)
            return made
        if layout in _CONTAINER_LAYOUTS:
            return self.heap.note_birth(self.external.note_own(layout.__new__(cls)))
        if layout is tuple:
            items = self.interpreter.iteration.items_of(args[0]) if args else ()
            return self.interpreter.host.guarded(tuple.__new__, cls, items)
        if layout in _VALUE_LAYOUTS and not depends_on_run((args, kwargs)):
            for value in args:
                self.interpreter.native_calls.require_no_object(cls, value)
            return self.interpreter.host.native(layout.__new__, cls, *args, **kwargs)
        raise self.interpreter.rejection(
            DATA_TYPE,
            f"{cls.__name__}: objects of a class derived from {layout.__name__} are not made in a static graph",
            "Make the object outside of the compiled function.",
        )


def _maker_of(cls):
    """The class whose `__new__`, written in C, makes the memory of objects of the class."""
    return next(
        base for base in cls.__mro__ if isinstance(base.__dict__.get("__new__"), types.BuiltinFunctionType)
    )


def _class_of(cls, name):
    return next(base for base in cls.__mro__ if name in base.__dict__)
