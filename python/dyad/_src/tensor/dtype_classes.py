"""Classes of element types: `isinstance(float32, Float)` tells what kind of number an element type holds.

Element types have one class of their own, so these are told apart by what an element type says about itself.
"""

from dyad import _core


class _Kind(type):
    """The class of the classes; each says with `_holds` which element types are its instances."""

    def __instancecheck__(cls, value):
        return isinstance(value, _core.DType) and cls._holds(value)


class Number(metaclass=_Kind):
    """The element types of numbers: all but bool."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is not _core.bool_


class Bool(metaclass=_Kind):
    """The element type bool_."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is _core.bool_


class Int(metaclass=_Kind):
    """The element types of integers that have a sign."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.name.startswith("int")


class UInt(metaclass=_Kind):
    """The element types of integers without a sign."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.name.startswith("uint")


class Float(metaclass=_Kind):
    """The element types float16, float32 and float64; bfloat16 is one of `BFloat`."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.is_floating_point and dtype is not _core.bfloat16


class BFloat(metaclass=_Kind):
    """The element type bfloat16."""

    @classmethod
    def _holds(cls, dtype):
        return dtype is _core.bfloat16


class Complex(metaclass=_Kind):
    """The element types of complex numbers."""

    @classmethod
    def _holds(cls, dtype):
        return dtype.is_complex
