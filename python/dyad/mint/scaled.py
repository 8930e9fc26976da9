"""Sums and differences of which the second part is multiplied by a number."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import plain_number

__all__ = ["add", "sub"]


def add(input, other, *, alpha=1):
    """`input + alpha * other`; the shapes broadcast."""
    return ops.add(input, _times("add", other, alpha))


def sub(input, other, *, alpha=1):
    """`input - alpha * other`; the shapes broadcast."""
    return ops.sub(input, _times("sub", other, alpha))


def _times(caller, other, alpha):
    alpha = plain_number(alpha)
    if isinstance(alpha, Tensor) and alpha.size == 1:
        return other * alpha.reshape(()).astype(_scaled_dtype(caller, other, alpha))
    if not isinstance(alpha, (bool, int, float)):
        raise TypeError(f"{caller}: alpha is {alpha!r}; need a number")
    return other if type(alpha) is int and alpha == 1 else other * alpha


def _scaled_dtype(caller, other, alpha):
    """The dtype of what a Tensor `alpha` multiplies, which is that of the product."""
    if not isinstance(other, Tensor):
        return alpha.dtype
    if alpha.is_floating_point() and not (other.is_floating_point() or other.is_complex()):
        raise TypeError(
            f"{caller}: alpha has dtype {alpha.dtype} and other {other.dtype}; need an integer alpha"
        )
    return other.dtype
