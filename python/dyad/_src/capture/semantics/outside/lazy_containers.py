"""Containers from outside that the program has found, but not looked into.

What is only handed on, or only added to, may hold anything: a guard asks for its type alone. The program sees an
`Unread` in its place. Moving it about needs no look; what asks for more calls `LazyContainers.look`, which gives the
whole container. All else that touches one raises `NeedsLook`, and the program is captured again with that container
looked into from the beginning: nothing is ever computed from the stand-in.
"""

import collections
from typing import NamedTuple

from dyad._src.base.break_reasons import kind_of_type
from dyad._src.capture.errors import NEEDS_PYTHON, rejection
from dyad._src.capture.semantics.stand_ins import AddingMethod, NeedsLook, Unread
from dyad._src.capture.semantics.values import MISSING, contents_choice_of
from dyad._src.tensor.mutable import Mutable

_CHANGEABLE = frozenset((list, dict, set, collections.deque))
_TYPES = _CHANGEABLE | {tuple, frozenset}
# (class, method) -> what the method adds: one value, those of something iterable.
_ADDING: dict = {
    **{(kind, "append"): "one" for kind in (list, collections.deque)},
    **{(kind, "extend"): "several" for kind in (list, collections.deque)},
    (set, "add"): "one",
    (set, "update"): "several",
}
# A length that has changed this often is asked for by Python.
_CHANGES_OF_LENGTH = 2


class Found(NamedTuple):
    """A container from outside with its place in the guard tree and among the arguments, and what is seen of it."""

    original: object
    node: int
    place: tuple | None
    stand_in: Unread


class LazyContainers:
    """The containers of one capture that nobody has looked into, and what the program has added to them.

    `looked_into` are paths of those that are looked into from the beginning; None for all.
    """

    def __init__(self, external, looked_into, leaves_lengths):
        self._external = external
        self._looked_into = looked_into
        self._leaves_lengths = leaves_lengths  # whether Python asks for lengths that change
        self._by_stand_in = {}
        self._by_original = {}
        self._additions = {}  # id of a stand-in -> a list or, for a dict, a dict of the journal
        self._methods = {}  # id of an AddingMethod -> (it, Found, what it adds)

    def release(self):
        """Lets go of all objects."""
        for held in (self._by_stand_in, self._by_original, self._additions, self._methods):
            held.clear()

    # ---- what is met

    def takes(self, value, node, place):
        """Returns whether a value that was found may stay unread; outside of the arguments only if it is mutable."""
        kinds = _CHANGEABLE if place is None else _TYPES
        if self._looked_into is None or not (type(value) in kinds or self._is_of_any_length(value)):
            return False
        return self._external.tree.path(node) not in self._looked_into

    def _is_of_any_length(self, value):
        is_marked = self._leaves_lengths and issubclass(type(value), Mutable)
        return is_marked and getattr(value, "dynamic_len", False)

    def meet(self, value, node, place):
        """Returns the program's stand-in for a container."""
        known = self._by_original.get(id(value))
        if known is not None:
            if known.node != node:
                self._external.tree.check_alias(known.node, node)
            return known.stand_in
        stand_in = Unread()
        found = Found(value, node, place, stand_in)
        self._by_original[id(value)] = self._by_stand_in[id(stand_in)] = found
        self._external.tree.check_type(node, type(value))
        self._external.note_seen(value, node, stand_in)
        self._external.instance_dicts.require_unwritten(value)
        return stand_in

    def has_met(self, value):
        """Returns whether the program can reach this object already."""
        return id(value) in self._by_original

    def was_added_to(self, value):
        """Returns whether something was added to a container that was met, but not read."""
        known = self._by_original.get(id(value))
        return known is not None and id(known.stand_in) in self._additions

    def found(self, value):
        """The Found of an object from outside that was met; None if it was not. What is added to is looked into."""
        known = self._by_original.get(id(value))
        if known is not None and id(known.stand_in) in self._additions:
            raise NeedsLook(known.stand_in)
        return known

    def _container(self, stand_in):
        """The Found of a stand-in; one for a method is asked for something that methods have not."""
        found = self._by_stand_in.get(id(stand_in))
        if found is None:
            raise NeedsLook(stand_in)
        return found

    def path_of(self, stand_in):
        """Where the container is that a stand-in, or a method of one, stands for; None if that is not known."""
        method = self._methods.get(id(stand_in))
        found = self._by_stand_in.get(id(stand_in)) if method is None else method[1]
        return None if found is None else self._external.tree.path(found.node)

    # ---- looking

    def look(self, value):
        """The whole container; any other value as it is."""
        if type(value) is not Unread:
            return value
        found = self._by_stand_in[id(value)]
        if self._is_of_any_length(found.original):
            raise self._of_unknown_length(found)
        if self._is_late(found):
            raise NeedsLook(value)
        return self._external.adopt(found.original, found.node, found.place)

    def _is_late(self, found):
        """Returns whether a branch has begun already: Tensors of an argument must be found before that."""
        is_argument = found.place is not None
        return is_argument and self._external.heap.depth > 0 and not self._external.is_adopted(found.original)

    def item(self, stand_in, key):
        """The item under a key that is there, of which no other is looked at; MISSING if the whole must be."""
        found = self._container(stand_in)
        original = found.original
        if id(stand_in) in self._additions or self._external.is_adopted(original) or self._is_late(found):
            return MISSING
        if type(original) is dict and type(key) in (int, str):
            if key not in original:
                return MISSING
            node = self._external.tree.item(found.node, key)
        elif isinstance(original, (list, tuple)) and type(key) is int and 0 <= key < len(original):
            node = self._external.tree.element(found.node, key)
        else:
            return MISSING
        self._external.note_changeable(found.node)
        place = None if found.place is None else (*found.place, key)
        return self._external.meet(original[key], node, place, isinstance(original, Mutable))

    def length(self, stand_in):
        """The number of members without reading them; MISSING if the whole container must be read."""
        found = self._container(stand_in)
        added = self._additions.get(id(stand_in), ())
        if added and (type(found.original) is not list or contents_choice_of(added) is not None):
            raise NeedsLook(stand_in)
        if self._leaves_lengths and self._external.changes_at(found.node) >= _CHANGES_OF_LENGTH:
            raise self._of_unknown_length(found)
        if self._is_of_any_length(found.original):
            raise self._of_unknown_length(found)
        if self._external.is_adopted(found.original):
            return MISSING
        self._external.note_changeable(found.node)
        self._external.tree.check_length(found.node, len(found.original))
        return len(found.original) + len(added)

    def truth(self, stand_in):
        """Returns whether the container has members by now; MISSING if the whole must be looked at."""
        found = self._container(stand_in)
        added = self._additions.get(id(stand_in), ())
        if added and contents_choice_of(added) is None:
            return True
        if added or self._is_of_any_length(found.original) or self._external.is_adopted(found.original):
            return MISSING
        self._external.note_changeable(found.node)
        self._external.tree.check_call(found.node, _has_members, _has_members(found.original))
        return _has_members(found.original)

    def _of_unknown_length(self, found):
        kind = type(found.original).__name__
        return rejection(
            kind_of_type(type(found.original)),
            None,
            f"{kind}: its length changes from call to call",
            NEEDS_PYTHON,
        )

    # ---- adding

    def method(self, stand_in, name):
        """A method of the container that only adds to it; MISSING if it is not known to."""
        found = self._container(stand_in)
        adds = _ADDING.get((type(found.original), name))
        if adds is None or not self._may_be_added_to(found):
            return MISSING
        method = AddingMethod()
        self._methods[id(method)] = (method, found, adds)
        return method

    def adds_several(self, method):
        """Returns whether a method takes something iterable."""
        return self._methods[id(method)][2] == "several"

    def adds_members(self, method):
        """Returns whether a method adds to a set."""
        return type(self._methods[id(method)][1].original) is set

    def add_by(self, method, values):
        """Adds values by a method."""
        found = self._methods[id(method)][1]
        if not self._may_be_added_to(found):
            raise NeedsLook(found.stand_in)
        self._held(found, []).extend(values)

    def takes_entry(self, stand_in, key):
        """Returns whether an entry may be written to a dict without looking into it."""
        found = self._container(stand_in)
        return type(found.original) is dict and type(key) in (int, str) and self._may_be_added_to(found)

    def takes_items(self, stand_in):
        """Returns whether `+=` adds to the container."""
        return self.method(stand_in, "extend") is not MISSING

    def add_items(self, stand_in, values):
        """`container += values`."""
        self._held(self._container(stand_in), []).extend(values)

    def write_entry(self, stand_in, key, value):
        """`container[key] = value` of a dict."""
        self._held(self._container(stand_in), {})[key] = value

    def additions(self):
        """(place in the guard tree, what was added) of each container that was added to."""
        return [(self._by_stand_in[key].node, held) for key, held in self._additions.items() if held]

    def _may_be_added_to(self, found):
        return self._external.lax and not self._external.is_adopted(found.original)

    def _held(self, found, empty):
        """Returns the additions to a container, which are about to change."""
        external = self._external
        external.instance_dicts.require_entries_apart(found.original)
        held = self._additions.get(id(found.stand_in))
        if held is None:
            held = self._additions[id(found.stand_in)] = external.heap.note_outside(empty)
            external.note_changeable(found.node)
        if contents_choice_of(held) is not None:
            raise NeedsLook(found.stand_in)
        external.heap.touch(held)
        return held


def _has_members(container):
    return len(container) > 0
