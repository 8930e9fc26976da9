"""Element-by-element functions: the operators of `dyad.ops` under NumPy's names and calling convention."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad.numpy.operand import as_tensor, converted

# NumPy's name to the operator's.
_UNARY = {
    "abs": "abs",
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "bitwise_not": "bitwise_not",
    "cbrt": "cbrt",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "deg2rad": "deg2rad",
    "degrees": "rad2deg",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "fix": "trunc",
    "floor": "floor",
    "invert": "bitwise_not",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "logical_not": "logical_not",
    "negative": "neg",
    "positive": "positive",
    "rad2deg": "rad2deg",
    "radians": "deg2rad",
    "reciprocal": "reciprocal",
    "rint": "round",
    "sign": "sign",
    "signbit": "signbit",
    "sin": "sin",
    "sinc": "sinc",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}

_BINARY = {
    "add": "add",
    "arctan2": "atan2",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "copysign": "copysign",
    "divide": "div",
    "equal": "equal",
    "float_power": "float_power",
    "floor_divide": "floor_divide",
    "fmod": "fmod",
    "gcd": "gcd",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "heaviside": "heaviside",
    "hypot": "hypot",
    "lcm": "lcm",
    "less": "less",
    "less_equal": "less_equal",
    "logaddexp": "logaddexp",
    "logaddexp2": "logaddexp2",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "mod": "remainder",
    "multiply": "mul",
    "not_equal": "not_equal",
    "power": "pow",
    "remainder": "remainder",
    "subtract": "sub",
    "true_divide": "div",
}

# Where integers give a fraction, NumPy computes in floating point.
_FLOAT_RESULT = frozenset(
    (
        "arccos",
        "arccosh",
        "arcsin",
        "arcsinh",
        "arctan",
        "arctanh",
        "cbrt",
        "cos",
        "cosh",
        "deg2rad",
        "degrees",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log10",
        "log1p",
        "log2",
        "rad2deg",
        "radians",
        "reciprocal",
        "sin",
        "sinc",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    )
)


def _unary(name, operator):
    def function(x, dtype=None):
        x = as_tensor(x)
        if name in _FLOAT_RESULT and not (x.dtype.is_floating_point or x.dtype.is_complex):
            x = x.astype(_core.float32)
        return converted(operator(x), dtype)

    return _named(function, name, operator)


def _binary(name, operator):
    def function(x1, x2, dtype=None):
        # One number beside a Tensor stays a number, so that it does not widen the result.
        if not isinstance(x1, Tensor) and not isinstance(x2, (bool, int, float)):
            x1 = as_tensor(x1)
        if not isinstance(x2, (Tensor, bool, int, float)):
            x2 = as_tensor(x2)
        if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
            x1, x2 = as_tensor(x1), as_tensor(x2)
        return converted(operator(x1, x2), dtype)

    return _named(function, name, operator)


def _named(function, name, operator):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = operator.__doc__
    return function


def _available(table, make):
    return {name: make(name, getattr(ops, own)) for name, own in table.items() if own in ops.__all__}


globals().update(_available(_UNARY, _unary))
globals().update(_available(_BINARY, _binary))

__all__ = [
    *(name for name in (*_UNARY, *_BINARY) if name in globals()),
    "around",
    "clip",
    "isclose",
    "where",
]


def around(a, decimals=0):
    """Rounded to a number of decimals, halves to even."""
    a = as_tensor(a)
    return ops.round(a, decimals=decimals) if decimals else ops.round(a)


def clip(x, xmin, xmax, dtype=None):
    """x cut to [xmin, xmax]; None leaves a side open."""
    return converted(ops.clamp(as_tensor(x), xmin, xmax), dtype)


def where(condition, x=None, y=None):
    """Elements of x where the condition holds, else of y; with the condition alone, the positions where it holds."""
    condition = as_tensor(condition)
    if x is None and y is None:
        positions = ops.nonzero(condition)
        return tuple(positions[:, axis] for axis in range(condition.ndim))
    return ops.where(condition.astype(_core.bool_), as_tensor(x), as_tensor(y))


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether each pair differs by at most `atol + rtol * |b|`; NaNs are equal if `equal_nan` says so."""
    return ops.isclose(as_tensor(a), as_tensor(b), rtol, atol, equal_nan)
