"""Registries: the members of one kind (child Cells, Parameters, buffers) that a Cell owns, in order."""

import copy

from dyad._src.base.abstract_cell import AbstractRegistry
from dyad._src.base.host_only import host_only


class Registry(AbstractRegistry):
    """A dict whose entries are also in the owner's `__dict__`.

    Reading `self.weight` is then an ordinary attribute look-up instead of a call of `__getattr__`, and the two always
    agree because every change is made here.
    """

    __slots__ = ("_attributes",)

    def __init__(self, attributes, members=()):
        super().__init__(members)
        self._attributes = attributes
        attributes.update(self)

    def __setitem__(self, name, member):
        super().__setitem__(name, member)
        self._attributes[name] = member

    def __delitem__(self, name):
        super().__delitem__(name)
        self._attributes.pop(name, None)

    @host_only
    def pop(self, name, *default):
        if name not in self and default:
            return default[0]
        member = self[name]
        del self[name]
        return member

    @host_only
    def popitem(self):
        name = next(reversed(self))
        return name, self.pop(name)

    @host_only
    def clear(self):
        for name in list(self):
            del self[name]

    @host_only
    def update(self, *others, **named):
        for name, member in dict(*others, **named).items():
            self[name] = member

    @host_only
    def setdefault(self, name, default=None):
        if name not in self:
            self[name] = default
        return self[name]

    @host_only
    def __ior__(self, other):  # type: ignore[misc]  # dict's own is declared for other operand types
        self.update(other)
        return self

    @host_only
    def replace_all(self, members):
        """New members in a new order."""
        self.clear()
        self.update(members)

    def __reduce__(self):
        # A copy has no owner; the Cell that adopts it binds it to its own attributes.
        return dict, (dict(self),)

    def __deepcopy__(self, memo):
        return {name: copy.deepcopy(member, memo) for name, member in self.items()}
