"""The memories of a graph's tensors, by number, and which of them are written.

A tensor that is noted here is kept until the capture ends, so that a number means one memory.
"""

import collections
import itertools
import weakref

from dyad import _core

_LATELY = 4  # what leaves a function was made by one of the last few that ended


class MemoryGraph(_core.Graph):
    """A graph that numbers the memories of tensors that it is asked for."""

    is_captured = True  # the program is read; recording by trace runs it

    def __init__(self, name):
        super().__init__(name)
        self.kept = []  # a tensor for each memory that is known
        self._numbers = []  # for each of them, the number of its memory
        self._places = {}  # key of a storage -> the places in `kept` of tensors that had it when they were noted
        self._without_data = []  # places of tensors that had no data then
        self._active = {}  # place in `kept` -> how often its memory was written, for what the open function can reach
        # number of a memory -> how many places of it are active
        self._visible: collections.Counter = collections.Counter()
        self._moment = 0  # up to which it is known what was written
        self._ended: list = [[]]  # for each open function, those inside it that have ended
        self._known_before = [0]  # for each of them, how many memories were known where it was entered
        self.open_functions = [0]  # their numbers, outermost first
        self._functions = {}  # id of a function that has ended -> (function, its number)
        self._constants = {}  # id of a tensor with data -> (reference to it, number of the function that made it)
        self._count = 0
        self.before_function = _nothing  # called where a function begins
        self.on_name_read = _ignore  # called with a Parameter whose name is read
        self.decides = False  # whether it has branches or loops

    def release(self):
        """Lets go of all tensors, once the graph is compiled."""
        for held in (
            *(self.kept, self._numbers, self._places, self._without_data, self._active, self._visible),
            *(self._functions, self._constants),
        ):
            held.clear()
        self.on_name_read = _ignore

    def asked_outside(self, question, tensor):
        """Returns `question(tensor)` as it is where the graph is called: a graph records in its own way."""
        self.deactivate()
        try:
            return question(tensor)
        finally:
            self.activate()

    # ---- functions

    def begin(self, *args):
        self.before_function()
        params = super().begin(*args)
        self._enter(None)
        return params

    def suspend(self):
        function = super().suspend()
        self._leave(function)
        return function

    def resume(self, function):
        super().resume(function)
        self._enter(function)

    def open(self, function):
        params = super().open(function)
        self._enter(None)
        return params

    def close(self, function, outs):
        super().close(function, outs)
        self._leave(function)

    def add_if(self, *args, **kwargs):
        self.decides = True
        return super().add_if(*args, **kwargs)

    def add_while(self, *args, **kwargs):
        self.decides = True
        return super().add_while(*args, **kwargs)

    def _enter(self, function):
        self._count += 1
        self._ended.append([])
        self._known_before.append(len(self.kept))
        self.open_functions.append(self._functions.get(id(function), (None, self._count))[1])

    def _leave(self, function):
        self._functions[id(function)] = (function, self.open_functions.pop())
        self._ended.pop()
        self._ended[-1].append(function)
        # What was within reach before the function is so after it.
        known_before = self._known_before.pop()
        newer = itertools.takewhile(lambda place: place >= known_before, reversed(self._active))
        for place in [place for place in newer if not self._reaches(self.kept[place])]:
            self._deactivate(place)

    def _deactivate(self, place):
        del self._active[place]
        self._visible[self._numbers[place]] -= 1

    def note_constant(self, tensor):
        """Remembers which function made a tensor with data."""
        self._constants[id(tensor)] = (weakref.ref(tensor), self.open_functions[-1])

    def made_by(self, tensor):
        """The number of the function that made a tensor with data; 0 if it was not one of this graph."""
        known = self._constants.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else 0

    def _reaches(self, tensor):
        if self.made_by(tensor) not in self.open_functions:
            return False
        return not any(self.made_inside(function, tensor) for function in self._ended[-1][-_LATELY:])

    # ---- memories

    def memory(self, tensor):
        """The number of a tensor's memory; one that is not known yet is noted."""
        place = self._place_of(tensor)
        if place is None:
            place = self._note(tensor, len(self.kept))
        return self._numbers[place]

    def note_new(self, tensor):
        """Notes a tensor that the last node gave with memory of its own: it is not looked for among those known."""
        if tensor.__dict__.get("_place") is None:
            self._note(tensor, len(self.kept))

    def holder(self, memory):
        """The first tensor that was known with a memory."""
        return self.kept[self._numbers.index(memory)]

    def shows(self, tensor, memories):
        """Returns whether a tensor shows one of these memories."""
        if tensor.has_init:
            return False
        return any(self._numbers[place] in memories for place in self._places_with(tensor))

    def _place_of(self, tensor):
        known = tensor.__dict__.get("_place")
        if known is not None and known[0] is self:
            return known[1]
        place = min(self._places_with(tensor), default=None)
        if place is not None:
            self._remember(tensor, place)
        return place

    def _places_with(self, tensor):
        """The places of what is kept with the storage of a tensor."""
        noted = self._places.get(_core.storage_key(tensor), ())
        for place in (*noted, *self._without_data):
            if _core.shares_storage(tensor, self.kept[place]):
                yield place

    def _remember(self, tensor, place):
        if _core.is_symbolic(tensor):  # others are there for longer than the graph
            tensor.__dict__["_place"] = (self, place)

    def _note(self, tensor, number):
        place = len(self.kept)
        self.kept.append(tensor)
        self._numbers.append(number)
        self._remember(tensor, place)
        key = _core.storage_key(tensor)
        if key is None:
            self._without_data.append(place)
        else:
            self._places.setdefault(key, []).append(place)
        if self._reaches(tensor):
            self._active[place] = _state_of(tensor)
            self._visible[number] += 1
        return place

    def visible(self, memory):
        """Returns whether the open function can reach a memory."""
        return self._visible[memory] > 0

    def take_written(self):
        """Numbers of the memories that were written since the last time."""
        written = []
        for place in self._places_to_check():
            before, tensor = self._active[place], self.kept[place]
            now = _state_of(tensor)
            if now == before:
                continue
            self._active[place] = now
            written.append(self._numbers[place])
            if now[0] and not before[0]:
                # A tensor with data became one of the graph: from now on its views show the graph's memory.
                self._note(tensor[...], self._numbers[place])
        return written

    def _places_to_check(self):
        """The active places whose memory may have been written since the last time, in order."""
        self._moment, keys = _core.writes_since(self._moment)
        if keys is None:
            return list(self._active)
        if not keys:
            return ()
        found = {place for key in keys for place in self._places.get(key, ())}
        return sorted(place for place in found.union(self._without_data) if place in self._active)


def _nothing():
    pass


def _ignore(value):
    pass


def _state_of(tensor):
    return _core.is_symbolic(tensor), _core.version_of(tensor)
