"""The record of one object from outside that the program has met."""

from typing import Any

from dyad._src.capture.semantics.memory.heap import contents, is_container
from dyad._src.capture.semantics.stand_ins import Unread


class Adopted:
    """An object from outside (`original`, at `node` of the guard tree) and what the program sees in its place.

    `given` tells that it is an argument of the call, or a member of one.
    """

    __slots__ = ("given", "node", "original", "seen", "snapshot")

    def __init__(self, original, node, seen):
        self.original = original
        self.node = node
        self.seen = seen
        self.given = False
        self.snapshot: Any = contents(seen) if type(seen) is not Unread and is_container(seen) else None

    def changed(self):
        """Returns whether the program changed the container that it sees."""
        now = contents(self.seen)  # methods of a class of the program are not called
        if len(self.snapshot) != len(now):
            return True
        if isinstance(now, dict):
            pairs = zip(self.snapshot.items(), now.items(), strict=True)
            return any(a is not b or old is not new for (a, old), (b, new) in pairs)
        return any(a is not b for a, b in zip(self.snapshot, now, strict=True))
