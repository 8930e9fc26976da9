"""Attribute dicts of objects from outside that the program reaches under another name too.

Such a dict is held as a container as well (`d = vars(o)`, `o.__dict__ = o`), or is that of two objects. The model has
attributes and entries of containers in different memories, which is right as long as neither is written.
"""

from dyad._src.base.break_reasons import UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON, rejection


class InstanceDicts:
    """The `__dict__` of each object from outside of which attributes were read or written."""

    def __init__(self, external):
        self._external = external
        self._owners = {}  # id of a dict -> (it, the objects whose attributes it holds)
        self._written = set()  # ids of those of which an attribute was written
        self._viewed = set()  # ids of those of which the program has keys, values or items

    def release(self):
        """Releases all objects."""
        self._owners.clear()

    def note_owner(self, owner, held):
        """Remembers that `held` is the `__dict__` of an object, before an attribute of it is read or written."""
        if not isinstance(held, dict):
            return  # the object has none, or is a class
        _, owners = self._owners.setdefault(id(held), (held, []))
        if any(owner is each for each in owners):
            return
        owners.append(owner)
        self.require_unwritten(held)

    def require_unwritten(self, held):
        """Refuses a dict that is reached under a second name where it was written under another."""
        if id(held) in self._owners and self._is_shared(held) and self._was_written(held):
            raise _refused()

    def note_attribute_written(self, owner):
        """Remembers that an attribute is written; refuses one that is reached under another name."""
        held = getattr(owner, "__dict__", None)
        self.note_owner(owner, held)
        self._written.add(id(held))
        self.require_unwritten(held)
        if id(held) in self._viewed:
            raise _refused()

    def note_view(self, owner):
        """Remembers that the program has a view of the attributes, which would not show what is written later."""
        self._viewed.add(id(owner.__dict__))

    def require_entries_apart(self, container):
        """Refuses a change of a dict from outside that holds the attributes of an object."""
        if id(container) in self._owners:
            raise _refused()

    def _is_shared(self, held):
        external = self._external
        is_container = external.is_adopted(held) or external.lazy_containers.has_met(held)
        return is_container or len(self._owners[id(held)][1]) > 1

    def _was_written(self, held):
        adopted = self._external.adopted.get(id(held))
        touched = adopted is not None and self._external.heap.was_touched(adopted.seen)
        return touched or id(held) in self._written or self._external.lazy_containers.was_added_to(held)


def _refused():
    return rejection(
        UNKNOWN,
        None,
        "__dict__: the attributes of an object are written that are reached under another name",
        NEEDS_PYTHON,
    )
