"""Sums and differences of which the second part is multiplied by a number."""

from dyad import ops
from dyad._src.argument_checks import plain_number

__all__ = ["add", "sub"]


def add(input, other, *, alpha=1):
    """`input + alpha * other`; the shapes broadcast."""
    return ops.add(input, _times("add", other, alpha))


def sub(input, other, *, alpha=1):
    """`input - alpha * other`; the shapes broadcast."""
    return ops.sub(input, _times("sub", other, alpha))


def _times(caller, other, alpha):
    alpha = plain_number(alpha)
    if not isinstance(alpha, (bool, int, float)):
        raise TypeError(f"{caller}: alpha is {alpha!r}; need a number")
    return other if type(alpha) is int and alpha == 1 else other * alpha
