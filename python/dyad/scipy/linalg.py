"""Linear algebra: factors of matrices, systems of equations, eigenvalues.

Matrices may come in stacks, in the last two dimensions. `overwrite_a`, `overwrite_b` and `check_finite` are accepted
and change nothing: inputs are never written, and no input is searched for infinities.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad._src.operators import arange, functions, inverse, matrix_exp, svd_factors, where, zeros
from dyad._src.operators import cholesky as _cholesky
from dyad._src.operators import det as _det
from dyad._src.operators import eigh as _eigh
from dyad.scipy.eigenvalues import hermitian_eigen
from dyad.scipy.elimination import eliminated, taken_rows
from dyad.scipy.matrices import (
    is_vector,
    lower,
    real_tensor,
    require_flags,
    right_side,
    solve_triangle,
    square_matrix,
    transposed,
    unit_lower,
    upper,
)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]


def __dir__():
    return __all__


_block_diag = functions["block_diag"]
_TRANSPOSED = {0: False, 1: True, 2: True, "N": False, "T": True, "C": True}
_DRIVERS = (None, "gels", "gelsy", "gelss", "gelsd")


def solve_triangular(
    a,
    b,
    trans=0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug=None,
    check_finite: bool = True,
):
    """The x with `a @ x = b` (or the transpose of `a`, if `trans` is 1, 2, "T" or "C") for a triangular `a`.

    Only the lower or the upper triangle is read; with `unit_diagonal`, its diagonal counts as ones.
    """
    require_flags("solve_triangular", lower=lower, unit_diagonal=unit_diagonal)
    a = square_matrix("solve_triangular", a)
    transpose = _require_transposition("solve_triangular", trans)
    return solve_triangle(a, right_side("solve_triangular", a, b), lower, transpose, unit_diagonal)


def _require_transposition(owner, trans):
    if isinstance(trans, bool) or trans not in _TRANSPOSED:
        raise ValueError(f"{owner}: trans is {trans!r}; need 0, 1, 2, 'N', 'T' or 'C'")
    return _TRANSPOSED[trans]


def block_diag(*arrs):
    """A matrix with the given ones along its diagonal and zeros elsewhere; numbers and vectors count as one row."""
    if not arrs:
        return zeros((1, 0), _core.float32)
    for number, value in enumerate(arrs):
        if not isinstance(value, Tensor):
            raise TypeError(f"block_diag: argument {number} is of type {type(value).__name__}; need a Tensor")
        if value.ndim > 2:
            raise ValueError(
                f"block_diag: argument {number} has the shape {value.shape}; need 2 dimensions at most"
            )
    return _block_diag(*arrs)


def inv(a, overwrite_a: bool = False, check_finite: bool = True):
    """The inverse of a square matrix."""
    require_flags("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return inverse(square_matrix("inv", a))


def det(a, overwrite_a: bool = False, check_finite: bool = True):
    """The determinant of a square matrix."""
    require_flags("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return _det(square_matrix("det", a))


def expm(a):
    """The exponential of a square matrix."""
    return matrix_exp(square_matrix("expm", a))


def cholesky(a, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True):
    """The triangular factor of a symmetric positive definite matrix: `a = U^T U`, or `a = L L^T` with `lower`."""
    require_flags("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return _cholesky(square_matrix("cholesky", a), not lower)


def cho_factor(a, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True):
    """Cholesky factor of a symmetric positive definite matrix, and `lower`: the arguments of `cho_solve`."""
    require_flags("cho_factor", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return _cholesky(square_matrix("cho_factor", a), not lower), lower


def cho_solve(c_and_lower, b, overwrite_b: bool = False, check_finite: bool = True):
    """The x with `a @ x = b`, for the matrix whose factor is the result of `cho_factor`."""
    c, lower = c_and_lower
    require_flags("cho_solve", lower=lower, overwrite_b=overwrite_b, check_finite=check_finite)
    c = square_matrix("cho_solve", c, "c")
    b = _matched(c, b)
    half = solve_triangle(c, right_side("cho_solve", c, b), lower, transpose=not lower)
    return solve_triangle(c, half, lower, transpose=lower)


def _matched(matrix, b):
    """The right-hand side, whose integers became float64, like those of the matrix."""
    if isinstance(b, Tensor) and b.dtype in (_core.int32, _core.int64):
        return b.astype(matrix.dtype)
    return b


def eigh(
    a,
    b=None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals=None,
    type: int = 1,
    check_finite: bool = True,
):
    """Eigenvalues of a symmetric or Hermitian matrix, ascending, and unless `eigvals_only` eigenvectors in columns.

    Only the lower (or upper) triangle is read. With a positive definite `b`, those of `a @ v = w b @ v`, of
    `a @ b @ v = w v` (`type=2`) or of `b @ a @ v = w v` (`type=3`). `eigvals=(lo, hi)` keeps those from `lo` to `hi`.
    """
    require_flags(
        "eigh",
        lower=lower,
        eigvals_only=eigvals_only,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        turbo=turbo,
        check_finite=check_finite,
    )
    if require_int("eigh", "type", type) not in (1, 2, 3):
        raise ValueError(f"eigh: type is {type}; need 1, 2 or 3")
    is_complex = isinstance(a, Tensor) and a.is_complex()
    a = _symmetric(square_matrix("eigh", a, accepts_complex=b is None), lower)
    if b is None:
        w, v = hermitian_eigen(a) if is_complex else _eigh(a)
    else:
        w, v = _generalized(a, _cholesky(_symmetric(square_matrix("eigh", b, "b"), lower)), type)
    if eigvals is not None:
        low, high = _require_range(eigvals, a.shape[-1])
        w, v = w[..., low : high + 1], v[..., low : high + 1]
    return w if eigvals_only else (w, v)


def _symmetric(a, from_lower):
    """The symmetric or Hermitian matrix whose lower or upper triangle is that of `a`."""
    half = lower(a) if from_lower else transposed(upper(a))
    if not a.is_complex():
        return half + transposed(lower(half, -1))
    half = half if from_lower else half.conj()
    # Imaginary parts of a diagonal are not read.
    return lower(half, -1) + transposed(lower(half, -1)).conj() + (lower(half) - lower(half, -1)).real()


def _generalized(a, factor, kind):
    """Eigenvalues and vectors of `a` and the matrix `factor @ factor^T`, by way of a standard problem."""
    if kind == 1:
        half = solve_triangle(factor, a, lower=True)
        w, v = _eigh(solve_triangle(factor, transposed(half), lower=True))
        return w, solve_triangle(factor, v, lower=True, transpose=True)
    w, v = _eigh(transposed(factor) @ a @ factor)
    return w, solve_triangle(factor, v, lower=True, transpose=True) if kind == 2 else factor @ v


def _require_range(eigvals, size):
    low, high = (require_int("eigh", "an index in eigvals", index) for index in eigvals)
    if not 0 <= low <= high < size:
        raise ValueError(f"eigh: eigvals is {eigvals}; need 0 <= lo <= hi < {size}")
    return low, high


def lu_factor(a, overwrite_a: bool = False, check_finite: bool = True):
    """Both factors of a square matrix in one, and for each row the one it was exchanged with: for `lu_solve`."""
    require_flags("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    packed, exchanged, _ = eliminated(square_matrix("lu_factor", a))
    return packed, exchanged.astype(_core.int32)


def lu(a, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> tuple:
    """`(P, L, U)` with `a = P @ L @ U`: a permutation, a lower triangle with ones on its diagonal, an upper triangle.

    With `permute_l`, `(P @ L, U)`.
    """
    require_flags("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    a = real_tensor("lu", a)
    if a.ndim < 2:
        raise ValueError(f"lu: a has the shape {a.shape}; need matrices in its last two dimensions")
    rows, size = a.shape[-2], min(a.shape[-2:])
    packed, _, order = eliminated(a)
    permutation = (arange(rows).reshape(-1, 1) == order.expand_dims(-2)).astype(a.dtype)
    left, right = unit_lower(packed[..., :size]), upper(packed[..., :size, :])
    return (permutation @ left, right) if permute_l else (permutation, left, right)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b: bool = False, check_finite: bool = True):
    """The x with `a @ x = b`, for the matrix whose factors are the result of `lu_factor`.

    If `trans` is 1 or 2, `a` is transposed.
    """
    require_flags("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    packed, pivots = lu_and_piv
    packed = square_matrix("lu_solve", packed, "lu")
    b = right_side("lu_solve", packed, _matched(packed, b))
    if not isinstance(pivots, Tensor) or pivots.shape != packed.shape[:-1]:
        shown = pivots.shape if isinstance(pivots, Tensor) else pivots
        raise ValueError(f"lu_solve: piv is {shown!r}; need a Tensor of shape {packed.shape[:-1]}")
    x = b.expand_dims(-1) if is_vector(packed, b) else b
    order = _order_of(pivots)
    if _require_transposition("lu_solve", trans):
        x = solve_triangle(packed, x, lower=False, transpose=True)
        x = solve_triangle(packed, x, lower=True, transpose=True, unit_diagonal=True)
        x = taken_rows(x, order.argsort(-1))
    else:
        x = solve_triangle(packed, taken_rows(x, order), lower=True, unit_diagonal=True)
        x = solve_triangle(packed, x, lower=False)
    return x.squeeze(-1) if is_vector(packed, b) else x


def _order_of(pivots):
    """The order that rows end up in after they are exchanged one after the other."""
    row = arange(pivots.shape[-1])
    order = row + pivots.astype(_core.int64) * 0
    step = Tensor(0, _core.int64)
    while step < pivots.shape[-1]:
        other = pivots.index_select(-1, step.reshape(1)).astype(_core.int64)
        swap = where(row == step, other, where(row == other, step, row))
        order = order.gather_elements(-1, swap)
        step = step + 1
    return order


def lstsq(A, B, rcond=None, driver=None):
    """`(solution, residual, rank, singular values)` of the x of least norm that minimizes `|A @ x - B|`.

    Singular values below `rcond` times the largest count as 0. As with the drivers of LAPACK, "gels" leaves rank and
    singular values empty, "gelsy" (the default) residual and singular values; "gelss" and "gelsd" return everything.
    """
    A, B = real_tensor("lstsq", A, "A"), real_tensor("lstsq", B, "B")
    if A.dtype != B.dtype:
        raise TypeError(f"lstsq: A has the dtype {A.dtype} and B {B.dtype}; need the same")
    if A.ndim < 2:
        raise ValueError(f"lstsq: A has the shape {A.shape}; need 2 dimensions or more")
    if driver not in _DRIVERS:
        raise ValueError(f"lstsq: driver is {driver!r}; need None, 'gels', 'gelsy', 'gelss' or 'gelsd'")
    b = B.expand_dims(-1) if is_vector(A, B) else B
    if b.ndim < 2 or b.shape[-2] != A.shape[-2]:
        raise ValueError(f"lstsq: B has the shape {B.shape}; need {A.shape[-2]} rows, as many as A has")
    s, u, v = svd_factors(A)
    kept = s > s[..., :1] * _cutoff(A, rcond)
    inverse = where(kept, 1 / where(kept, s, Tensor(1, s.dtype)), Tensor(0, s.dtype))
    x = v @ (inverse.expand_dims(-1) * (transposed(u) @ b))
    empty = zeros((0,), A.dtype)
    overdetermined = A.shape[-2] > A.shape[-1] and driver in ("gels", "gelss", "gelsd")
    residual = ((A @ x - b) ** 2).sum(-2) if overdetermined else empty
    rank = empty.astype(_core.int64) if driver == "gels" else kept.astype(_core.int64).sum(-1)
    if is_vector(A, B):
        x, residual = x.squeeze(-1), residual.squeeze(-1) if overdetermined else residual
    return x, residual, rank, s if driver in ("gelss", "gelsd") else empty


def _cutoff(matrix, rcond):
    """The share of the largest singular value below which another counts as 0."""
    return (2.0**-23 if matrix.dtype == _core.float32 else 2.0**-52) if rcond is None else rcond
