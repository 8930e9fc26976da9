"""Python's operators on numbers and other objects: functions of `ops.functional`, and Primitives of `_scalar_ops`."""

import inspect
import math
import operator
from collections.abc import Callable

from dyad._src.primitive.primitive import primitive_of

_OPERATORS: dict[str, Callable] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "uadd": operator.pos,
    "usub": operator.neg,
    "eq": operator.eq,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "bool": operator.truth,
    "log": math.log,
    "max": max,
    "min": min,
    "ne": operator.ne,
}


def _with_item(sequence, place, value):
    """The tuple or list with another element at a place."""
    elements = list(sequence)
    elements[place] = value
    return tuple(elements) if isinstance(sequence, tuple) else elements


functions: dict[str, Callable] = {f"scalar_{name}": function for name, function in _OPERATORS.items()}
# The same on other objects of Python.
functions |= {
    "bool_and": lambda x, y: x and y,
    "bool_eq": operator.eq,
    "bool_or": lambda x, y: x or y,
    "dict_getitem": operator.getitem,
    "in_dict": lambda x, y: x in y,
    "is_": operator.is_,
    "is_not": operator.is_not,
    "list_getitem": operator.getitem,
    "list_len": len,
    "list_setitem": _with_item,
    "make_list": lambda *elements: list(elements),
    "make_slice": slice,
    "not_in_dict": lambda x, y: x not in y,
    "string_concat": operator.add,
    "string_eq": operator.eq,
    "tail": lambda x: x[1:],
    "tuple_div": lambda x, y: tuple([one / other for one, other in zip(x, y, strict=True)]),
    "tuple_reversed": lambda x: x[::-1],
    "tuple_setitem": _with_item,
}
for _function in functions.values():
    if inspect.isfunction(_function):
        _function.__dict__["_is_program"] = True

_SPELLED = {"floordiv": "FloorDiv"}
classes = {
    f"Scalar{_SPELLED.get(name, name.capitalize())}": primitive_of(
        f"Scalar{_SPELLED.get(name, name.capitalize())}", function
    )
    for name, function in _OPERATORS.items()
    if name != "ne"
}
_BITS = {
    "bit_and": operator.and_,
    "bit_left_shift": operator.lshift,
    "bit_or": operator.or_,
    "bit_right_shift": operator.rshift,
    "bit_xor": operator.xor,
    "bool_not": operator.not_,
    "string_ge": operator.ge,
    "string_getitem": operator.getitem,
    "string_gt": operator.gt,
    "string_in": lambda x, y: x in y,
    "string_le": operator.le,
    "string_lt": operator.lt,
    "string_mul": operator.mul,
    "string_not": operator.not_,
}
classes |= {name: primitive_of(name, function) for name, function in _BITS.items()}
