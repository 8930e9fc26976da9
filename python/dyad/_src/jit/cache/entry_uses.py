"""Counts the uses of each compiled entry of a function."""

import weakref


class EntryUses:
    """Counts the calls of entries, the one that compiled an entry included.

    A compiled function counts its hits as a whole. They are given to the entry that was used last whenever somebody
    looks, so the counts are exact as long as no two entries are used between two looks.
    """

    def __init__(self):
        self._counts = weakref.WeakKeyDictionary()
        self._seen = 0

    def begin(self, entry, runs=True):
        """Notes the call that an entry was compiled for, and whether it runs the entry."""
        self._counts[entry] = int(runs)

    def add(self, entry):
        """Notes a call that ran an entry without the compiled function's doing."""
        self._counts[entry] = self._counts.get(entry, 0) + 1

    def look(self, compiled):
        """Notes the hits of a compiled function since the last look."""
        new, self._seen = compiled.hits - self._seen, compiled.hits
        entries = compiled.entries
        if new and entries:
            self._counts[entries[0]] = self._counts.get(entries[0], 0) + new

    def of(self, compiled, entry):
        """Returns the number of uses of an entry until now."""
        self.look(compiled)
        return self._counts.get(entry, 0)
