"""Systems of equations with triangular matrices."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_flag
from dyad._src.operators import broadcast_to, eye, where
from dyad._src.operators import triangular_solve as _solve

__all__ = ["triangular_solve"]


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """The x with `A @ x = b` (or `A^T @ x = b`) for a triangular `A`, and `A`; stacks of matrices broadcast.

    Only the triangle is read; with `unitriangular`, its diagonal counts as ones.
    """
    for name, value in (("b", b), ("A", A)):
        if not isinstance(value, Tensor):
            raise TypeError(f"triangular_solve: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim < 2:
            raise ValueError(
                f"triangular_solve: {name} has the shape {value.shape}; need 2 dimensions or more"
            )
    for name, value in (("upper", upper), ("transpose", transpose), ("unitriangular", unitriangular)):
        require_flag("triangular_solve", name, value)
    if A.shape[-1] != A.shape[-2] or b.shape[-2] != A.shape[-1]:
        raise ValueError(
            f"triangular_solve: A has the shape {A.shape} and b {b.shape}; need a square A with as many rows as b"
        )
    stack = (A[..., 0, 0] + b[..., 0, 0]).shape
    matrix, side = (broadcast_to(value, (*stack, *value.shape[-2:])) for value in (A, b))
    if unitriangular:
        size = A.shape[-1]
        matrix = where(eye(size, size, _core.bool_), Tensor(1, A.dtype), matrix)
    return _solve(matrix, side, not upper, transpose), A
