"""Conversion of matrix arguments of `scipy`, and the operators it uses."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool
from dyad._src.operators import arange, eye, triangular_solve, tril, triu, where

_REAL = (_core.int32, _core.int64, _core.float32, _core.float64)
_COMPLEX = (_core.complex64, _core.complex128)


def require_flags(owner, **flags) -> None:
    """Each of the options is a bool."""
    for name, value in flags.items():
        require_bool(owner, name, value)


def real_tensor(owner, value: Tensor, name="a", accepted=_REAL) -> Tensor:
    """The Tensor; integers become float64."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if value.dtype not in accepted:
        known = ", ".join(map(str, accepted))
        raise TypeError(f"{owner}: {name} has the dtype {value.dtype}; need one of {known}")
    return value.astype(_core.float64) if value.dtype in (_core.int32, _core.int64) else value


def square_matrix(owner, value, name="a", accepts_complex: bool = False):
    """The square matrix, or stack of them; integers become float64."""
    value = real_tensor(owner, value, name, (*_REAL, *_COMPLEX) if accepts_complex else _REAL)
    if value.ndim < 2 or value.shape[-1] != value.shape[-2]:
        raise ValueError(
            f"{owner}: {name} has the shape {value.shape}; need square matrices in its last two dimensions"
        )
    return value


def right_side(owner, matrix, b):
    """The right side of `matrix @ x = b`, which is one vector for each matrix or several in columns."""
    b = real_tensor(owner, b, "b")
    if b.dtype != matrix.dtype:
        raise TypeError(f"{owner}: a has the dtype {matrix.dtype} and b {b.dtype}; need the same")
    sizes = b.shape[-1:] if is_vector(matrix, b) else b.shape[-2:-1]
    if sizes != matrix.shape[-1:]:
        raise ValueError(
            f"{owner}: b has the shape {b.shape}; need {matrix.shape[-1]} rows, as many as a has"
        )
    return b


def is_vector(matrix, b):
    """Returns whether `b` has one vector for each matrix."""
    return b.ndim == matrix.ndim - 1


def transposed(matrix):
    """The matrices with rows and columns exchanged."""
    return matrix.swapaxes(-1, -2)


def unit_lower(packed):
    """The lower triangle with ones on its diagonal."""
    rows, columns = packed.shape[-2:]
    return tril(packed, -1) + eye(rows, columns, packed.dtype)


def upper(packed):
    """The upper triangle."""
    return triu(packed)


def lower(packed, diagonal=0):
    """The lower triangle."""
    return tril(packed, diagonal)


def solve_triangle(matrix, b, lower, transpose: bool = False, unit_diagonal: bool = False):
    """The x with `matrix @ x = b`, where only one triangle of the matrix is read."""
    if unit_diagonal:
        size = matrix.shape[-1]
        on_diagonal = arange(size).reshape(-1, 1) == arange(size)
        matrix = where(on_diagonal, Tensor(1, matrix.dtype), matrix)
    if is_vector(matrix, b):
        return triangular_solve(matrix, b.expand_dims(-1), lower, transpose).squeeze(-1)
    return triangular_solve(matrix, b, lower, transpose)
