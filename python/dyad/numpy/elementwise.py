"""Element-by-element functions: the operators of `dyad.ops` under NumPy's names and calling convention."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad.numpy.operand import as_dtype, as_tensor, converted, require_int


def _unary(name, operator):
    def function(x, dtype=None):
        return converted(operator(as_tensor(x)), dtype)

    return _named(function, name, operator, "x is a Tensor, a number or nested lists of numbers")


def _binary(name, operator):
    def function(x1, x2, dtype=None):
        # A number next to a Tensor stays a number, so that it does not widen the result.
        if not isinstance(x1, Tensor) and not isinstance(x2, (bool, int, float)):
            x1 = as_tensor(x1)
        if not isinstance(x2, (Tensor, bool, int, float)):
            x2 = as_tensor(x2)
        if _needs_tensors(x1, x2):
            x1, x2 = as_tensor(x1), as_tensor(x2)
        return converted(operator(x1, x2), dtype)

    operands = "x1 and x2 are Tensors, numbers or nested lists of numbers, whose shapes broadcast"
    return _named(function, name, operator, operands)


def _needs_tensors(x1, x2):
    """Returns whether both operands are numbers, or a number and bools, which have no width that it could adopt."""
    tensors = [x for x in (x1, x2) if isinstance(x, Tensor)]
    return not tensors or (len(tensors) == 1 and tensors[0].dtype == _core.bool_)


def _named(function, name, operator, operands):
    function.__name__ = function.__qualname__ = name
    summary = operator._summary if isinstance(operator, _core.OpFunction) else operator.__doc__
    function.__doc__ = (
        f"{summary}\n\n{operands}; `dtype` is the element type of the result, if one is wanted."
    )
    return function


_MAKERS = {1: _unary, 2: _binary}
_FUNCTIONS = {
    name: _MAKERS[operands](name, getattr(ops, own))
    for name, (own, operands) in _core.numpy_functions().items()
}
globals().update(_FUNCTIONS)

__all__ = [
    *_FUNCTIONS,
    "around",
    "cbrt",
    "clip",
    "divmod",
    "fabs",
    "isclose",
    "round",
    "where",
]


def around(a, decimals: int = 0) -> Tensor:
    """Rounded to a number of decimals, halves to even."""
    a = as_tensor(a)
    decimals = require_int("around", "decimals", decimals)
    return ops.round(a, decimals=decimals) if decimals else ops.round(a)


round = around


def cbrt(x, dtype=None):
    """The cube root; of a negative number it is negative."""
    x = as_tensor(x)
    x = x if x.dtype.is_floating_point else x.astype(_core.float32)
    return converted(ops.sign(x) * ops.pow(ops.abs(x), 1 / 3), dtype)


def fabs(x, dtype=None):
    """The absolute value, as a float."""
    x = as_tensor(x)
    return converted(ops.abs(x if x.dtype.is_floating_point else x.astype(_core.float32)), dtype)


def divmod(x1, x2, dtype=None):
    """The quotient, rounded down, and the remainder, which has the sign of x2."""
    return _FUNCTIONS["floor_divide"](x1, x2, dtype), _FUNCTIONS["remainder"](x1, x2, dtype)


def gcd(x1, x2, dtype=None):
    """Greatest common divisor of whole numbers, which may be given as floats."""
    return _of_whole_numbers("gcd", x1, x2, dtype)


def lcm(x1, x2, dtype=None):
    """Least common multiple of whole numbers, which may be given as floats."""
    return _of_whole_numbers("lcm", x1, x2, dtype)


def _of_whole_numbers(name, x1, x2, dtype):
    operator = getattr(ops, name)
    x1, x2 = as_tensor(x1), as_tensor(x2)
    floats = [x.dtype for x in (x1, x2) if x.dtype.is_floating_point]
    if not floats:
        return converted(operator(x1, x2), dtype)
    found = operator(_as_integers(name, "x1", x1), _as_integers(name, "x2", x2))
    return found.astype(as_dtype(dtype) or (_core.float64 if _core.float64 in floats else floats[0]))


def _as_integers(caller, name, x):
    if x.dtype.is_floating_point:
        whole = ops.logical_and(ops.trunc(x) == x, ops.abs(x) < 2.0**63)  # false of NaN and infinities too
        if not whole.all():
            raise ValueError(
                f"{caller}: {name} holds a float that is no whole number of 64 bits; need whole numbers"
            )
    return x.astype(_core.int64)


def clip(x, xmin, xmax, dtype=None):
    """x cut to [xmin, xmax]; None leaves a side open."""
    return converted(ops.clamp(as_tensor(x), xmin, xmax), dtype)


def where(condition, x=None, y=None) -> Tensor | tuple:
    """Elements of x where the condition holds, else of y; with the condition alone, the positions where it holds."""
    condition = as_tensor(condition)
    if x is None and y is None:
        positions = ops.nonzero(condition)
        return tuple(positions[:, axis] for axis in range(condition.ndim))
    return ops.where(condition.astype(_core.bool_), as_tensor(x), as_tensor(y))


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan: bool = False) -> Tensor:
    """Returns whether each pair differs by at most `atol + rtol * |b|`; NaNs are equal if `equal_nan` is set."""
    return ops.isclose(as_tensor(a), as_tensor(b), rtol, atol, equal_nan)
