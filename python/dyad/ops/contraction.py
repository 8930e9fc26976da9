"""Sums of products over axes that the caller names in several forms."""

from numbers import Integral

from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, plain_number
from dyad._src.operators import matmul
from dyad._src.operators import tensor_dot as _tensor_dot

__all__ = ["batch_dot", "tensor_dot", "tensordot"]


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
