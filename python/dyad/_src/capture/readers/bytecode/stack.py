"""The value stack of a frame."""

from dyad._src.capture.semantics.values import UNBOUND, OneOf


class _Mark:
    """A stack entry that is not an object of the program."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"<{self._name}>"


NULL = _Mark("null")  # beside a callable
CELL = _Mark("cell")  # of a variable that a nested function shares
ITERATOR = _Mark("iterator")  # of a loop under way
EXIT = _Mark("exit")  # of a context manager that is entered
PLACE = _Mark("place")  # of the instruction that raised
EXCEPTION = _Mark("exception")  # the one that was handled before


CLEARED = _Mark("cleared")  # the value of a variable that has none, while a comprehension uses its name


class Iterated:
    """The iterable of a `for`, before the loop makes an iterator of it."""

    __slots__ = ("iterable",)

    def __init__(self, iterable):
        self.iterable = iterable


class Stack:
    """The values by their depth, in a dict that the journal knows: paths that meet have theirs joined."""

    __slots__ = ("_heap", "slots", "top")

    def __init__(self, heap):
        self._heap = heap
        self.slots = heap.note_namespace({})
        self.top = 0

    def push(self, value):
        self._heap.touch(self.slots)
        self.slots[self.top] = value
        self.top += 1

    def pop(self):
        self.top -= 1
        self._heap.touch(self.slots)
        return _present(self.slots.pop(self.top))

    def pop_many(self, count):
        """The last values, the deepest first."""
        values = [self.pop() for _ in range(count)]
        values.reverse()
        return values

    def peek(self, depth=1):
        """The value at a depth, counted from 1 at the top."""
        return _present(self.slots[self.top - depth])

    def put(self, depth, value):
        """Replaces the value at a depth, counted from 1 at the top."""
        self._heap.touch(self.slots)
        self.slots[self.top - depth] = value

    def settle(self, depth):
        """Lets the stack have this many values; what lies above is dropped."""
        above = [place for place in self.slots if place >= depth]
        if above:
            self._heap.touch(self.slots)
            for place in above:
                del self.slots[place]
        self.top = depth


def _present(value):
    """A value of the stack; paths that met may not all have had one here, but this one has."""
    if type(value) is OneOf:
        absent = value.tags_of(lambda alternative: alternative is UNBOUND)
        return value.without(*absent) if absent else value
    return value


def holds_mark(value):
    """Returns whether something is not a value of the program, alone or in a tuple, and must not leave capture."""
    if type(value) is tuple:
        return any(map(holds_mark, value))
    return type(value) in (_Mark, Iterated)
