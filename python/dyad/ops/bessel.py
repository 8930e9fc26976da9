"""Modified Bessel functions of the second kind, computed from their integral.

e^x K(x) is the integral of e^(-x (cosh t - 1)) cosh(order t) over t > 0. The integrand falls off doubly
exponentially, so that equal steps up to where it vanishes give all digits; where that is depends on x and does not
enter the derivative.
"""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.operators import asinh, cosh, exp, log, sinh, sqrt, stop_gradient, where
from dyad._src.primitive.primitive import primitive_of

__all__ = [
    "BesselK0",
    "BesselK0e",
    "BesselK1",
    "BesselK1e",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
]

_NODES = 128
_AT_ONCE = 16  # nodes that are in memory together
_VANISHED = 45.0  # e^-45 is below the last digit of float64
_TINY = 1e-9
_EULER = 0.5772156649015329


def _scaled(name, x, order):
    """e^x K(x) of order 0 or 1, in float64; infinite at 0, NaN below it and 0 at infinity."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}: x is of type {type(x).__name__}; need a Tensor")
    if not x.dtype.is_floating_point:
        raise TypeError(f"{name}: x is of {x.dtype}; need a float dtype")
    wide = x.astype(_core.float64)
    within = (wide > _TINY) & (wide < math.inf)
    inside = where(within, wide, 1.0).expand_dims(-1)
    # The t with x (cosh t - 1) = 45. The difference is 2 sinh(t / 2)^2, which is not rounded away for a large x.
    width = stop_gradient(asinh(sqrt(_VANISHED / 2 / inside)) * (2 / _NODES))
    total = 0.5
    for first in range(1, _NODES + 1, _AT_ONCE):
        steps = Tensor([float(first + i) for i in range(_AT_ONCE)], _core.float64)
        t = width * steps
        part = exp(-inside * (2 * sinh(t / 2) ** 2))
        total = total + (part * cosh(t) if order else part).sum(-1)
    found = where(within, total * width.squeeze(-1), _near_zero(wide, order))
    found = where(wide == math.inf, 0.0, found)
    return where(wide >= 0, found, math.nan), wide


def _near_zero(x, order):
    """e^x K(x) of the smallest numbers, where one term has all digits; infinite at 0."""
    small = where((x > 0) & (x <= _TINY), x, 1.0)
    first = 1 / small if order else math.log(2) - _EULER - log(small)
    return where(x == 0, math.inf, first * exp(small))


def bessel_k0(x):
    """Modified Bessel function of the second kind of order 0, element by element.

        K₀(x) = ∫₀^∞ exp(-x · cosh t) dt

    Infinite at 0, NaN below.

    Args:
        x (Tensor): floats, any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.bessel_k0(Tensor([1.0, 2.0])))
        [0.42102444 0.11389387]
    """
    scaled, wide = _scaled("bessel_k0", x, 0)
    return (scaled * exp(-wide)).astype(x.dtype)


def bessel_k0e(x):
    """Exponentially scaled modified Bessel function of the second kind of order 0, exp(x) · K₀(x).

    Infinite at 0, NaN below.

    Args:
        x (Tensor): floats, any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.bessel_k0e(Tensor([1.0, 2.0])))
        [1.1444631  0.84156823]
    """
    return _scaled("bessel_k0e", x, 0)[0].astype(x.dtype)


def bessel_k1(x):
    """Modified Bessel function of the second kind of order 1, element by element.

        K₁(x) = ∫₀^∞ exp(-x · cosh t) · cosh t dt

    Infinite at 0, NaN below.

    Args:
        x (Tensor): floats, any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.bessel_k1(Tensor([1.0, 2.0])))
        [0.60190725 0.13986588]
    """
    scaled, wide = _scaled("bessel_k1", x, 1)
    return (scaled * exp(-wide)).astype(x.dtype)


def bessel_k1e(x):
    """Exponentially scaled modified Bessel function of the second kind of order 1, exp(x) · K₁(x).

    Infinite at 0, NaN below.

    Args:
        x (Tensor): floats, any shape.

    Returns:
        Tensor with the shape and dtype of `x`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.bessel_k1e(Tensor([1.0, 2.0])))
        [1.6361535 1.0334768]
    """
    return _scaled("bessel_k1e", x, 1)[0].astype(x.dtype)


def _face(name, function):
    shown = (function.__doc__ or "").replace(f"ops.{function.__name__}(", f"ops.{name}()(")

    def apply(x):
        return function(x)

    apply.__doc__ = shown
    return primitive_of(name, apply)


BesselK0 = _face("BesselK0", bessel_k0)
BesselK0e = _face("BesselK0e", bessel_k0e)
BesselK1 = _face("BesselK1", bessel_k1)
BesselK1e = _face("BesselK1e", bessel_k1e)
