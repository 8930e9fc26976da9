"""`mutable`: values other than Tensors that are variables of a graph and of differentiation."""

from collections.abc import Callable
from typing import Any, cast

from dyad._core import GraphNumber, Tensor
from dyad._src.base.argument_checks import a_value


class Mutable:
    """Base class of marked values, which are equal to the plain value."""

    __slots__ = ()

    dynamic_len = False  # whether the length may vary too


class MutableInt(Mutable, int):
    pass


class MutableFloat(Mutable, float):
    pass


class MutableBool(Mutable, int):
    """A marked bool. bool cannot be subclassed; this int prints like a bool, and its `__class__` is bool."""

    def __repr__(self):
        return repr(bool(self))

    __str__ = __repr__

    @property  # type: ignore[misc]
    def __class__(self):
        return bool

    def __and__(self, other):
        return bool(self) & other

    def __or__(self, other):
        return bool(self) | other

    def __xor__(self, other):
        return bool(self) ^ other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


class MutableTuple(Mutable, tuple):
    pass


class MutableList(Mutable, list):
    pass


class MutableDict(Mutable, dict):
    pass


class MutableNumber(Mutable):
    """A marked number of a graph, whose value is known when the graph runs."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


# bool comes before int, its base class.
_MARKED: tuple[tuple[type, Callable], ...] = (
    (bool, MutableBool),
    (int, MutableInt),
    (float, MutableFloat),
    (tuple, MutableTuple),
    (list, MutableList),
    (dict, MutableDict),
)


def mutable(input_data, dynamic_len: bool = False):
    """`input_data`, marked as a variable: a Tensor, bool, int, float, or nested tuples, lists and dicts of them.

    With `dynamic_len` the length of a tuple or list may vary too. `__ms_origin_object__` of the result is the
    original value.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"For 'mutable', the second input should be bool, but got {dynamic_len!r}")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(
            "For 'mutable', when dynamic_len is True, the first input should be a list or tuple, but got "
            f"{a_value(input_data)}"
        )
    _require_allowed(input_data, ())
    if isinstance(input_data, GraphNumber) or (isinstance(input_data, Tensor) and not input_data.const_arg):
        return input_data
    marked: Any
    if isinstance(input_data, Tensor):
        marked = input_data[...]  # the same memory, which is a variable of a graph
    else:
        marked = next(mark(input_data) for kind, mark in _MARKED if isinstance(input_data, kind))
        marked.dynamic_len = dynamic_len
    marked.__ms_origin_object__ = input_data
    return marked


def _require_allowed(value, holders):
    if any(value is holder for holder in holders):
        raise TypeError(
            f"For 'mutable', {a_value(value)} contains itself; need a structure with no self-reference"
        )
    if isinstance(value, (tuple, list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            _require_allowed(part, (*holders, value))
    elif not isinstance(value, (Tensor, bool, int, float, GraphNumber)):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures, but got {a_value(value)}"
        )


def is_sequence_shape_unknown(x):
    """Returns whether the length of a tuple or list is dynamic. Outside of a graph every length is static.

    Example:
        >>> from dyad import jit, mutable, ops
        >>> jit(lambda x: ops.is_sequence_shape_unknown(x))(mutable([1, 2], True))
        True
    """
    _require_sequence("is_sequence_shape_unknown", x)
    return False


def is_sequence_value_unknown(x):
    """Returns whether an element of a tuple or list, or its length, is dynamic.

    Example:
        >>> from dyad import jit, mutable, ops
        >>> jit(lambda x: ops.is_sequence_value_unknown(x))(mutable([1, 2]))
        True
    """
    _require_sequence("is_sequence_value_unknown", x)
    return False


def is_dynamic_sequence_element_unknown(x):
    """Returns whether a sequence of dynamic length, made by `mutable`, has no element yet that sets the element type.

    Example:
        >>> from dyad import mutable, ops
        >>> ops.is_dynamic_sequence_element_unknown(mutable([], True))
        True
    """
    require_dynamic(x, getattr(x, "dynamic_len", False))
    return len(x) == 0


def require_dynamic(x, is_dynamic):
    """Rejects arguments that `is_dynamic_sequence_element_unknown` does not accept."""
    _require_sequence("is_dynamic_sequence_element_unknown", x)
    if not is_dynamic:
        raise TypeError(
            f"is_dynamic_sequence_element_unknown: x is {a_value(x)} of a known length; "
            "x should be variable length sequence, as mutable(sequence, dynamic_len=True) is"
        )


def _require_sequence(caller, x):
    if not isinstance(x, (tuple, list, range)):
        raise TypeError(f"{caller}: x is {a_value(x)}; need a tuple, a list or a range")


def require_one_type(owner, value):
    """A sequence whose length may vary has elements of one type: their number is then all that changes."""
    if not isinstance(value, Mutable) or not value.dynamic_len:
        return
    kinds = sorted({_kind_of(part) for part in cast(Any, value)})
    if len(kinds) > 1:
        raise ValueError(
            f"{owner}: a sequence made by mutable with dynamic_len has elements of the types {', '.join(kinds)}; "
            "need elements of one type"
        )


def _kind_of(value):
    if isinstance(value, Tensor):
        return f"Tensor[{value.dtype}]"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__
