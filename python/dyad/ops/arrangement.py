"""Positions and orders: permutations, indices of elements, places in sorted sequences."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_int
from dyad._src.operators import bincount, concat, distinct, search_sorted_rows, stack
from dyad._src.primitive.primitive import Primitive, primitive_of

__all__ = [
    "Bincount",
    "InvertPermutation",
    "LowerBound",
    "ParallelConcat",
    "UniqueWithPad",
    "UnravelIndex",
    "UpperBound",
    "unique_with_pad",
]


def _require_tensor(caller, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: {name} is of type {type(value).__name__}; need a Tensor")


def _invert_permutation(input_x):
    """The permutation that undoes one: position i of the result says where i stands in the input.

    Example:
        >>> from dyad import ops
        >>> ops.InvertPermutation()((2, 0, 1))
        (1, 2, 0)
    """
    if not isinstance(input_x, (tuple, list)):
        raise TypeError(
            f"InvertPermutation: input_x is of type {type(input_x).__name__}; need a tuple or list"
        )
    for number in input_x:
        require_int("InvertPermutation", "a member of input_x", number)
    if sorted(input_x) != list(range(len(input_x))):
        raise ValueError(
            f"InvertPermutation: input_x is {tuple(input_x)}; need each number from 0 to {len(input_x) - 1} once"
        )
    return tuple(sorted(range(len(input_x)), key=input_x.__getitem__))


def unique_with_pad(x, pad_num):
    """Distinct elements in order of first appearance, filled up to the input's length, and the index of each.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.unique_with_pad(Tensor([3, 1, 3]), 0))
        [3 1 0] [0 1 0]
    """
    _require_tensor("unique_with_pad", "x", x)
    if x.ndim != 1:
        raise ValueError(f"unique_with_pad: x has shape {x.shape}; need 1 dimension")
    index_dtype = _core.int64 if x.dtype == _core.int64 else _core.int32
    values, index, _ = distinct(x, False, index_dtype)
    filler = Tensor([pad_num] * (x.size - values.size), x.dtype) if values.size < x.size else None
    return (values if filler is None else concat((values, filler))), index


def _unravel_index(indices, dims):
    """Coordinates, one row per dimension, of elements that are counted in row-major order of the sizes `dims`.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.UnravelIndex()(Tensor([1, 5]), Tensor([2, 3])))
        [[0 1]
         [1 2]]
    """
    _require_tensor("UnravelIndex", "indices", indices)
    _require_tensor("UnravelIndex", "dims", dims)
    if dims.ndim != 1 or dims.dtype not in (_core.int32, _core.int64):
        raise SettingError(
            f"UnravelIndex: dims is of {dims.dtype} and shape {dims.shape}; need a line of ints"
        )
    sizes = dims.tolist()
    total = 1
    for size in sizes:
        total *= size
    if indices.size and not 0 <= indices.min().item() <= indices.max().item() < total:
        raise ValueError(f"UnravelIndex: an index lies outside of {tuple(sizes)}; need 0 to {total - 1}")
    coordinates = []
    rest = indices
    for size in reversed(sizes):
        coordinates.append(rest % size)
        rest = rest // size
    return stack(tuple(reversed(coordinates)))


class _Bound(Primitive):
    """Where each value belongs in the sorted row of the same number."""

    _right = False

    def __init__(self, out_type=_core.int32):
        super().__init__()
        self.out_type = out_type

    def __call__(self, sorted_x, values):
        return search_sorted_rows(sorted_x, values, self._right, self.out_type)

    def __reduce__(self):
        return type(self), (self.out_type,)


class LowerBound(_Bound):
    """First place in each sorted row that is not below the value.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.LowerBound()(Tensor([[1.0, 2.0, 2.0, 4.0]]), Tensor([[2.0, 5.0]])))
        [[1 4]]
    """


class UpperBound(_Bound):
    """First place in each sorted row that is above the value.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.UpperBound()(Tensor([[1.0, 2.0, 2.0, 4.0]]), Tensor([[2.0, 5.0]])))
        [[3 4]]
    """

    _right = True


def _count_below(array, size, weights):
    """How often each number below `size` occurs, or the sum of its weights; larger numbers are left out.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Bincount()(Tensor([0, 2, 2]), Tensor(4), Tensor([1.0, 0.5, 0.5])))
        [1. 0. 1. 0.]
    """
    _require_tensor("Bincount", "array", array)
    count = int(size.item() if isinstance(size, Tensor) else size)
    counted = bincount(array, weights if weights.size else None, count)
    return counted[:count].astype(weights.dtype)


def _join_rows(values):
    """Tensors of one row each as the rows of one.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.ParallelConcat()([Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])]))
        [[1. 2.]
         [3. 4.]]
    """
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"ParallelConcat: values is of type {type(values).__name__}; need a tuple of Tensors")
    return concat(tuple(values))


Bincount = primitive_of("Bincount", _count_below)
InvertPermutation = primitive_of("InvertPermutation", _invert_permutation)
ParallelConcat = primitive_of("ParallelConcat", _join_rows)
UniqueWithPad = primitive_of("UniqueWithPad", unique_with_pad)
UnravelIndex = primitive_of("UnravelIndex", _unravel_index)

Tensor.unique_with_pad = unique_with_pad  # type: ignore[method-assign]
