"""The record of one object from outside that the program has met."""

import collections

from dyad._src.capture.semantics.memory.heap import contents, is_container


class Adopted:
    """An object from outside (`original`, at `node` of the guard tree) and what the program sees in its place."""

    __slots__ = ("node", "original", "seen", "snapshot")

    def __init__(self, original, node, seen):
        self.original = original
        self.node = node
        self.seen = seen
        self.snapshot = contents(seen) if is_container(seen) else None

    def changed(self):
        """Whether the program changed the container that it sees."""
        now = self.seen
        if type(self.snapshot) is not type(now) and not isinstance(now, (dict, set, collections.deque)):
            return True
        if len(self.snapshot) != len(now):
            return True
        if isinstance(now, dict):
            return any(
                a is not b or self.snapshot[a] is not now[b] for a, b in zip(self.snapshot, now, strict=True)
            )
        return any(a is not b for a, b in zip(self.snapshot, now, strict=True))
