"""Python's operators on numbers as functions, which older programs take from `dyad.ops.functional`."""

import math
import operator

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
}
functions = {f"scalar_{name}": function for name, function in _OPERATORS.items()}
