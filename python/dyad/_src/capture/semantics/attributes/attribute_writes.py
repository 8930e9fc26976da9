"""Attributes that the captured program writes or deletes."""

import types

from dyad._core import GraphNumber, Tensor
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.break_reasons import DATA_TYPE, FUNCTION
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.attributes import ABSENT, is_data_descriptor, is_user_class
from dyad._src.capture.semantics.attributes.object_state import has_unseen_state, is_array_type, missing_text
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.calls.functions import Bound, ClosureFunction
from dyad._src.capture.semantics.control.exceptions import STATE
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import UNBOUND, OneOf
from dyad._src.operators import assign
from dyad._src.tensor.parameter import Parameter

_FUNCTIONS = (types.FunctionType, ClosureFunction, types.MethodType, Bound)


class AttributeWrites(Part):
    """Writes and deletes attributes as Python's protocols say: `__setattr__`, descriptors, slots, `__dict__`.

    Objects from outside stay as they are while capturing; what the program writes lies in overlays of the external.
    """

    def write_attribute(self, owner, name, value):
        """`owner.name = value`."""
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(
                owner, lambda chosen: self.write_attribute(chosen, name, value)
            )
        if self.interpreter.cells.is_own_parameter(owner) and self.heap.is_new(owner):
            return self.interpreter.host.native(setattr, owner, name, value)
        if isinstance(owner, (Tensor, GraphNumber)) or (self.interpreter.lax and is_array_type(type(owner))):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"attribute {name!r} of a {type(owner).__name__} is written inside a static graph",
                "Do not support to set attribute for a parameter, a tensor or a number: set it outside of the "
                "compiled function.",
                error=ValueError,
            )
        setter = self.interpreter.attributes.overriding_method(owner, "__setattr__")
        if setter is not None:
            return self.interpreter.calls.call(setter, (name, value), {})
        return self.write_behind_setter(owner, name, value)

    def write_behind_setter(self, owner, name, value):
        """Does what `__setattr__` of Cells does, and for other objects what that of `object` does."""
        if self._is_parameter_of(owner, name) and isinstance(value, OneOf):
            return self.interpreter.branches.split(
                value, lambda chosen: self.write_behind_setter(owner, name, chosen)
            )
        if self._is_parameter_of(owner, name) and not isinstance(value, Parameter):
            return self._write_parameter(owner, name, value)
        if self._is_parameter_of(owner, name) and value is self.interpreter.attributes.read_attribute(
            owner, name
        ):
            return None  # `self.steps += 1` has changed the Parameter in place
        return self.write_plainly(owner, name, value)

    def write_plainly(self, owner, name, value):
        """Does the work of `object.__setattr__`."""
        if isinstance(owner, type):
            self._require_lax(owner, name)
            return self.interpreter.class_attributes.write_class_attribute(owner, name, value)
        if isinstance(owner, _FUNCTIONS):
            if not isinstance(owner, ClosureFunction):
                self._require_lax(owner, name)
            return self._write_function(owner, name, value)
        if name == "__class__" or (name == "__dict__" and not isinstance(owner, types.ModuleType)):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"{name} of a {type(owner).__name__} is written inside a static graph",
                "Write it outside of the compiled function.",
            )
        if (
            isinstance(owner, BaseException)
            and name in STATE
            and self.interpreter.exceptions.is_own_exception(owner)
        ):
            return self.interpreter.exceptions.write_exception(owner, name, value)
        entry, _ = self.interpreter.attributes.entry_of(type(owner), name)
        if is_data_descriptor(entry):
            return self.write_through(entry, owner, name, value)
        if isinstance(owner, types.ModuleType):
            self._require_lax(owner, name)
            return self.external.names.write_global(owner.__dict__, name, value)
        if isinstance(owner, BaseException) and self.interpreter.exceptions.is_own_exception(owner):
            return self.interpreter.exceptions.write_own_exception(owner, name, value)
        if not hasattr(owner, "__dict__") and not self.interpreter.cells.is_cell(owner):
            return self.interpreter.host.native(setattr, owner, name, value)  # says why that cannot be
        return self.write_entry(owner, name, value)

    def write_through(self, entry, owner, name, value):
        """Writes by a descriptor of the class; `value` UNBOUND deletes."""
        deletes = value is UNBOUND
        if type(entry) is property:
            function = entry.fdel if deletes else entry.fset
            if function is None:
                what = "deleter" if deletes else "setter"
                error = AttributeError(f"property {name!r} of {type(owner).__name__!r} object has no {what}")
                return self.interpreter.throwing.throw(error)
            self.external.attributes.read_class(type(owner), name, entry)
            return self.interpreter.calls.call(function, (owner,) if deletes else (owner, value), {})
        if isinstance(entry, types.MemberDescriptorType) and is_user_class(entry.__objclass__):
            return self._write_slot(owner, name, entry, value)
        accessor = self.interpreter.class_attributes.own_accessor(
            entry, "__delete__" if deletes else "__set__"
        )
        if accessor is not None:
            self.external.attributes.read_class(type(owner), name, entry)
            return self.interpreter.calls.call(accessor, (owner,) if deletes else (owner, value), {})
        if not is_framework_module(module_of(type(owner))) and not isinstance(owner, BaseException):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"attribute {name!r} of a {type(owner).__name__} is written by a {type(entry).__name__}, which a "
                "static graph cannot do",
                "Write it outside of the compiled function.",
            )
        return (
            self.interpreter.host.native(delattr, owner, name)
            if deletes
            else self.interpreter.host.native(setattr, owner, name, value)
        )

    def write_entry(self, owner, name, value):
        """Writes an entry of the object's own attributes."""
        if self.external.is_own(owner):
            return self._write_own(owner, name, value)
        self._require_lax(owner, name)
        self._require_no_member(owner, name, value)
        if has_unseen_state(type(owner)):
            self.interpreter.native_calls.require_seen(owner)
        return self.external.attributes.write(owner, name, value)

    def _require_no_member(self, owner, name, value=None):
        """Which children and Parameters a Cell has is seen by more than the attribute, so Python changes it."""
        if not self.interpreter.cells.is_cell(owner):
            return
        values = value.alternatives.values() if isinstance(value, OneOf) else (value,)
        is_member = any(isinstance(each, (AbstractCell, Parameter)) for each in values)
        if is_member or self._is_member_of(owner, name, "_cells"):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"attribute {name!r} of a {type(owner).__name__} is a member of the Cell, and is changed inside a "
                "static graph",
                NEEDS_PYTHON,
            )

    def _require_lax(self, owner, name):
        if not self.strict:
            return
        raise self.interpreter.rejection(
            FUNCTION,
            f"attribute {name!r} of a {type(owner).__name__} is written, which needs the Python object when the graph "
            "runs",
            f"In JIT strict mode, if need to modify a member attribute of a class with {name!r} as its name, only a "
            "Parameter of the Cell can be written; use jit(fullgraph=False) or a Parameter.",
            error=TypeError if hasattr(self.external.original_of(owner), name) else AttributeError,
        )

    def _write_function(self, owner, name, value):
        if isinstance(owner, (types.MethodType, Bound)):
            return self.interpreter.throwing.throw(
                AttributeError(f"'method' object has no attribute {name!r}")
            )
        if name.startswith("__") and name.endswith("__"):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"{name} of the function {owner.__name__} is written inside a static graph",
                "Write it outside of the compiled function.",
            )
        if isinstance(owner, ClosureFunction):
            self.heap.touch(owner.attributes)
            owner.attributes[name] = value
            return None
        return self.external.attributes.write(owner, name, value)

    def _write_slot(self, owner, name, member, value):
        if self.external.is_own(owner):
            held = self.external.slots_of(owner)
            self.heap.touch(held)
            held[name] = value
            return
        self._require_lax(owner, name)
        self.external.attributes.write(
            owner, name, value, lambda: self.external.attributes.read_slot(owner, name, member)
        )

    def _is_parameter_of(self, owner, name):
        return self._is_member_of(owner, name, "_params")

    def _is_member_of(self, owner, name, registry):
        held = getattr(self.external.original_of(owner), "__dict__", {})
        return isinstance(held.get(registry), dict) and name in held[registry]

    def _write_parameter(self, owner, name, value):
        parameter = self.interpreter.attributes.read_attribute(owner, name)
        if not isinstance(parameter, Tensor):
            self.external.attributes.write(owner, name, value)
            return
        if isinstance(value, (bool, int, float, GraphNumber)):
            self.interpreter.host.native(
                setattr, self.external.original_of(owner), name, value
            )  # says why that cannot be
        if not isinstance(value, Tensor):
            self.interpreter.throwing.throw(
                TypeError(
                    f"{type(owner).__name__}: {name!r} is a Parameter and cannot take a {type(value).__name__}; "
                    "need a Parameter, a Tensor or None"
                )
            )
        if value.shape != parameter.shape:
            self.interpreter.throwing.throw(
                ValueError(
                    f"{type(owner).__name__}: {name!r} is a Parameter of shape {parameter.shape} and cannot take a "
                    f"Tensor of shape {value.shape} inside a static graph"
                )
            )
        self.external.note_written(parameter, self.interpreter.statement)
        self.interpreter.host.native(_assign, parameter, value)

    def _write_own(self, owner, name, value):
        held = getattr(owner, "__dict__", None)
        if self.interpreter.cells.is_cell(owner):
            self.interpreter.cells.write_own(owner, name, value)
            return
        if held is None or isinstance(value, Parameter):
            self.interpreter.host.native(setattr, owner, name, value)
            return
        self.heap.note_namespace(self.heap.note_outside(held))
        self.heap.touch(held)
        held[name] = value

    # ---- deleting

    def delete_attribute(self, owner, name):
        """`del owner.name`."""
        if isinstance(owner, OneOf):
            return self.interpreter.branches.split(owner, lambda chosen: self.delete_attribute(chosen, name))
        deleter = self.interpreter.attributes.overriding_method(owner, "__delattr__")
        if deleter is not None:
            return self.interpreter.calls.call(deleter, (name,), {})
        return self.delete_plainly(owner, name)

    def delete_plainly(self, owner, name):
        """Does the work of `object.__delattr__`."""
        entry, _ = self.interpreter.attributes.entry_of(type(owner), name)
        if isinstance(entry, types.MemberDescriptorType):
            self.interpreter.attributes.read_attribute(owner, name)  # says that there is none
        if is_data_descriptor(entry) and not isinstance(owner, type):
            return self.write_through(entry, owner, name, UNBOUND)
        if isinstance(owner, type):
            if name not in owner.__dict__ and self.external.overlays.entry(owner, name) is None:
                return self.interpreter.throwing.throw(
                    AttributeError(f"type object {owner.__name__!r} has no attribute {name!r}")
                )
            return self.interpreter.class_attributes.write_class_attribute(owner, name, UNBOUND)
        if isinstance(owner, types.ModuleType):
            self.interpreter.attributes.read_module(owner, name)
            return self.external.names.write_global(owner.__dict__, name, UNBOUND)
        if isinstance(owner, ClosureFunction):
            self.interpreter.attributes.read_attribute(owner, name)
            self.heap.touch(owner.attributes)
            return owner.attributes.pop(name, None)
        if self.interpreter.attributes.read_own(owner, name) is ABSENT:
            self.interpreter.throwing.throw(AttributeError(missing_text(owner, name)))
        return self.delete_entry(owner, name)

    def delete_entry(self, owner, name):
        """Deletes an entry of the object's own attributes."""
        if self.external.is_own(owner) and self.interpreter.cells.is_cell(owner):
            self.interpreter.cells.delete_own(owner, name)
            return
        if self.external.is_own(owner):
            self.heap.touch(owner.__dict__)
            del owner.__dict__[name]
            return
        if self.strict:
            raise self.interpreter.rejection(
                FUNCTION,
                f"attribute {name!r} of a {type(owner).__name__} is deleted, which needs the Python object when the "
                "graph runs",
                "Use jit(fullgraph=False).",
                error=TypeError,
            )
        self._require_no_member(owner, name)
        self.external.attributes.write(owner, name, UNBOUND)


def _assign(parameter, value):
    assign(parameter, value.astype(parameter.dtype) if value.dtype is not parameter.dtype else value)
