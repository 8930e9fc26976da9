"""Minima of functions of one vector."""

from collections.abc import Callable
from typing import Any, NamedTuple

from dyad._core import Tensor
from dyad.scipy.optimize.quasi_newton import minimize_bfgs, minimize_lbfgs

__all__ = ["OptimizeResults", "minimize"]


class OptimizeResults(NamedTuple):
    """A minimum, and the outcome of the search.

    `x` and `fun` are the minimum and the value there, `jac` the gradient and `hess_inv` an estimate of the inverse
    Hessian (BFGS only). `status` is 0 if the gradient became small, 1 after too many iterations, 3 or 5 if no step
    decreased the value. `nfev`, `njev`, `nit`: number of values, gradients and iterations.
    """

    x: Any
    success: Any
    status: Any
    fun: Any
    jac: Any
    hess_inv: Any
    nfev: Any
    njev: Any
    nit: Any


_METHODS: dict[str, Callable] = {"bfgs": minimize_bfgs, "lbfgs": minimize_lbfgs}


def minimize(
    func: Callable,
    x0: Tensor,
    args: tuple = (),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
) -> tuple:
    """The `OptimizeResults` of a search for the minimum of `func(x, *args)` that starts at the vector `x0`.

    `method` is "BFGS" or "LBFGS"; `jac(x, *args)` is the gradient, derived by default. `options` may contain
    `maxiter`, `norm` (of the gradient, infinity by default), `gtol`, `line_search_maxiter`, and `history_size` for
    LBFGS; `tol` sets `gtol`.
    """
    if not callable(func):
        raise TypeError(f"minimize: func is of type {type(func).__name__}; need a function")
    if not isinstance(x0, Tensor):
        raise TypeError(f"minimize: x0 is of type {type(x0).__name__}; need a Tensor")
    if x0.ndim != 1:
        raise ValueError(f"minimize: x0 has the shape {x0.shape}; need one dimension")
    if not isinstance(args, tuple):
        raise TypeError(f"minimize: args is of type {type(args).__name__}; need a tuple")
    if not isinstance(method, str) or method.lower() not in _METHODS:
        raise ValueError(f"minimize: method is {method!r}; need 'BFGS' or 'LBFGS'")
    _require_absent(hess=hess, hessp=hessp, bounds=bounds, constraints=constraints or None, callback=callback)
    options = dict(options or {})
    if tol is not None:
        options.setdefault("gtol", tol)
    gradient = None if jac is None else lambda x: jac(x, *args)
    return OptimizeResults(*_METHODS[method.lower()](lambda x: func(x, *args), x0, gradient, **options))


def _require_absent(**given):
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"minimize: {name} is given; BFGS and LBFGS take none")
