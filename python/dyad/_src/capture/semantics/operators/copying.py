"""`copy.copy` and `copy.deepcopy` of captured values."""

import copy
import types
from typing import Any

from dyad._core import Tensor
from dyad._src.autodiff.markers import stop_gradient
from dyad._src.base.break_reasons import DATA_TYPE
from dyad._src.capture.semantics.attributes.attributes import is_user_class
from dyad._src.capture.semantics.attributes.object_state import (
    BUFFERS,
    has_unseen_state,
    is_array_type,
    layout_of,
)
from dyad._src.capture.semantics.memory.heap import is_container, layout, set_contents
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import Deferred, OneOf, is_leaf, is_symbolic_tensor

_HOOKS = (
    "__copy__",
    "__deepcopy__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__getnewargs__",
)


class Copying(Part):
    """Copies captured values, shallow or deep."""

    def copied(self, value, deep, memo=None):
        """A copy; `memo` holds what a deep copy has copied already, by identity."""
        if isinstance(value, OneOf):
            return self.interpreter.branches.split(value, lambda chosen: self.copied(chosen, deep, memo))
        memo = {} if memo is None else memo
        if id(value) in memo:
            return memo[id(value)][1]
        method = self.interpreter.attributes.user_method(value, "__deepcopy__" if deep else "__copy__")
        if method is not None:
            made = self.interpreter.calls.call(method, (self.heap.note_birth({}),) if deep else (), {})
        else:
            made = self._copied(value, deep, memo)
        memo[id(value)] = (value, made)
        return made

    def _copied(self, value, deep, memo):
        if isinstance(value, Tensor):
            self._require_no_attributes(value)
            return self.interpreter.host.native(_copy_of_tensor, value, deep)
        if is_leaf(value) and not isinstance(value, Deferred):
            return value
        if type(value) is tuple:
            items = [self.copied(item, deep, memo) for item in value] if deep else value
            return value if all(a is b for a, b in zip(items, value, strict=True)) else tuple(items)
        if is_container(value) and not isinstance(value, set):
            return self._copied_container(value, deep, memo)
        if self._is_plain_object(value):
            return self._copied_object(value, deep, memo)
        cls = type(value)
        if has_unseen_state(cls) or self.interpreter.cells.is_cell(value) or is_user_class(cls):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"copy: how an object of class {cls.__name__} is copied is not captured",
                "Copy it outside of the compiled function.",
            )
        made = self.interpreter.host.native(copy.deepcopy if deep else copy.copy, value)
        return (
            self.interpreter.native_calls.remember_made(made)
            if is_container(made) or cls in BUFFERS or is_array_type(cls)
            else made
        )

    def _require_no_attributes(self, tensor):
        """A copy holds the attributes that were set on the tensor, which a tensor of the graph does not."""
        original = self.external.original_of(tensor)
        if original is not tensor and type(original) is Tensor and self.external.attributes.names_of(tensor):
            names = ", ".join(repr(name) for name in original.__dict__)
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"copy: a Tensor with attributes ({names}) is copied inside a static graph",
                "Copy it outside of the compiled function.",
            )

    def _copied_container(self, value, deep, memo):
        made = self.heap.note_birth(layout(value).__new__(type(value)))
        if type(value).__flags__ & (1 << 9):
            raise self.interpreter.rejection(
                DATA_TYPE,
                f"copy: how an object of class {type(value).__name__} is copied is not captured",
                "Copy it outside of the compiled function.",
            )
        memo[id(value)] = (value, made)
        if hasattr(value, "default_factory"):
            made.default_factory = value.default_factory
        items: Any
        if isinstance(value, dict):
            items = {key: self.copied(item, deep, memo) if deep else item for key, item in value.items()}
        else:
            items = [self.copied(item, deep, memo) if deep else item for item in value]
        set_contents(made, items)
        return made

    def _is_plain_object(self, value):
        cls = type(value)
        plain = layout_of(cls) in (object, types.SimpleNamespace) and not self.interpreter.cells.is_cell(
            value
        )
        return (
            plain
            and is_user_class(cls)
            and not any(self.interpreter.attributes.user_method(value, name) for name in _HOOKS)
        )

    def _copied_object(self, value, deep, memo):
        made = self.interpreter.object_creation.allocate(type(value), (), {})
        memo[id(value)] = (value, made)
        names = (
            list(value.__dict__) if self.external.is_own(value) else self.external.attributes.names_of(value)
        )
        for name in names:
            item = self.interpreter.attributes.read_own(value, name)
            self.interpreter.attribute_writes.write_entry(
                made, name, self.copied(item, deep, memo) if deep else item
            )
        return made


def _copy_of_tensor(tensor, deep):
    """A new Tensor of the data. A gradient flows through a deep copy, as through `Tensor(x)`, not a shallow one."""
    if not is_symbolic_tensor(tensor):
        return copy.deepcopy(tensor) if deep else copy.copy(tensor)
    return (tensor if deep else stop_gradient(tensor)).copy()
