"""Nodes that are not operators on tensors: tuples, Python's numbers, strings, and state."""

import operator

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.interchange.mindir.dtypes import argument_dtype
from dyad.ops import sequence_operators


def letters(name):
    """The normalized name of a node, equal for `MakeTuple` and `make_tuple`."""
    return name.replace("_", "").lower()


def _tuple_of(*members):
    return members


def _list_of(*members):
    return list(members)


def _dict_of(keys, values):
    return dict(zip(keys, values, strict=True))


def _with_item(sequence, place, value):
    changed = list(sequence)
    changed[place] = value
    return tuple(changed) if isinstance(sequence, tuple) else changed


def _slice_of(start, stop, step):
    return slice(start, stop, step)


def _keys_of(mapping):
    return tuple(mapping.keys())


def _values_of(mapping):
    return tuple(mapping.values())


def _as_number(value, dtype=None):
    """A Python number of the type of a dtype; a Tensor of one element is read."""
    if isinstance(value, Tensor):
        value = value.item()
    if isinstance(dtype, int):
        dtype = argument_dtype(dtype)
    if dtype is None:
        return value
    if dtype == _core.bool_:
        return bool(value)
    return float(value) if dtype.is_floating_point else int(value)


def _as_tensor(value, dtype=None):
    if isinstance(dtype, int):
        dtype = argument_dtype(dtype)
    return value if isinstance(value, Tensor) else Tensor(value, dtype)


def _both(x, y):
    return bool(x) and bool(y)


def _either(x, y):
    return bool(x) or bool(y)


def _is_in(x, members):
    return x in members


def _is_not_in(x, members):
    return x not in members


def _joined_text(x, y):
    return x + y


def snapshot(value):
    """The value that a Parameter has now, whatever is written to it later."""
    return value.copy() if isinstance(value, Tensor) else value


_SCALARS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "uadd": operator.pos,
    "usub": operator.neg,
    "max": max,
    "min": min,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}

# By normalized name. Two names of a comparison ("ScalarGt", "scalar_greater") are in use.
FUNCTIONS = {
    "maketuple": _tuple_of,
    "makelist": _list_of,
    "makedict": _dict_of,
    "makeslice": _slice_of,
    "tuplegetitem": operator.getitem,
    "listgetitem": operator.getitem,
    "dictgetitem": operator.getitem,
    "realtuplegetitem": operator.getitem,
    "tuplesetitem": _with_item,
    "listsetitem": _with_item,
    "dictgetkeys": _keys_of,
    "dictgetvalues": _values_of,
    "sequencelen": len,
    "tuplelen": len,
    "listlen": len,
    "arraylen": len,
    "boolnot": operator.not_,
    "booland": _both,
    "boolor": _either,
    "booleq": operator.eq,
    "is": operator.is_,
    "isnot": operator.is_not,
    "in": _is_in,
    "notin": _is_not_in,
    "stringeq": operator.eq,
    "stringnot": operator.not_,
    "stringconcat": _joined_text,
    "scalarbool": bool,
    "scalarcast": _as_number,
    "tensortoscalar": _as_number,
    "scalartotensor": _as_tensor,
    "tuplegettensor": _as_tensor,
    "stopgradient": ops.stop_gradient,
    "tensormove": snapshot,
    "identity": snapshot,
    **{f"scalar{name}": function for name, function in _SCALARS.items()},
    **{letters(name): cls() for name, cls in sequence_operators.classes.items() if not cls._parameters},
}

# Nodes whose result is their first input: they only say what must have happened before.
ALIASES = {"depend", "return", "mirroroperator", "castbarrier"}
# Nodes whose result only orders effects.
ORDERS = {"updatestate"}
# The value of a Parameter at a moment.
LOADS = {"load"}
