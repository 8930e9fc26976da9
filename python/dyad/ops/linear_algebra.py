"""Tensor contractions, singular values, and LU factors.

Pivots are row numbers, counted from 1, with which each row of the factors was exchanged.
"""

import itertools
from numbers import Integral

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    SettingError,
    plain_number,
    require_bool,
    require_flag,
    require_sequence,
)
from dyad._src.operators import (
    eye,
    functions,
    gather_elements,
    matmul,
    matrix_norm,
    one_hot,
    svd_factors,
    triangular_solve,
    tril,
    triu,
)
from dyad._src.operators import tensor_dot as _tensor_dot
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings

__all__ = [
    "LuSolve",
    "LuUnpack",
    "NuclearNorm",
    "Quantile",
    "batch_dot",
    "lu_solve",
    "lu_unpack",
    "svd",
    "tensor_dot",
    "tensordot",
]


def tensor_dot(x1, x2, axes):
    """Tensor contraction, the sum of products over axes of both operands.

        y[i, j] = Σ_k x1[i, k] · x2[k, j]

    i and j are the axes of `x1` and `x2` that are not summed, k the summed ones.

    Args:
        x1 (Tensor): first operand.
        x2 (Tensor): second operand.
        axes (int or pair): a number n of axes, the last n of `x1` and the first n of `x2`; or the axes of `x1` and
            those of `x2`, each an int or a sequence of ints.

    Returns:
        Tensor with the remaining axes of `x1`, then those of `x2`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.tensor_dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0]), 1))
        [21. 43.]
    """
    if isinstance(axes, (tuple, list)) and len(axes) == 2:
        first, second = ((group,) if isinstance(group, Integral) else tuple(group) for group in axes)
        return _tensor_dot(x1, x2, first, second)
    axes = plain_number(axes)
    if isinstance(axes, bool) or not isinstance(axes, int):
        raise SettingError(f"tensor_dot: axes is {axes!r}; need an int, or the axes of x1 and those of x2")
    return _tensor_dot(x1, x2, axes)


def tensordot(a, b, axes=2):
    """Tensor contraction; the same as `tensor_dot`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.tensordot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0]), axes=1))
        [21. 43.]
    """
    return tensor_dot(a, b, axes)


def batch_dot(x1, x2, axes=None):
    """Batched contraction, the sum of products over one axis of each operand for every sample.

        y[n, i, j] = Σ_k x1[n, i, k] · x2[n, k, j]

    Args:
        x1 (Tensor): first operand, at least 2 dimensions; the first one counts samples.
        x2 (Tensor): second operand, with as many samples.
        axes (int, pair of ints or None): the summed axis of both, or of each. Default: the last of `x1` and the last
            but one of `x2`, or the last if `x2` has 2 dimensions.

    Returns:
        Tensor of shape (samples, remaining sizes of `x1`, remaining sizes of `x2`); (samples, 1) if none remain.

    Raises:
        ValueError: if the numbers of samples or the sizes of the summed axes differ.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.batch_dot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 10.0], [1.0, 10.0]])))
        [[21.]
         [43.]]
    """
    for name, x in (("x1", x1), ("x2", x2)):
        if not isinstance(x, Tensor):
            raise TypeError(f"batch_dot: {name} is of type {type(x).__name__}; need a Tensor")
        if x.ndim < 2:
            raise ValueError(f"batch_dot: {name} has shape {x.shape}; need at least 2 dimensions")
    if x1.shape[0] != x2.shape[0]:
        raise ValueError(f"batch_dot: there are {x1.shape[0]} and {x2.shape[0]} samples; need as many")
    first, second = _summed_axes(x1, x2, axes)
    if x1.shape[first] != x2.shape[second]:
        raise ValueError(
            f"batch_dot: axes {first} and {second} of shapes {x1.shape} and {x2.shape} differ in size"
        )
    kept = [axis for axis in range(1, x1.ndim) if axis != first]
    kept_of_second = [axis for axis in range(1, x2.ndim) if axis != second]
    samples, summed = x1.shape[0], x1.shape[first]
    left = x1.permute((0, *kept, first)).reshape(samples, -1, summed)
    right = x2.permute((0, second, *kept_of_second)).reshape(samples, summed, -1)
    sizes = [x1.shape[axis] for axis in kept] + [x2.shape[axis] for axis in kept_of_second]
    return matmul(left, right).reshape(samples, *(sizes or [1]))


def _summed_axes(x1, x2, axes):
    axes = plain_number(axes)
    if axes is None:
        axes = (x1.ndim - 1, max(x2.ndim - 2, 1))
    if isinstance(axes, int) and not isinstance(axes, bool):
        axes = (axes, axes)
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise SettingError(f"batch_dot: axes is {axes!r}; need an int or an axis of each operand")
    for axis, x in zip(axes, (x1, x2), strict=True):
        if not -x.ndim <= axis < x.ndim or axis % x.ndim == 0:
            raise ValueError(
                f"batch_dot: axis {axis} of shape {x.shape} is no axis besides that of the samples"
            )
    return axes[0] % x1.ndim, axes[1] % x2.ndim


def _require(owner, **tensors):
    for name, value in tensors.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")


def _two_dimensions(dim):
    dims = require_sequence("NuclearNorm", "dim", dim, "two dimensions")
    if len(dims) != 2:
        raise ValueError(f"NuclearNorm: dim is {dim!r}; need two dimensions")
    return dims


def _row_orders(owner, pivots, rows):
    """Row order of each matrix after its exchanges, of shape (matrices, rows)."""
    if pivots.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{owner}: LU_pivots is of {pivots.dtype}; need int32 or int64")
    if pivots.ndim == 0 or pivots.shape[-1] > rows:
        raise ValueError(
            f"{owner}: LU_pivots has shape {pivots.shape}; need at most {rows} pivots for each matrix"
        )
    orders = []
    for exchanged in pivots.reshape(-1, pivots.shape[-1]).tolist():
        order = list(range(rows))
        for place, other in enumerate(exchanged):
            if not 1 <= other <= rows:
                raise ValueError(f"{owner}: a pivot is {other}; need a row from 1 to {rows}")
            order[place], order[other - 1] = order[other - 1], order[place]
        orders.append(order)
    return Tensor(orders, _core.int64).reshape(*pivots.shape[:-1], rows)


def _outer_sizes(owner, first, second):
    """Broadcast batch sizes of both shapes, without the last two dimensions."""
    pairs = itertools.zip_longest(first[-3::-1], second[-3::-1], fillvalue=1)
    sizes = [(a if b == 1 else b, a == b or 1 in (a, b)) for a, b in pairs]
    if not all(fits for _, fits in sizes):
        raise ValueError(
            f"{owner}: b has shape {first} and LU_data {second}; need batches that are equal or broadcast"
        )
    return tuple(size for size, _ in reversed(sizes))


def lu_solve(b, LU_data, LU_pivots):
    """Solves the linear system A @ x = b from the LU factors of A.

        P · L · U · x = b

    Args:
        b (Tensor): right sides, of shape (..., n, k).
        LU_data (Tensor): L below the diagonal and U from the diagonal up, of shape (..., n, n).
        LU_pivots (Tensor): int32 or int64 pivots counted from 1, of shape (..., n).

    Returns:
        Tensor x of shape (..., n, k).

    Raises:
        TypeError: if `LU_pivots` is not int32 or int64.
        ValueError: if shapes do not match, or a pivot is not from 1 to n.

    Example:
        >>> from dyad import Tensor, ops
        >>> factors, pivots = Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2])
        >>> print(ops.lu_solve(Tensor([[3.0], [6.0]]), factors, pivots))
        [[1.5]
         [0. ]]
    """
    owner = "lu_solve"
    _require(owner, b=b, LU_data=LU_data, LU_pivots=LU_pivots)
    matrices = LU_data.ndim >= 2 and b.ndim >= 2
    if not matrices or not LU_data.shape[-1] == LU_data.shape[-2] == b.shape[-2]:
        raise ValueError(
            f"{owner}: LU_data has shape {LU_data.shape} and b {b.shape}; need (.., n, n) and (.., n, k)"
        )
    if LU_pivots.shape != LU_data.shape[:-1]:
        raise ValueError(f"{owner}: LU_pivots has shape {LU_pivots.shape}; need {LU_data.shape[:-1]}")
    rows, outer = LU_data.shape[-1], _outer_sizes(owner, b.shape, LU_data.shape)
    wide = b.broadcast_to((*outer, *b.shape[-2:]))
    order = _row_orders(owner, LU_pivots, rows).expand_dims(-1).broadcast_to(wide.shape)
    factors = LU_data.broadcast_to((*outer, rows, rows))
    lower = tril(factors, -1) + eye(rows, rows, factors.dtype)
    return triangular_solve(
        triu(factors), triangular_solve(lower, gather_elements(wide, -2, order), True), False
    )


def lu_unpack(LU_data, LU_pivots, unpack_data: bool = True, unpack_pivots: bool = True):
    """Unpacks LU factors, A = P @ L @ U.

    Args:
        LU_data (Tensor): L below the diagonal and U from the diagonal up, of shape (..., m, n).
        LU_pivots (Tensor): int32 or int64 pivots counted from 1.
        unpack_data (bool): False returns None for L and U. Default: True.
        unpack_pivots (bool): False returns None for P. Default: True.

    Returns:
        Tuple (P, L, U) of the permutation, the unit lower and the upper triangular matrix.

    Example:
        >>> from dyad import Tensor, ops
        >>> p, lower, upper = ops.lu_unpack(Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2]))
        >>> print(p @ lower @ upper)
        [[2. 2.]
         [4. 2.]]
    """
    owner = "lu_unpack"
    _require(owner, LU_data=LU_data, LU_pivots=LU_pivots)
    if LU_data.ndim < 2 or LU_pivots.shape[:-1] != LU_data.shape[:-2]:
        raise ValueError(
            f"{owner}: LU_data has shape {LU_data.shape} and LU_pivots {LU_pivots.shape}; need one row each"
        )
    rows, columns = LU_data.shape[-2:]
    least = min(rows, columns)
    permutation = lower = upper = None
    if unpack_pivots:
        order = _row_orders(owner, LU_pivots, rows)
        permutation = one_hot(order, rows).astype(LU_data.dtype).swapaxes(-1, -2)
    if unpack_data:
        lower = tril(LU_data[..., :least], -1) + eye(rows, least, LU_data.dtype)
        upper = triu(LU_data[..., :least, :])
    return permutation, lower, upper


def _solved(x, lu_data, lu_pivots):
    """Solves a linear system from LU factors; see `ops.lu_solve`.

    Example:
        >>> from dyad import Tensor, ops
        >>> factors, pivots = Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2])
        >>> print(ops.LuSolve()(Tensor([[3.0], [6.0]]), factors, pivots))
        [[1.5]
         [0. ]]
    """
    return lu_solve(x, lu_data, lu_pivots)


def _unpacked(LU_data, LU_pivots, *, unpack_data=True, unpack_pivots=True):
    """Unpacks LU factors; see `ops.lu_unpack`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.LuUnpack()(Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2]))[1])
        [[1.  0. ]
         [0.5 1. ]]
    """
    return lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)


def _nuclear(x, *, dim=None, keepdim=False):
    """Nuclear norm, the sum of the singular values of matrices along two dimensions.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.NuclearNorm()(Tensor([[3.0, 0.0], [0.0, 2.0]])))
        5.0
    """
    _require("NuclearNorm", x=x)
    if dim is None and x.ndim != 2:
        raise ValueError(f"NuclearNorm: x has shape {x.shape}; need a matrix, or two dimensions in dim")
    return matrix_norm(x, "nuc", (-2, -1) if dim is None else _two_dimensions(dim), keepdim)


def _fractions(x, q, *, dim=None, keep_dims=False, ignore_nan=False):
    """Quantiles `q` along a dimension; NaN is left out with `ignore_nan`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Quantile()(Tensor([1.0, 2.0, 4.0]), Tensor(0.5)))
        2.0
    """
    return functions["nanquantile" if ignore_nan else "quantile"](x, q, dim, keep_dims)


def _check_bools(name, settings):
    for key, value in settings.items():
        if key != "dim":
            require_bool(name, key, value)


LuSolve = primitive_of("LuSolve", _solved)
LuUnpack = primitive_with_settings("LuUnpack", _unpacked, _check_bools)
NuclearNorm = primitive_with_settings("NuclearNorm", _nuclear, _check_bools)
Quantile = primitive_with_settings("Quantile", _fractions, _check_bools)
_core.Tensor.lu_solve = lu_solve  # type: ignore[method-assign]


def svd(input, full_matrices: bool = False, compute_uv: bool = True):
    """Singular value decomposition, input = u @ diag(s) @ v.T.

    Args:
        input (Tensor): matrices of shape (..., m, n).
        full_matrices (bool): True returns square u and v. Default: False.
        compute_uv (bool): False returns only `s`. Default: True.

    Returns:
        Tuple (s, u, v) with `s` in descending order, or `s` alone.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
        [3. 2.]
    """
    require_flag("svd", "compute_uv", compute_uv)
    parts = svd_factors(input, full_matrices)
    return parts if compute_uv else parts[0]


setattr(Tensor, svd.__name__, svd)
