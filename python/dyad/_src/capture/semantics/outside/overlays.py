"""Writes to objects from outside, kept until the graph has run."""


class Overlay:
    """New values of attributes (or entries of a namespace) of one object from outside.

    `write` says how they are written back: as an "item" or as an "attribute".
    """

    __slots__ = ("entries", "node", "owner", "write")

    def __init__(self, owner, node, write):
        self.owner = owner
        self.node = node
        self.write = write
        self.entries = {}


class Overlays(dict):
    """id of an object from outside -> its Overlay."""

    def __init__(self, heap):
        super().__init__()
        self._heap = heap

    def entry(self, owner, name):
        """(new value,) of an attribute that the program wrote; None if it did not."""
        overlay = self.get(id(owner))
        return (overlay.entries[name],) if overlay is not None and name in overlay.entries else None

    def of(self, owner, node, write):
        """The overlay of an object, made where it has none."""
        overlay = self.get(id(owner))
        if overlay is None:
            overlay = self[id(owner)] = Overlay(owner, node, write)
            self._heap.note_namespace(self._heap.note_outside(overlay.entries))
        return overlay

    def write(self, overlay, name, value):
        """Lets an entry of an overlay hold a new value."""
        self._heap.touch(overlay.entries)
        overlay.entries[name] = value
