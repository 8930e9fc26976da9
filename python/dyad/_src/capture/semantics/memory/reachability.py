"""Finds what the captured program can still reach through names and containers."""

import collections
import types
from collections.abc import Iterable

from dyad._core import Tensor
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.iteration.iterators import ModelIterator
from dyad._src.capture.semantics.memory.heap import is_container
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import is_unread


class Reachability(Part):
    """Looks through the frames under way and the objects from outside that were changed."""

    def tensors_in_use(self):
        """Tensors that names and containers hold that can still be reached."""
        seen: set = set()
        for frame in (self.interpreter.frame, *self.interpreter.waiting):
            while frame is not None:
                yield from _tensors_in(frame.locals, seen)
                frame = frame.caller if frame.enclosing is None else frame.enclosing
        for overlay in self.external.overlays.values():
            yield from _tensors_in(overlay.entries, seen)

    def is_held(self, tensor):
        """Returns whether a name or container that can still be reached holds the tensor, or it comes from outside."""
        return id(tensor) in self.external.seen or any(held is tensor for held in self.tensors_in_use())

    def is_reachable(self, iterator):
        """Returns whether a name or container that can still be reached holds an iterator."""
        younger = list(self.heap.changed_since(iterator.state))
        if not any(self._holds_directly(container, iterator) for container in younger):
            return False  # what has not changed since the iterator was made cannot hold it
        seen: set = set()
        frame = self.interpreter.frame
        while frame is not None:
            if any(_holds(value, iterator, seen) for value in frame.locals.values()):
                return True
            frame = frame.caller if frame.enclosing is None else frame.enclosing
        overlays = self.external.overlays.values()
        return any(
            _holds(value, iterator, seen) for overlay in overlays for value in overlay.entries.values()
        )

    def _holds_directly(self, container, iterator):
        """Returns whether a container holds an iterator, with no container in between whose changes are noted."""
        if is_unread(container):
            return False
        members: Iterable
        if isinstance(container, dict):
            members = container.values()
        elif isinstance(container, (list, set, collections.deque)):
            members = container
        else:
            members = getattr(container, "__dict__", {}).values()
        return any(self._is_or_has(member, iterator) for member in list(members))

    def _is_or_has(self, value, iterator):
        if value is iterator:
            return True
        if isinstance(value, ModelIterator):
            return any(self._is_or_has(source, iterator) for source in value.asked())
        if type(value) is tuple:
            return any(self._is_or_has(member, iterator) for member in value)
        return is_container(value) and not self.heap.is_noted(value) and self._holds_directly(value, iterator)


def _tensors_in(container, seen):
    if id(container) in seen:
        return
    seen.add(id(container))
    for value in list(container.values()) if isinstance(container, dict) else container:
        if is_unread(value):
            continue  # what it holds is not of the graph
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            yield from _tensors_in(value, seen)


def _holds(value, wanted, seen):
    if value is wanted:
        return True
    if id(value) in seen or is_unread(value):
        return False
    seen.add(id(value))
    members: Iterable
    if isinstance(value, ModelIterator):
        members = (*value.asked(), *value.state.values())
    elif isinstance(value, (list, tuple, set, collections.deque)):
        members = value
    elif isinstance(value, dict):
        members = value.values()
    elif isinstance(value, (type, types.ModuleType)) or is_framework_module(module_of(type(value))):
        return False
    else:
        members = getattr(value, "__dict__", {}).values()
    return any(_holds(member, wanted, seen) for member in list(members))
