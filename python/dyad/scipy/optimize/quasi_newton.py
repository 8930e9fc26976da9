"""BFGS, and BFGS from the last few steps."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import cat, eye, outer, vector_norm, where, zeros
from dyad.scipy.optimize.line_search import evaluated, search

__all__ = ["minimize_bfgs", "minimize_lbfgs"]


_CONVERGED, _TOO_MANY = 0, 1


def minimize_bfgs(
    func, x0, jac=None, maxiter=None, norm=math.inf, gtol=1e-5, line_search_maxiter=10
) -> tuple:
    """The fields of `OptimizeResults`, by Nocedal and Wright's algorithm 6.1."""
    inverse = eye(x0.shape[0], x0.shape[0], x0.dtype)
    *found, inverse = _descend(
        func, x0, jac, maxiter, norm, gtol, line_search_maxiter, inverse, _product, _updated
    )
    return (*found[:5], inverse, *found[5:])


def minimize_lbfgs(
    func, x0, jac=None, history_size: int = 20, maxiter=None, norm=math.inf, gtol=1e-5, line_search_maxiter=10
) -> tuple:
    """The fields of `OptimizeResults`, by Nocedal and Wright's algorithm 7.5."""
    require_int("minimize", "history_size", history_size, 1)
    history = zeros((2, history_size, x0.shape[0]), x0.dtype)
    *found, _ = _descend(
        func, x0, jac, maxiter, norm, gtol, line_search_maxiter, history, _recalled_product, _remembered
    )
    return (*found[:5], None, *found[5:])


def _descend(func, x, jac, maxiter, norm, gtol, search_turns, curvature, product, update):
    """Steps along `product(curvature, gradient)`, after each of which `update` makes the next curvature."""
    evaluate = evaluated(func, jac)
    limit = 200 * x.shape[0] if maxiter is None else require_int("minimize", "maxiter", maxiter, 0)
    value, gradient = evaluate(x)
    turn, calls = Tensor(0, _core.int32), Tensor(1, _core.int32)
    converged = _size(gradient, norm) < gtol
    status = where(converged, _CONVERGED, _TOO_MANY).astype(_core.int32)
    stuck = value != value
    while turn < limit and not converged.logical_or(stuck):
        direction = -product(curvature, gradient)
        step = search(evaluate, x, direction, value, gradient, 1e-4, 0.9, search_turns)
        # A search that failed may have come lower all the same.
        stuck = step.failed.logical_and(step.a_k == 0)
        move, turned = step.a_k * direction, step.g_k - gradient
        x, value, gradient = x + move, step.f_k, step.g_k
        curvature = update(curvature, move, turned)
        converged = _size(gradient, norm) < gtol
        status = where(converged, _CONVERGED, where(stuck, step.status, _TOO_MANY)).astype(_core.int32)
        turn, calls = turn + 1, calls + step.nfev
    return x, converged, status, value, gradient, calls, calls, turn, curvature


def _size(gradient, norm):
    return vector_norm(gradient, norm)


def _product(inverse, gradient):
    return inverse @ gradient


def _updated(inverse, move, turned):
    """The inverse of second derivatives that agrees with the last step; the old one, where the slope did not grow."""
    along = (move * turned).sum()
    grows = along > 0
    share = 1 / where(grows, along, along * 0 + 1)
    image = inverse @ turned
    both = outer(move, image)
    change = (1 + share * (turned * image).sum()) * share * outer(move, move) - share * (both + both.T)
    return where(grows, inverse + change, inverse)


def _remembered(history, move, turned):
    """The last steps and what they did to the gradient, newest first; one whose slope did not grow is left out."""
    grows = (move * turned).sum() > 0
    newest = cat((move.expand_dims(0).expand_dims(0), turned.expand_dims(0).expand_dims(0)), 0)
    return where(grows, cat((newest, history[:, :-1]), 1), history)


def _recalled_product(history, gradient):
    """The gradient times the inverse that the remembered steps make of a scaled identity."""
    moves, turns = history[0], history[1]
    along = (moves * turns).sum(-1)
    known = along > 0
    share = where(known, 1 / where(known, along, along * 0 + 1), along * 0)
    weights = []
    for number in range(moves.shape[0]):
        weight = share[number] * (moves[number] * gradient).sum()
        gradient = gradient - weight * turns[number]
        weights.append(weight)
    scale = along[0] / where(known[0], (turns[0] * turns[0]).sum(), along[0] * 0 + 1)
    result = gradient * where(known[0], scale, scale * 0 + 1)
    for number in reversed(range(moves.shape[0])):
        back = share[number] * (turns[number] * result).sum()
        result = result + (weights[number] - back) * moves[number]
    return result
