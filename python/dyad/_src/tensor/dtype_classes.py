"""Classes of dtypes: `isinstance(float32, Float)` is True.

All dtypes have one class, so these test the properties of a dtype.
"""

from collections.abc import Callable

from dyad import _core


class _Kind(type):
    """The metaclass; `_holds` of a class returns whether a dtype is its instance."""

    _holds: Callable[[_core.DType], bool]

    def __instancecheck__(cls, value):
        return isinstance(value, _core.DType) and cls._holds(value)


class Number(metaclass=_Kind):
    """The dtypes of numbers: all but bool."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is not _core.bool_


class Bool(metaclass=_Kind):
    """The dtype bool_."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is _core.bool_


class Int(metaclass=_Kind):
    """The dtypes of integers that have a sign."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.name.startswith("int")


class UInt(metaclass=_Kind):
    """The dtypes of integers without a sign."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.name.startswith("uint")


class Float(metaclass=_Kind):
    """The dtypes float16, float32 and float64; bfloat16 is one of `BFloat`."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.is_floating_point and dtype is not _core.bfloat16


class BFloat(metaclass=_Kind):
    """The dtype bfloat16."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is _core.bfloat16


class Complex(metaclass=_Kind):
    """The dtypes of complex numbers."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.is_complex
