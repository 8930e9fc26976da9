"""Python's operators on numbers: functions of `dyad.ops.functional`, and Primitives of `_scalar_ops`."""

import math
import operator

from dyad._src.primitive import primitive_of

_OPERATORS = {
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
functions = {f"scalar_{name}": function for name, function in _OPERATORS.items()}

_SPELLED = {"floordiv": "FloorDiv"}
classes = {
    f"Scalar{_SPELLED.get(name, name.capitalize())}": primitive_of(
        f"Scalar{_SPELLED.get(name, name.capitalize())}", function
    )
    for name, function in _OPERATORS.items()
    if name != "ne"
}
_BITS = {"bit_and": operator.and_, "bit_or": operator.or_, "bool_not": operator.not_}
classes |= {name: primitive_of(name, function) for name, function in _BITS.items()}
