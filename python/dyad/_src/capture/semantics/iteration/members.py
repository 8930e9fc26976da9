"""The members of a dict, a view of one, a set or a deque while they are iterated over."""

import collections
import collections.abc

from dyad._src.base.break_reasons import ITERABLE
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.memory.heap import is_container, layout
from dyad._src.capture.semantics.values import VIEWS, container_of

# What Python says where a container has another number of members than when its iterator was made.
_CHANGED = {
    collections.OrderedDict: "OrderedDict mutated during iteration",
    dict: "dictionary changed size during iteration",
    set: "Set changed size during iteration",
    collections.deque: "deque mutated during iteration",
}


def is_watched(iterable):
    """Returns whether Python raises where the iterable changes its members while it is iterated over."""
    return type(iterable) in VIEWS or (is_container(iterable) and not isinstance(iterable, list))


class Members:
    """The members in the order they had at first; a value is that of the moment in which it is asked for."""

    def __init__(self, interpreter, iterable, backwards=False):
        self._interpreter = interpreter
        self.container = container_of(iterable)
        self._layout = layout(self.container)
        self._gives_values = isinstance(iterable, (collections.abc.ValuesView, collections.abc.ItemsView))
        self._gives_keys = not isinstance(iterable, collections.abc.ValuesView)
        self._keys = list(self._layout.__iter__(self.container))
        self._step = -1 if backwards else 1
        self._changes = interpreter.heap.watch(self.container)

    def __len__(self):
        return len(self._keys)

    def __getitem__(self, number):
        place = number if self._step > 0 else len(self._keys) - 1 - number
        if self._layout is collections.deque:
            return collections.deque.__getitem__(self.container, place)
        key = self._keys[place]
        if not self._gives_values:
            return key
        value = self._layout.__getitem__(self.container, key)
        return (key, value) if self._gives_keys else value

    def require_unchanged(self, number):
        """Raises, before member `number` is asked for, where Python finds that the container has changed."""
        if self._layout is collections.OrderedDict and number >= len(self._keys):
            return  # it has ended before it looks
        if self._layout.__len__(self.container) != len(self._keys):
            self._interpreter.throwing.throw(RuntimeError(_CHANGED[self._layout]))
        if self._interpreter.heap.watch(self.container) != self._changes:
            rejected = self._interpreter.rejection(
                ITERABLE,
                f"iter: the members of a {self._layout.__name__} are changed while it is iterated over",
                NEEDS_PYTHON,
            )
            rejected.whole = True  # a graph in the body of the loop would hide changes that cancel out
            raise rejected
