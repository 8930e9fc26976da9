"""What `mutable` marks: the program sees it without the mark, transforms ask for it."""

from dyad._src.mutable import Mutable, MutableDict, MutableList, MutableNumber, MutableTuple

_CONTAINERS = (MutableTuple, MutableList, MutableDict)


class Marks:
    """Remembers which values of the program were marked `mutable`."""

    def __init__(self, original_of):
        self._original_of = original_of  # from what the program sees to the object from outside
        self._numbers = {}

    def note(self, number):
        """Marks a number that is known when the graph runs."""
        self._numbers[id(number)] = number
        return number

    def marked(self, value):
        """The value with its mark, if it has one."""
        if id(value) in self._numbers:
            return MutableNumber(value)
        original = self._original_of(value)
        if isinstance(original, _CONTAINERS) and not isinstance(value, Mutable):
            return next(kind(value) for kind in _CONTAINERS if isinstance(original, kind))
        return value
