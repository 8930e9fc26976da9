"""Element-by-element functions: the operators of `dyad.ops` under NumPy's names and calling convention."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad.numpy.operand import as_tensor, converted


def _unary(name, operator):
    def function(x, dtype=None):
        return converted(operator(as_tensor(x)), dtype)

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
    function.__doc__ = operator._summary if isinstance(operator, _core.OpFunction) else operator.__doc__
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
