"""Values marked by `mutable`: the program sees them without the mark, transforms read it."""

from dyad._src.tensor.mutable import Mutable, MutableDict, MutableList, MutableNumber, MutableTuple

_CONTAINERS = (MutableTuple, MutableList, MutableDict)


class Marks:
    """Remembers which values of the program were marked `mutable`."""

    def __init__(self, original_of):
        self._original_of = original_of  # from what the program sees to the object from outside
        self._numbers = {}  # id of a number -> it
        self._classes = {}  # id of a number that is itself marked -> (it, the class that Python has for it)
        self._open = {}  # id of a sequence that the program made -> it, if its length may vary

    def note(self, number, marked=None):
        """Marks a number that is known when the graph runs; `marked` is the marked one that it stands for, if any."""
        self._numbers[id(number)] = number
        if isinstance(marked, Mutable):
            self._classes[id(number)] = number, type(marked)
        return number

    def class_of(self, value):
        """The class of a marked number, tuple, list or dict; None for anything else."""
        original = self._original_of(value)
        if isinstance(original, Mutable):
            return type(original)
        return self._classes.get(id(value), (None, None))[1]

    def marked(self, value):
        """The value with its mark, if it has one."""
        if id(value) in self._numbers:
            return MutableNumber(value)
        original = self._original_of(value)
        if isinstance(original, _CONTAINERS) and not isinstance(value, Mutable):
            return next(kind(value) for kind in _CONTAINERS if isinstance(original, kind))
        return value

    def has_open_length(self, sequence):
        """Returns whether the program says of a tuple or list that its length may vary."""
        if id(sequence) in self._open:
            return True
        return any(getattr(each, "dynamic_len", False) for each in (sequence, self._original_of(sequence)))

    def is_variable(self, sequence):
        """Returns whether a tuple or list was marked `mutable`."""
        return isinstance(sequence, Mutable) or isinstance(self._original_of(sequence), Mutable)

    def follow(self, made, *sources):
        """A tuple or list that was made of others, whose length may vary if that of one of them may."""
        is_sequence = isinstance(made, list) or (
            isinstance(made, tuple) and made
        )  # there is one empty tuple only
        if is_sequence and any(map(self._is_open_sequence, sources)):
            self._open[id(made)] = made
        return made

    def _is_open_sequence(self, value):
        return isinstance(value, (tuple, list)) and self.has_open_length(value)
