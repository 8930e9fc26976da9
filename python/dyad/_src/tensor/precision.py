"""Computing in another precision than the one values are stored in."""

import functools

from dyad import _core
from dyad._core import Tensor

_CELL_PRECISIONS = (_core.float16, _core.float32, _core.bfloat16)


def require_cell_precision(caller, dtype):
    if not isinstance(dtype, _core.DType) or dtype not in _CELL_PRECISIONS:
        raise ValueError(f"{caller}: dst_type is {dtype!r}; need float16, float32 or bfloat16")


class AutocastRule:
    """The compute dtype of each operator; equal rules are the same object."""

    __slots__ = ("_made_of", "number")

    def __init__(self, dtype, primitives):
        self._made_of = dtype, primitives
        operators = None if primitives is None else [primitive._call for primitive in primitives]
        self.number = _core.autocast_rule(dtype, operators)

    def __reduce__(self):
        return autocast_rule, self._made_of

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        dtype, primitives = self._made_of
        names = "" if primitives is None else f" in {', '.join(cls.__name__ for cls in primitives)}"
        return f"<autocast to {dtype}{names}>"


@functools.cache
def autocast_rule(dtype, primitives=None):
    """The rule that maps each operator to the dtype in the operator table, the lower one being `dtype`.

    With a tuple of Primitive classes, their operators compute in `dtype` and return float32; others are not changed.
    """
    return AutocastRule(dtype, primitives)


def precision_here():
    """The compute dtype on this thread: a dtype or None, and the number of a rule."""
    return _core.state("compute_dtype"), _core.state("autocast")


def call_in_precision(dtype, function, args, kwargs):
    """Call a function; operators in it, on this thread, cast their float operands to `dtype` unless that is None."""
    if dtype is None:
        return function(*args, **kwargs)
    previous = _core.set_compute_dtype(dtype)
    try:
        return function(*args, **kwargs)
    finally:
        _core.set_compute_dtype(previous)


def call_with_autocast(rule, function, args, kwargs):
    """Call a function; operators in it, on this thread, follow the rule unless that is None or a dtype is set."""
    return function(*args, **kwargs) if rule is None else _call_by_rule(rule.number, function, args, kwargs)


def call_in_same_precision(precision, function, args, kwargs):
    """Call a function with operators computing as `precision_here` said elsewhere."""
    dtype, number = precision
    return call_in_precision(dtype, _call_by_rule, (number, function, args, kwargs), {})


def _call_by_rule(number, function, args, kwargs):
    previous = _core.set_autocast(number)
    try:
        return function(*args, **kwargs)
    finally:
        _core.set_autocast(previous)


def cast_floats(dtype, x):
    """`x` with its float Tensors cast to a dtype, also those inside tuples, lists and dicts."""
    if isinstance(x, Tensor):
        return x.astype(dtype) if x.dtype.is_floating_point else x
    if isinstance(x, (tuple, list)):
        parts = [cast_floats(dtype, part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {key: cast_floats(dtype, part) for key, part in x.items()}
    return x
