"""Functions that reduce dimensions, and products of arrays."""

from numbers import Integral

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import plain_number
from dyad.numpy.operand import as_dtype, as_flag, as_float, as_tensor, axis_from_front, converted

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "dot",
    "inner",
    "matmul",
    "max",
    "mean",
    "min",
    "norm",
    "outer",
    "ptp",
    "std",
    "sum",
    "tensordot",
    "trace",
    "unique",
    "var",
]


def _axes(axis):
    return () if axis is None else axis


def sum(a, axis=None, dtype=None, keepdims: bool = False, initial=None):
    """The sum along the axes, or of all elements; `initial` is added to it. With `dtype` it is computed in that."""
    total = converted(converted(as_tensor(a), dtype).sum(axis, keepdims=as_flag(keepdims)), dtype)
    return total if initial is None else total + initial


def mean(a, axis=None, keepdims: bool = False, dtype=None):
    """The mean along the axes, or of all elements. Integers are averaged as floats."""
    return converted(as_float(a).mean(axis, keep_dims=as_flag(keepdims)), dtype)


def var(x, axis=None, ddof=0, keepdims: bool = False) -> Tensor:
    """The variance along the axes, or of all elements, divided by their number less `ddof`."""
    return ops.var(as_float(x), axis, ddof, as_flag(keepdims))


def std(x, axis=None, ddof=0, keepdims: bool = False) -> Tensor:
    """The standard deviation, the square root of `var`."""
    return ops.std(as_float(x), axis, ddof, as_flag(keepdims))


def amax(a, axis=None, keepdims: bool = False, initial=None, where=True) -> Tensor:
    """The greatest element along the axes, or of all.

    `where` picks the elements that count, and `initial` is one more candidate.
    """
    initial = _require_number("amax", initial)
    result = ops.amax(_masked(a, where, initial), _axes(axis), as_flag(keepdims))
    return result if initial is None else ops.maximum(result, initial)


def amin(a, axis=None, keepdims: bool = False, initial=None, where=True) -> Tensor:
    """The least element along the axes, or of all.

    `where` picks the elements that count, and `initial` is one more candidate.
    """
    initial = _require_number("amin", initial)
    result = ops.amin(_masked(a, where, initial), _axes(axis), as_flag(keepdims))
    return result if initial is None else ops.minimum(result, initial)


max, min = amax, amin


def _require_number(caller, initial):
    number = plain_number(initial)
    if not (number is None or isinstance(number, (int, float))):
        raise TypeError(f"{caller}: initial is {initial!r}; need a number")
    return number


def _masked(a, where, initial):
    """Elements outside of `where` are replaced by the initial value."""
    a = as_tensor(a)
    if where is True:
        return a
    if initial is None:
        raise ValueError(
            "amax, amin: where is given without initial; need an initial value for what it leaves out"
        )
    return ops.where(as_tensor(where).astype(_core.bool_), a, as_tensor(initial, a.dtype))


def ptp(x, axis=None, keepdims: bool = False) -> Tensor:
    """Largest minus smallest."""
    return amax(x, axis, keepdims) - amin(x, axis, keepdims)


def argmax(a, axis=None):
    """The position of the greatest element along the axis, or in the flattened Tensor."""
    return _position(ops.argmax, a, axis)


def argmin(a, axis=None):
    """The position of the least element along the axis, or in the flattened Tensor."""
    return _position(ops.argmin, a, axis)


def _position(operator, a, axis):
    a = as_tensor(a)
    return operator(a.reshape(-1), 0) if axis is None else operator(a, axis)


def average(x, axis=None, weights=None, returned: bool = False):
    """Mean, weighted if weights are given."""
    x = as_float(x)
    if weights is None:
        result = x.mean(axis)
        total = ops.ones(result.shape, result.dtype) * (x.size // result.size)
    else:
        weights = as_tensor(weights).astype(x.dtype)
        if weights.shape != x.shape:
            weights = ops.broadcast_to(_weights_along(weights, x.shape, axis), x.shape)
        total = weights.sum(axis)
        result = (x * weights).sum(axis) / total
    return (result, total) if returned else result


def _weights_along(weights, shape, axis):
    """Weights of the elements along one axis, as a shape that broadcasts."""
    if not isinstance(axis, int) or weights.ndim != 1:
        raise TypeError(
            f"average: weights has shape {weights.shape}; need that of x, {shape}, or one axis and a weight for each "
            "element along it"
        )
    axis = axis_from_front("average", axis, len(shape))
    if weights.shape[0] != shape[axis]:
        raise ValueError(
            f"average: {weights.shape[0]} weights are given; need {shape[axis]}, one for each element"
        )
    return weights.reshape(tuple(-1 if i == axis else 1 for i in range(len(shape))))


def count_nonzero(x, axis=None, keepdims: bool = False) -> Tensor:
    """Number of nonzero elements along the axes, or of all; int32."""
    return (
        ops.not_equal(as_tensor(x), 0)
        .astype(_core.int32)
        .sum(axis, keepdims=as_flag(keepdims))
        .astype(_core.int32)
    )


def cumsum(a, axis=None, dtype=None):
    """The sums of all elements up to each one along the axis, or of the flattened Tensor."""
    return _accumulate(ops.cumsum, a, axis, dtype)


def cumprod(a, axis=None, dtype=None):
    """The products of all elements up to each one along the axis, or of the flattened Tensor."""
    a = as_tensor(a)
    return _accumulate(
        ops.cumprod, a, axis, _core.int32 if dtype is None and a.dtype == _core.int32 else dtype
    )


# Summed up in their own dtype these would wrap.
_NARROW = (_core.bool_, _core.int8, _core.uint8, _core.int16, _core.uint16)


def _accumulate(operator, a, axis, dtype):
    a, dtype = as_tensor(a), as_dtype(dtype)
    if dtype is None and a.dtype in _NARROW:
        dtype = _core.int32
    if dtype != _core.bool_:
        a = converted(a, dtype)
    result = operator(a.reshape(-1), 0) if axis is None else operator(a, axis)
    return converted(result, dtype)


def norm(x, ord=None, axis=None, keepdims: bool = False) -> Tensor:
    """The norm of vectors or matrices; `ord` chooses it as for `ops.norm`."""
    return ops.norm(as_float(x), ord, axis, as_flag(keepdims))


def matmul(x1, x2, dtype=None):
    """The matrix product; leading dimensions broadcast."""
    return converted(ops.matmul(as_tensor(x1), as_tensor(x2)), dtype)


def dot(a, b):
    """Inner product over the last dimension of a and the second to last of b."""
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim <= 2 and b.ndim <= 2:
        return ops.matmul(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2 if b.ndim > 1 else 0,)))


def inner(a, b):
    """The product summed over the last dimensions of both; for a number, the plain product."""
    a, b = as_tensor(a), as_tensor(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a, b):
    """The products of each element of `a` with each of `b`, both flattened, as a matrix."""
    return as_tensor(a).reshape(-1, 1) * as_tensor(b).reshape(1, -1)


def tensordot(a, b, axes=2) -> Tensor:
    """Sum of products over the given dimensions: a count of the last of a and first of b, or a pair of lists."""
    a, b, axes = as_tensor(a), as_tensor(b), plain_number(axes)
    if isinstance(axes, int):
        if axes < 0 or axes > a.ndim or axes > b.ndim:
            raise ValueError(
                f"tensordot: axes is {axes} for arrays of shapes {a.shape} and {b.shape}; need 0 or more, and no more "
                "than either has dimensions"
            )
        axes = (tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    elif not isinstance(axes, (tuple, list)):
        raise TypeError(f"tensordot: axes is {axes!r}; need an int or a pair")
    elif len(axes) != 2:
        raise ValueError(f"tensordot: axes is {axes!r}; need an int or a pair")
    summed_a, summed_b = (
        tuple(
            axis_from_front("tensordot", axis, x.ndim)
            for axis in ((group,) if isinstance(group, Integral) else group)
        )
        for x, group in ((a, axes[0]), (b, axes[1]))
    )
    kept_a = [axis for axis in range(a.ndim) if axis not in summed_a]
    kept_b = [axis for axis in range(b.ndim) if axis not in summed_b]
    left = a.transpose((*kept_a, *summed_a)).reshape(_size(a, kept_a), _size(a, summed_a))
    right = b.transpose((*summed_b, *kept_b)).reshape(_size(b, summed_b), _size(b, kept_b))
    shape = tuple(a.shape[axis] for axis in kept_a) + tuple(b.shape[axis] for axis in kept_b)
    return ops.matmul(left, right).reshape(shape)


def _size(x, axes):
    size = 1
    for axis in axes:
        size *= x.shape[axis]
    return size


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal that `offset` and the two axes choose."""
    return converted(ops.diagonal(as_tensor(a), offset, axis1, axis2).sum(-1), dtype)


def unique(x, return_inverse: bool = False):
    """The distinct elements in ascending order; with `return_inverse` also where each element is among them."""
    values, inverse = ops.unique(as_tensor(x).reshape(-1))
    order = ops.argsort(values)
    if not return_inverse:
        return values[order]
    return values[order], ops.argsort(order)[inverse]
