"""Sums of products over axes, singular values, and matrices in triangular factors.

Rows of factors were exchanged as pivots, counted from 1, say.
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
    """Sum of products over axes of both: a count of the last of x1 and first of x2, or one or several axes of each.

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
    """Sum of products over the given axes, as `tensor_dot`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.tensordot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0]), axes=1))
        [21. 43.]
    """
    return tensor_dot(a, b, axes)


def batch_dot(x1, x2, axes=None):
    """For each pair of samples (the first dimension of both): the sum of products over one axis of each.

    Without `axes` it is the last of x1 and the last but one of x2, or the last where x2 has two dimensions.

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
    """For each matrix the rows of the given one in the order in which its factors have them: (matrices, rows)."""
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
    """The sizes to which those before the last two of both shapes broadcast."""
    pairs = itertools.zip_longest(first[-3::-1], second[-3::-1], fillvalue=1)
    sizes = [(a if b == 1 else b, a == b or 1 in (a, b)) for a, b in pairs]
    if not all(fits for _, fits in sizes):
        raise ValueError(
            f"{owner}: b has shape {first} and LU_data {second}; need batches that are equal or broadcast"
        )
    return tuple(size for size, _ in reversed(sizes))


def lu_solve(b, LU_data, LU_pivots):
    """The x with A @ x = b, where A is given by its triangular factors and the pivots.

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


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """The permutation, the lower and the upper triangle with A = P @ L @ U; None for what is not asked for.

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
    """As `lu_solve`.

    Example:
        >>> from dyad import Tensor, ops
        >>> factors, pivots = Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2])
        >>> print(ops.LuSolve()(Tensor([[3.0], [6.0]]), factors, pivots))
        [[1.5]
         [0. ]]
    """
    return lu_solve(x, lu_data, lu_pivots)


def _unpacked(LU_data, LU_pivots, *, unpack_data=True, unpack_pivots=True):
    """As `lu_unpack`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.LuUnpack()(Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2]))[1])
        [[1.  0. ]
         [0.5 1. ]]
    """
    return lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)


def _nuclear(x, *, dim=None, keepdim=False):
    """The sum of the singular values of the matrices along two dimensions.

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
    """The elements below which fractions `q` of each line lie.

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


def svd(input, full_matrices=False, compute_uv=True):
    """Singular values `s` in descending order; with `compute_uv` also u and v, input = u @ diag(s) @ v.T.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
        [3. 2.]
    """
    require_flag("svd", "compute_uv", compute_uv)
    parts = svd_factors(input, full_matrices)
    return parts if compute_uv else parts[0]


setattr(Tensor, svd.__name__, svd)
