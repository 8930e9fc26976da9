"""Values from outside that are known by what they are equal to, or by which object they are."""

import types

from dyad import _core

# A guard compares them by value.
CONSTANT_TYPES = (
    *(bool, int, float, complex, str, bytes, range),
    *(type(None), type(Ellipsis), type(NotImplemented)),
)
# A guard asks whether it is the same object.
IDENTITY_TYPES = (
    *(type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType),
    *(types.MethodDescriptorType, types.MethodWrapperType, types.WrapperDescriptorType),
    type(_core.float32),
)


def is_plain_number(value):
    """Returns whether a number of Python can be an input of a graph."""
    return type(value) is float or (type(value) is int and value.bit_length() < 63)


class _Identity:
    """Stands for a member whose class may compare in its own way: equal to that of the same object."""

    __slots__ = ("_member",)

    def __init__(self, member):
        self._member = member

    def __eq__(self, other):
        return self._member is other._member

    def __hash__(self):
        return id(self._member)


def set_key(value):
    """Returns a set as a guard compares it: members with their types, in their order. It runs no code of theirs."""
    kind = frozenset if isinstance(value, frozenset) else set
    return tuple(map(_member_key, kind.__iter__(value)))


def _member_key(member):
    cls = type(member)
    if cls in (float, complex):
        return cls, repr(member)  # tells 0.0 from -0.0
    if cls in CONSTANT_TYPES:
        return cls, member
    if cls is tuple:
        return cls, tuple(map(_member_key, member))
    return cls.__name__, set_key(member) if cls is frozenset else _Identity(member)
