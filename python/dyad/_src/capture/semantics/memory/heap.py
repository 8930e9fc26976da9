"""Journal of changes to containers, so that each path of a branch starts from the same state.

Containers are the lists, dicts and sets that the program sees, the dicts of local names of frames and the attribute
dicts of objects. Every change goes through `Heap.touch`, which keeps the contents as they were when the innermost
open level began.
"""

import operator
from collections import OrderedDict, deque

_LAYOUTS = (OrderedDict, dict, list, set, deque, tuple, frozenset, str)


def is_container(value):
    """Returns whether the value is one of the containers that are shadowed and journalled."""
    return isinstance(value, (list, dict, set)) or type(value) is deque


def layout(container):
    """The class of Python's own that a container is made of; its methods are not those of a user's subclass."""
    return next(kind for kind in _LAYOUTS if isinstance(container, kind))


def plain(sequence):
    """A list, tuple or deque as one of Python's own class, with the members that it holds."""
    kind = layout(sequence)
    return sequence if type(sequence) is kind else kind(kind.__iter__(sequence))


def contents(container):
    """The contents as a value of their own."""
    kind = layout(container)
    return dict(kind.items(container)) if isinstance(container, dict) else list(kind.__iter__(container))


def set_contents(container, new):
    """Makes the container hold `new`, in place. What stays is not touched: Python may be iterating over it."""
    kind = layout(container)
    if kind in (dict, OrderedDict):
        _set_entries(kind, container, new)
    elif kind is set:
        kept = set(new)
        for member in [member for member in set.__iter__(container) if member not in kept]:
            set.discard(container, member)
        for member in new:
            set.add(container, member)
    elif kind is deque and len(new) == deque.__len__(container):
        for place, value in enumerate(new):
            deque.__setitem__(container, place, value)
    else:
        kind.clear(container)
        kind.extend(container, new)


def _set_entries(kind, container, new):
    for key in [key for key in kind.__iter__(container) if key not in new]:
        kind.__delitem__(container, key)
    for key, value in new.items():
        kind.__setitem__(container, key, value)
    if any(map(operator.is_not, kind.__iter__(container), new)):
        kind.clear(container)
        for key, value in new.items():
            kind.__setitem__(container, key, value)


class Change:
    """One container with its contents before and after a level."""

    __slots__ = ("after", "before", "container")

    def __init__(self, container, before):
        self.container = container
        self.before = before
        self.after = None


class Level(dict):
    """id of a container -> its Change, for what was changed since `began`, a moment of the clock.

    `watched_before` and `watched_after` are how often members of containers had changed where it began and ended.
    """

    def __init__(self, began, watched):
        super().__init__()
        self.began = began
        self.watched_before = watched
        self.watched_after = watched


class Heap:
    """The journal of containers: what paths under way changed, so that it can be undone, compared and joined."""

    def __init__(self):
        self._levels = []
        self._namespaces = {}  # dicts whose keys are names, which may be unbound
        self._born = {}  # id of a container -> (container, moment it was made)
        self._touched = {}  # id of a container -> (container, moment it was changed last), in the order of the moments
        self._outside = set()  # ids of containers that are older than their note says
        self._clock = 0
        self._left = []  # dicts of names of functions that are over
        self._forgotten = {}  # containers that nothing reaches any more, by id
        self._watched = {}  # id of a container -> (it, how often its members changed on this path)
        self._changed_inside = (
            set()
        )  # ids of those whose members changed on a path that was joined with another
        self._seeds = {}  # id of a dict of names -> what its names held before they were looked at
        self.before_change = None  # called with each container that is about to be changed

    def release(self):
        """Lets go of all containers."""
        for held in (
            self._namespaces,
            self._born,
            self._touched,
            self._left,
            self._forgotten,
            self._seeds,
            self._watched,
        ):
            held.clear()

    @property
    def depth(self):
        """The number of nested paths that are being captured."""
        return len(self._levels)

    @property
    def clock(self):
        """A moment that containers made later are younger than."""
        return self._clock

    def note_namespace(self, names):
        """Makes a dict one of names, in which a missing key is an unbound name; gives it back."""
        self._namespaces[id(names)] = names
        return self.note_birth(names)

    def is_namespace(self, container):
        """Returns whether a container is one of names."""
        return self._namespaces.get(id(container)) is container

    def note_birth(self, container):
        """Remembers when the program made this container, or first met it."""
        self._clock += 1
        self._born.setdefault(id(container), (container, self._clock))
        return container

    def is_noted(self, container):
        """Returns whether changes of a container are known: when it was made is remembered."""
        return id(container) in self._born

    def note_outside(self, container):
        """Remembers that the container was there before it was met, unless the program is known to have made it."""
        if id(container) not in self._born:
            self._outside.add(id(container))
        return self.note_birth(container)

    def was_touched(self, container):
        """Returns whether a change of the container was announced, on any path."""
        return id(container) in self._touched

    def older_than(self, container, moment):
        """Returns whether the container was there at that moment of the clock."""
        if id(container) in self._outside:
            return True
        born = self._born.get(id(container))
        return born is not None and born[1] <= moment

    def changed_since(self, container):
        """The containers that were made, met or changed since this one was made, that one included."""
        moment = self._born[id(container)][1]
        for noted in (self._born, self._touched):
            for other, at in reversed(noted.values()):
                if at < moment:
                    break
                yield other

    def watch(self, container):
        """The number of changes to the members of a container, counted from the first time it is read."""
        return self._watched.setdefault(id(container), (container, 0))[1]

    def is_watched(self, container):
        """Returns whether the number of changes to the members of a container was read."""
        return id(container) in self._watched

    def touch(self, container, keeps_members=False):
        """Call before every change of the container; `keeps_members` where only the value at a place changes."""
        self._clock += 1
        self._touched.pop(id(container), None)
        self._touched[id(container)] = (container, self._clock)
        if self.before_change is not None:
            self.before_change(container)
        if not keeps_members and id(container) in self._watched:
            self._watched[id(container)] = (container, self.watch(container) + 1)
        if self._levels:
            level = self._levels[-1]
            if id(container) not in level and not self._made_inside(container, level):
                level[id(container)] = Change(container, contents(container))

    def _made_inside(self, container, level):
        """Returns whether the container was made since the level began: nothing before it knows what it held."""
        if id(container) in self._outside:
            return False
        born = self._born.get(id(container))
        return born is not None and born[1] > level.began

    def is_new(self, value):
        """Returns whether the value was made since the innermost level began: it is there on one path only."""
        return not self._levels or self._made_inside(value, self._levels[-1])

    def seed(self, names, name, value):
        """Notes what a name has held all along: it was not looked at before."""
        names[name] = value
        self._seeds.setdefault(id(names), {})[name] = value
        for level in self._levels:
            if id(names) in level:
                level[id(names)].before.setdefault(name, value)

    def seeds_of(self, names):
        """Returns the values of names on paths that ended before the names were read."""
        return self._seeds.get(id(names), {})

    def push(self):
        """Begins a path."""
        self._levels.append(Level(self._clock, dict(self._watched)))

    def pop(self):
        """Ends the innermost level: all its containers are as they were; returns the changes made."""
        changes = self._levels.pop()
        for change in changes.values():
            change.after = contents(change.container)
            set_contents(change.container, change.before)
        changes.watched_after = dict(self._watched)
        for key, known in changes.watched_before.items():
            if self._watched[key] != known:
                self._changed_inside.add(key)
                self._watched[key] = known
        return changes

    def reopen(self, level):
        """Goes on with a level that was ended: its containers are as it left them."""
        for change in level.values():
            set_contents(change.container, change.after)
        self._watched.update(level.watched_after)
        self._levels.append(level)

    def forget(self, container):
        """Nothing can reach the container any more: what became of it is of no interest to any level."""
        self._forgotten[id(container)] = container
        container.clear()
        for level in self._levels:
            level.pop(id(container), None)

    def still_reached(self, level):
        """The changes of a level without those of containers that are forgotten by now."""
        for key in [key for key in level if key in self._forgotten]:
            del level[key]
        return level

    def keep(self):
        """Ends the innermost level and keeps what it did; returns what was changed."""
        changes = self._levels.pop()
        if self._levels:
            level = self._levels[-1]
            for key, change in changes.items():
                if not self._made_inside(change.container, level):
                    level.setdefault(key, change)
        return list(changes.values())

    def note_left(self, names):
        """Remembers that nothing reads these names any more."""
        self._left.append(names)

    def times_kept(self, value):
        """Counts references to a value that this path does not find.

        That is in what containers held before, which is there for other paths, and in names of functions that are over.
        """
        kept = [change.before for level in self._levels for change in level.values()]
        return sum(
            member is value
            for held in (*kept, *self._left)
            for member in (held.values() if isinstance(held, dict) else held)
        )

    def replace(self, container, new):
        """Sets the contents of a container, as a change of the path under way."""
        self.touch(container, keeps_members=id(container) not in self._changed_inside)
        set_contents(container, new)
