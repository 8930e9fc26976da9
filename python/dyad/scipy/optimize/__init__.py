"""Minima of functions, and of assignments."""

from dyad.scipy.optimize.line_search import line_search as line_search
from dyad.scipy.optimize.linear_sum_assignment import linear_sum_assignment as linear_sum_assignment
from dyad.scipy.optimize.minimize import minimize as minimize

__all__ = ["line_search", "linear_sum_assignment", "minimize"]


def __dir__():
    return __all__
