"""Abstract values with members: sequences, dicts and objects, and what the run makes of its members."""

from typing import Any

from dyad._src.capture.semantics.abstract.values import AbstractValue
from dyad._src.capture.semantics.control.exceptions import state_of, with_state
from dyad._src.capture.semantics.values import ContentsChoice, Deferred, Returned


class AbstractContainer(AbstractValue):
    """A container by the abstract values of its members, `items`.

    One with identity (a list, a dict, an object) is flattened and built once, however many places hold it.
    """

    items: Any

    __slots__ = ("items",)

    has_identity = True  # whether a program sees that two places hold one and the same

    def includes(self, other):
        return (
            type(other) is type(self)
            and self._same_structure(other)
            and all(a.includes(b) for a, b in zip(self.items, other.items, strict=True))
        )

    def _same_structure(self, other):
        """Returns whether another of the same kind differs in its members at the most."""
        raise NotImplementedError

    def _equals_within(self, other):
        return all(a.equals(b) for a, b in zip(self.items, other.items, strict=True))

    def with_items(self, items):
        """The same container of other members."""
        raise NotImplementedError

    def members(self, value):
        """The members of a value in the order of `items`."""
        return value

    def make(self, members):
        """The value of these members."""
        raise NotImplementedError

    def flatten(self, value, out):
        def collect():
            for aval, member in zip(self.items, self.members(value), strict=True):
                aval.flatten(member, out)

        self._collect(out, collect, value)

    def flatten_zeros(self, out):
        def collect():
            for aval in self.items:
                aval.flatten_zeros(out)

        self._collect(out, collect)

    def flatten_specs(self, out):
        def collect():
            for aval in self.items:
                aval.flatten_specs(out)

        self._collect(out, collect)

    def _collect(self, out, collect, value=None):
        if self.has_identity:
            out.container(self, collect, value)
        else:
            collect()

    def unflatten(self, leaves):
        if not self.has_identity:
            return self._built(leaves)
        return leaves.once(self, lambda: self._built(leaves))

    def _built(self, leaves):
        return self.make([aval.unflatten(leaves) for aval in self.items])


class AbstractSequence(AbstractContainer):
    """A list or tuple that the program made."""

    __slots__ = ("type",)

    def __init__(self, type_, items):
        self.type = type_
        self.items = items

    @property
    def has_identity(self):  # type: ignore[override]  # read-only in place of the class attribute
        return self.type is list

    def _same_structure(self, other):
        return other.type is self.type and len(other.items) == len(self.items)

    def with_items(self, items):
        return AbstractSequence(self.type, items)

    def make(self, members):
        if self.type is list:
            return members
        return tuple(members) if self.type is tuple else tuple.__new__(self.type, members)

    def describe(self):
        if self.type is Returned:
            return self.items[0].describe()
        return f"a {self.type.__name__} of length {len(self.items)}"


class AbstractDict(AbstractContainer):
    """A dict that the program made, or an object of class `owner` by its attributes."""

    __slots__ = ("keys", "owner")

    def __init__(self, keys, items, owner=None):
        self.keys = keys
        self.items = items
        self.owner = owner

    def _same_structure(self, other):
        return (other.keys, other.owner) == (self.keys, self.owner)

    def with_items(self, items):
        return AbstractDict(self.keys, items, self.owner)

    def members(self, value):
        held = attributes_of(value) if self.owner is not None else value
        return [held[key] for key in self.keys]

    def make(self, members):
        held = dict(zip(self.keys, members, strict=True))
        if self.owner is None:
            return held
        if issubclass(self.owner, BaseException):
            return with_state(self.owner, held)
        made = self.owner.__new__(self.owner)
        made.__dict__.update(held)
        return made

    def describe(self):
        if self.owner is not None:
            return f"an object of class {self.owner.__name__}"
        return f"a dict with the keys {list(self.keys)}"


class AbstractPatch(AbstractContainer):
    """The contents of a dict or list, which are those of `base` but for the members at `places`."""

    __slots__ = ("base", "places")

    def __init__(self, base, places, items):
        self.base = base
        self.places = places
        self.items = items

    def members(self, value):
        return [value[place] for place in self.places]

    def make(self, members):
        made = self.base.copy()
        for place, member in zip(self.places, members, strict=True):
            made[place] = member
        return made

    def describe(self):
        return f"a {type(self.base).__name__} of length {len(self.base)}"


class AbstractDeferred(AbstractContainer):
    """The result of a Python function on values known when the graph runs, by its arguments: see `Deferred`."""

    __slots__ = ("function", "what")

    has_identity = False

    def __init__(self, what, function, items):
        self.what = what
        self.function = function
        self.items = items

    def _same_structure(self, other):
        return other.function is self.function and len(other.items) == len(self.items)

    def with_items(self, items):
        return AbstractDeferred(self.what, self.function, items)

    def members(self, value):
        return value.arguments

    def make(self, members):
        return Deferred(self.what, self.function, members)

    def describe(self):
        return f"a {self.what}"


class AbstractContents(AbstractContainer):
    """The contents of a container that are one of several: see `ContentsChoice`. Its only member is the choice."""

    __slots__ = ()

    has_identity = False

    def __init__(self, choice):
        self.items = [choice]

    def _same_structure(self, other):
        return True

    def with_items(self, items):
        return AbstractContents(*items)

    def members(self, value):
        return [value.choice if isinstance(value, ContentsChoice) else value]

    def make(self, members):
        return ContentsChoice(members[0])

    def describe(self):
        return self.items[0].describe()


def attributes_of(value):
    """Returns the attributes of an object by name; None if they are not known."""
    return state_of(value) if isinstance(value, BaseException) else getattr(value, "__dict__", None)
