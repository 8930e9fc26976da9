"""Iterative solvers of linear systems.

`A` and the preconditioner `M`, an approximation of the inverse of `A`, are matrices (also sparse ones) or functions
of a vector. Each solver returns `(x, info)`: info is 0 if the residual became small, otherwise the number of
iterations that were not enough. A residual is small when its norm is at most `tol` times that of `b`, or at most
`atol`. Gradients are those of the exact solution, by a system with the transpose of `A`; `x0` and `M` have none. A
function `A` must be linear, and its derivatives are right up to the second.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.markers import stop_gradient
from dyad._src.autodiff.vector_products import vjp
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import cat, lstsq, vector_norm, where, zeros

__all__ = ["bicgstab", "cg", "gmres"]


def __dir__():
    return __all__


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """The x with `A @ x = b` for a symmetric positive definite `A`, by conjugate gradients."""
    A, M, b, x, limit = _system("cg", A, b, x0, maxiter, M)
    return _solve(_cg_steps, A, M, b, x, (tol, atol, limit))


def _cg_steps(apply, precondition, b, x, tol, atol, limit):
    enough = _enough(b, tol, atol)
    residual = b - apply(x)
    direction = precondition(residual)
    weight = _dot(residual, direction)
    turn = Tensor(0, _core.int32)
    while turn < limit and _length(residual) > enough:
        image = apply(direction)
        step = weight / _dot(direction, image)
        x, residual = x + step * direction, residual - step * image
        corrected = precondition(residual)
        weight, before = _dot(residual, corrected), weight
        direction = corrected + weight / before * direction
        turn = turn + 1
    return x, _info(residual, enough, turn)


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """The x with `A @ x = b` for any regular `A`, by stabilized biconjugate gradients."""
    A, M, b, x, limit = _system("bicgstab", A, b, x0, maxiter, M)
    return _solve(_bicgstab_steps, A, M, b, x, (tol, atol, limit))


def _bicgstab_steps(apply, precondition, b, x, tol, atol, limit):
    enough = _enough(b, tol, atol)
    residual = b - apply(x)
    shadow, direction = residual, residual
    weight = _dot(shadow, residual)
    turn = Tensor(0, _core.int32)
    while turn < limit and _length(residual) > enough and weight != 0:
        corrected = precondition(direction)
        image = apply(corrected)
        step = weight / _dot(shadow, image)
        half = residual - step * image
        corrected_half = precondition(half)
        half_image = apply(corrected_half)
        size = _dot(half_image, half_image)
        damping = where(size > 0, _dot(half_image, half) / where(size > 0, size, size + 1), size)
        x = x + step * corrected + damping * corrected_half
        residual = half - damping * half_image
        weight, before = _dot(shadow, residual), weight
        # After an exact half step the residual is zero.
        turned = weight / before * (step / where(damping == 0, damping + 1, damping))
        direction = residual + turned * (direction - damping * image)
        turn = turn + 1
    return x, _info(residual, enough, turn)


def gmres(
    A,
    b,
    x0=None,
    *,
    tol=1e-5,
    atol=0.0,
    restart=20,
    maxiter=None,
    M=None,
    callback=None,
    restrt=None,
    callback_type=None,
    solve_method="batched",
):
    """The x with `A @ x = b` for any regular `A`, by least residuals over `restart` directions at a time.

    `maxiter` counts the restarts. `solve_method` ("batched" or "incremental") is a hint; the answer is the same.
    """
    if callback is not None or callback_type is not None:
        raise ValueError("gmres: callback is given; need None, a solver calls nothing")
    if solve_method not in ("batched", "incremental"):
        raise ValueError(f"gmres: solve_method is {solve_method!r}; need 'batched' or 'incremental'")
    A, M, b, x, limit = _system("gmres", A, b, x0, maxiter, M)
    count = min(require_int("gmres", "restart", restart if restrt is None else restrt, 1), b.shape[0])
    return _solve(_gmres_steps, A, M, b, x, (tol, atol, limit, count))


def _gmres_steps(apply, precondition, b, x, tol, atol, limit, count):
    enough = _enough(b, tol, atol)
    residual = b - apply(x)
    turn = Tensor(0, _core.int32)
    while turn < limit and _length(residual) > enough:
        directions = _krylov(lambda vector: apply(precondition(vector)), residual, count)
        images = _stacked([apply(precondition(vector)) for vector in directions])
        shares = lstsq(images.T, residual.reshape(-1, 1)).reshape(-1)
        x = x + precondition(shares @ _stacked(directions))
        residual = b - apply(x)
        turn = turn + 1
    return x, _info(residual, enough, turn)


def _solve(steps, A, M, b, x, limits):
    """The result of the steps, with the gradients of a solution."""
    found, info = steps(_cut(_applied(A)), _cut(_applied(M)), stop_gradient(b), stop_gradient(x), *limits)
    found = stop_gradient(found)
    if isinstance(A, Tensor):
        return _solution_of_matrix(steps, M, limits, A, b, found), info
    # Values that a function reads get their gradient through the residual. One correction has the first derivative of
    # the solution, and a correction of that has the second.
    for _ in range(2):
        found = _corrected(steps, A, M, limits, found, b - A(found))
    return found, info


@custom_vjp
def _solution_of_matrix(steps, M, limits, matrix, b, found):
    return found.copy()


@_solution_of_matrix.defbwd
def _solution_of_matrix_backward(steps, M, limits, matrix, b, found, out, dout):
    turned = _solve_transposed(steps, matrix, M, limits, dout)
    return None, None, None, -turned.reshape(-1, 1) * out, turned, None


@custom_vjp
def _corrected(steps, A, M, limits, found, residual):
    """`found` and what solves the system for its residual, which counts as zero."""
    return found.copy()


@_corrected.defbwd
def _corrected_backward(steps, A, M, limits, found, residual, out, dout):
    return None, None, None, None, dout, _solve_transposed(steps, A, M, limits, dout)


def _solve_transposed(steps, A, M, limits, b):
    if steps is not _cg_steps:
        A, M = _transposed(A, b), _transposed(M, b)
    return _solve(steps, A, M, b, b * 0, limits)[0]


def _transposed(operator, like):
    if operator is None:
        return None
    if isinstance(operator, Tensor):
        return operator.T

    def apply_transposed(vector):
        # The function is linear: its gradient is the same everywhere.
        _, pull = vjp(operator, like * 0)
        return pull(vector)[0]

    return apply_transposed


def _applied(operator):
    """The product of the matrix, or the function's result, with a vector; the vector itself if there is none."""
    if operator is None:
        return lambda vector: vector
    if isinstance(operator, Tensor):
        return lambda vector: operator @ vector
    return operator


def _cut(apply):
    return lambda vector: stop_gradient(apply(vector))


def _krylov(apply, start, count):
    """Orthogonal vectors of length 1 that span the start and what it becomes; zeros, where it spans less."""
    directions = [_scaled(start)]
    for _ in range(count - 1):
        vector = apply(directions[-1])
        size = _length(vector)
        # Twice, since rounding leaves some of the other directions.
        for direction in directions + directions:
            vector = vector - _dot(direction, vector) * direction
        vector = where(_length(vector) > size * 1e-6, vector, vector * 0)
        directions.append(_scaled(vector))
    return directions


def _scaled(vector):
    length = _length(vector)
    return vector / where(length > 0, length, length + 1)


def _stacked(vectors):
    return cat([vector.reshape(1, -1) for vector in vectors], 0)


def _dot(a, b):
    return (a * b).sum()


def _length(vector):
    return vector_norm(vector)


def _enough(b, tol, atol):
    length = tol * _length(b)
    return where(length > atol, length, length * 0 + atol)


def _info(residual, enough, turn):
    return where(_length(residual) <= enough, turn * 0, turn)


def _system(owner, A, b, x0, maxiter, M):
    """`A` and `M` as functions, the right side and the start as vectors, and the number of iterations allowed."""
    if not isinstance(b, Tensor):
        raise TypeError(f"{owner}: b is of type {type(b).__name__}; need a Tensor")
    if b.ndim == 2 and b.shape[1] == 1:
        b = b.squeeze(1)
    if b.ndim != 1:
        raise ValueError(f"{owner}: b has the shape {b.shape}; need a vector or one column")
    if not b.is_floating_point():
        b = b.astype(_core.float64)
    x = zeros(b.shape, b.dtype) if x0 is None else x0.reshape(-1)
    if x.shape != b.shape:
        raise ValueError(f"{owner}: x0 has the shape {x0.shape}; need that of b, {b.shape}")
    limit = 10 * b.shape[0] if maxiter is None else require_int(owner, "maxiter", maxiter, 0)
    return _operator(owner, "A", A, b), _operator(owner, "M", M, b), b, x.astype(b.dtype), limit


def _operator(owner, name, given, b):
    """A matrix of the dtype of b, or a function; None for no preconditioner."""
    if given is None and name == "M":
        return None
    if hasattr(given, "to_dense"):
        given = given.to_dense()
    if isinstance(given, Tensor):
        if given.shape != (b.shape[0], b.shape[0]):
            raise ValueError(f"{owner}: {name} has the shape {given.shape}; need {(b.shape[0],) * 2}")
        return given.astype(b.dtype)
    if callable(given):
        return given
    raise TypeError(f"{owner}: {name} is of type {type(given).__name__}; need a matrix or a function")
