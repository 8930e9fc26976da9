"""A step along a direction that lowers a function enough and leaves it flat enough."""

from typing import Any, NamedTuple

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.gradients import value_and_grad
from dyad._src.operators import where

__all__ = ["LineSearchResults", "line_search"]


FOUND, NOT_ENCLOSED, NOT_NARROWED = 0, 5, 3


class LineSearchResults(NamedTuple):
    """The step, and the outcome of the search.

    `failed` is False if the step fulfills the strong Wolfe conditions; otherwise `a_k` is the best step found, which
    may be 0, and `status` is 5 if no interval contained such a step or 3 if none was found in it.
    """

    failed: Any
    nit: Any
    nfev: Any
    ngev: Any
    k: Any
    a_k: Any
    f_k: Any
    g_k: Any
    status: Any


def line_search(f, xk, pk, jac=None, gfk=None, old_fval=None, old_old_fval=None, c1=1e-4, c2=0.9, maxiter=20):
    """The `LineSearchResults` of a search from `xk` along `pk`, by Nocedal and Wright's algorithms 3.5 and 3.6.

    `jac` is the gradient of `f`, derived by default; `gfk` and `old_fval` are its gradient and value at `xk`, if
    known. The step doubles until an interval contains a solution; there are at most `maxiter` evaluations.
    `old_old_fval` has no effect.
    """
    for name, value in (("xk", xk), ("pk", pk)):
        if not isinstance(value, Tensor):
            raise TypeError(f"line_search: {name} is of type {type(value).__name__}; need a Tensor")
    evaluate = evaluated(f, jac)
    start, slopes = (old_fval, gfk) if old_fval is not None and gfk is not None else evaluate(xk)
    return search(evaluate, xk, pk, start, slopes, c1, c2, maxiter)


def evaluated(f, jac):
    """A function of x that returns the value of `f` and its gradient."""
    if jac is None:
        return value_and_grad(f)
    return lambda x: (f(x), jac(x))


def search(evaluate, x, direction, value, gradient, c1, c2, maxiter):
    """`line_search` of a function that returns value and gradient at once."""
    steepness = (gradient * direction).sum()
    # `low` is the best step so far with sufficient decrease; a valid one is between it and `high`.
    low, low_value, low_slope, low_gradient = value * 0, value, steepness, gradient
    high, high_value, high_slope = low, value, steepness
    step = value * 0 + 1
    enclosed, found = value != value, value != value
    turn = Tensor(0, _core.int32)
    while turn < maxiter and not found:
        there, its_gradient = evaluate(x + step * direction)
        slope = (its_gradient * direction).sum()
        # A value that is not a number is too high as well.
        enough = (there <= value + c1 * step * steepness).logical_and(
            (there < low_value).logical_or(low == 0)
        )
        found = enough.logical_and(slope.abs() <= -c2 * steepness)
        turns = enough.logical_and(slope * where(enclosed, high - low, step) >= 0)
        high, high_value, high_slope = (
            where(enough, where(turns, old, kept), new)
            for old, kept, new in (
                (low, high, step),
                (low_value, high_value, there),
                (low_slope, high_slope, slope),
            )
        )
        low, low_value, low_slope = (
            where(enough, new, old) for new, old in ((step, low), (there, low_value), (slope, low_slope))
        )
        low_gradient = where(enough, its_gradient, low_gradient)
        enclosed = enclosed.logical_or(turns).logical_or(enough.logical_not())
        step = where(enclosed, _between(low, low_value, low_slope, high, high_value, high_slope), 2 * step)
        turn = turn + 1
    status = where(found, FOUND, where(enclosed, NOT_NARROWED, NOT_ENCLOSED)).astype(_core.int32)
    return LineSearchResults(
        found.logical_not(), turn, turn, turn, turn, low, low_value, low_gradient, status
    )


def _between(a, value_a, slope_a, b, value_b, slope_b):
    """The minimum of the cubic through both ends; the middle if that is at the edge or does not exist."""
    width = b - a
    mean = slope_a + slope_b - 3 * (value_b - value_a) / where(width == 0, width + 1, width)
    root = (mean * mean - slope_a * slope_b).sqrt() * width.sign()
    cubic = b - width * (slope_b + root - mean) / (slope_b - slope_a + 2 * root)
    share = (cubic - a) / width
    # Comparisons with what is not a number are false.
    inside = (share >= 0.1).logical_and(share <= 0.9)
    return where(inside, cubic, a + width / 2)
