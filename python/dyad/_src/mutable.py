"""`mutable`: values that are no Tensors, but that a graph takes as variables and a gradient can be taken by."""

from dyad._core import GraphNumber, Tensor
from dyad._src.argument_checks import a_value


class Mutable:
    """The mark. What carries it is equal to the plain value it was made from."""

    __slots__ = ()


class MutableInt(Mutable, int):
    pass


class MutableFloat(Mutable, float):
    pass


class MutableBool(Mutable, int):
    """bool cannot be derived from; this is the int that prints like one."""

    def __repr__(self):
        return repr(bool(self))

    __str__ = __repr__


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


# bool comes before int, which it is a kind of.
_MARKED = (
    (bool, MutableBool),
    (int, MutableInt),
    (float, MutableFloat),
    (tuple, MutableTuple),
    (list, MutableList),
    (dict, MutableDict),
)


def mutable(input_data, dynamic_len=False):
    """`input_data`, marked as a variable: a Tensor, bool, int, float, or nested tuples, lists and dicts of them.

    With `dynamic_len` the length of a tuple or list may vary too.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"mutable: dynamic_len is {dynamic_len!r}; need a bool")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError(f"mutable: dynamic_len is True for {a_value(input_data)}; need a tuple or a list")
    _require_allowed(input_data, ())
    if isinstance(input_data, (Tensor, GraphNumber)):
        return input_data
    marked = next(mark(input_data) for kind, mark in _MARKED if isinstance(input_data, kind))
    marked.dynamic_len = dynamic_len
    return marked


def _require_allowed(value, holders):
    if any(value is holder for holder in holders):
        raise TypeError(f"mutable: {a_value(value)} contains itself; need a structure without cycles")
    if isinstance(value, (tuple, list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            _require_allowed(part, (*holders, value))
    elif not isinstance(value, (Tensor, bool, int, float, GraphNumber)):
        raise TypeError(
            f"mutable: found {a_value(value)}; "
            "need Tensors, bools, ints, floats, or tuples, lists and dicts of them"
        )


def require_one_type(owner, value):
    """A sequence whose length may vary has elements of one type: their number is then all that changes."""
    if not isinstance(value, Mutable) or not getattr(value, "dynamic_len", False):
        return
    kinds = sorted({_kind_of(part) for part in value})
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
