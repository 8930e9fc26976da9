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


def set_key(value):
    """What a guard compares of a set: its members with their types."""
    return frozenset((type(member), member) for member in value)
