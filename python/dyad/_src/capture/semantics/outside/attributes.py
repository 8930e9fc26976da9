"""Attributes of objects and classes from outside, as the program reads and writes them."""

import contextlib

from dyad._src.capture.semantics.calls.frameworks import is_trusted_module, module_of
from dyad._src.capture.semantics.values import MISSING, UNBOUND


class Attributes:
    """Attributes of objects and classes from outside; every read, and that something does not exist, is guarded."""

    def __init__(self, external):
        self._external = external
        self._tree = external.tree
        self._guarded = (
            set()
        )  # what is demanded already: that a name is missing, which names there are, an entry

    def read_instance(self, owner, name):
        """An entry of the object's own attributes; raises KeyError if there is none."""
        written = self._written(owner, name)
        if written is not MISSING:
            return written
        original = self._external.original_of(owner)
        held = getattr(original, "__dict__", None)
        node = self._external.node_of(owner)
        self._external.instance_dicts.note_owner(original, held)
        if held is None or name not in held:
            if held is not None:
                self._demand_once("missing_attribute", node, name)
            raise KeyError(name)
        return self._external.meet(held[name], self._tree.attribute(node, name))

    def read_slot(self, owner, name, member):
        """Returns the contents of a slot of an object from outside; raises KeyError if it is empty."""
        written = self._written(owner, name)
        if written is not MISSING:
            return written
        node = self._external.node_of(owner)
        try:
            value = member.__get__(owner)
        except AttributeError:
            self._demand_once("missing_attribute", node, name)
            raise KeyError(name) from None
        return self._external.meet(value, self._tree.attribute(node, name))

    def _written(self, owner, name):
        """Returns the value that the program wrote to an attribute, or MISSING; raises KeyError if it deleted it."""
        written = self._external.overlays.entry(owner, name)
        if written is None:
            return MISSING
        if written[0] is UNBOUND:
            raise KeyError(name)
        return written[0]

    def names_of(self, owner):
        """The names of the attributes that an object from outside holds itself, in order."""
        original, node = self._external.original_of(owner), self._external.node_of(owner)
        held = getattr(original, "__dict__", {})
        self._external.instance_dicts.note_owner(original, held)
        if self._is_new("names", node):
            self._tree.check_keys(self._tree.attribute(node, "__dict__"), tuple(held))
        overlay = self._external.overlays.get(id(owner))
        written = {} if overlay is None else overlay.entries
        return [name for name in dict.fromkeys((*held, *written)) if written.get(name) is not UNBOUND]

    def _is_new(self, *demand):
        """Returns whether something is demanded for the first time."""
        if demand in self._guarded:
            return False
        self._guarded.add(demand)
        return True

    def _demand_once(self, demand, node, name):
        if self._is_new(demand, node, name):
            getattr(self._tree, demand)(node, name)

    def read_class(self, owner, name, value):
        """An attribute found on the class of `owner` (or on `owner`, a class)."""
        cls = owner if isinstance(owner, type) else type(owner)
        if is_trusted_module(module_of(cls)):
            return value
        root = self._tree.object(cls)
        return self._external.adopt(value, self._tree.class_attribute(root, name))

    def note_missing(self, owner, name):
        """Demands that an object goes on holding nothing under the name itself."""
        self._demand_once("missing_attribute", self._external.node_of(owner), name)

    def note_type(self, owner):
        """Demands that an object goes on being of its class."""
        node = self._external.node_of(owner)
        if self._is_new("type", node):
            self._tree.check_type(node, type(owner))

    def note_no_class_entry(self, cls, name, always=False):
        """Demands that the class goes on having nothing under the name; of a library only with `always`."""
        if always or not is_trusted_module(module_of(cls)):
            self._demand_once("missing_class_attribute", self._tree.object(cls), name)

    def note_entry(self, cls, name, entry, always=False):
        """Demands that what the class has under the name stays this very object; of a library only with `always`."""
        root = self._tree.object(cls)
        if (always or not is_trusted_module(module_of(cls))) and self._is_new("entry", root, name):
            self._tree.check_identity(self._tree.class_attribute(root, name), entry, weak=False)

    def read_base(self, base, name, value):
        """An attribute found in this very class, as `super` looks for it; UNBOUND for one that is not there."""
        if is_trusted_module(module_of(base)):
            return value
        root = self._tree.object(base)
        if value is UNBOUND:
            self._demand_once("missing_attribute", root, name)
            return value
        return self._external.adopt(value, self._tree.attribute(root, name))

    def write(self, owner, name, value, old=None):
        """`old` reads what the attribute holds where the program has not written it yet; raises KeyError."""
        external = self._external
        external.instance_dicts.note_attribute_written(external.original_of(owner))
        overlay = external.overlays.of(owner, external.node_of(owner), "attribute")
        if name not in overlay.entries and external.heap.depth:
            # A path that does not write finds the old value in the overlay.
            with contextlib.suppress(KeyError):
                before = self.read_instance(owner, name) if old is None else old()
                external.heap.seed(overlay.entries, name, before)
        external.overlays.write(overlay, name, value)
