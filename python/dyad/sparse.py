"""Tensors most of whose elements are zero, given by the others and where they stand.

They are plain objects that hold dense Tensors; a graph takes them as arguments and makes them.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_tensors
from dyad._src.operators import (
    arange,
    cat,
    distinct,
    gather,
    nonzero,
    repeat_interleave,
    scatter_nd,
    searchsorted,
    stack,
    unsorted_segment_sum,
)
from dyad._src.tensor.sparse_base import SparseTensorBase

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner", "SparseTensor"]


def _require_integers(owner, **tensors):
    for name, value in tensors.items():
        if value.dtype not in (_core.int16, _core.int32, _core.int64):
            raise TypeError(f"{owner}: {name} is of {value.dtype}; need Int16, Int32 or Int64")


def _require_shape(owner, shape):
    if not isinstance(shape, tuple) or not all(isinstance(size, int) for size in shape):
        raise TypeError(f"{owner}: shape is {shape!r}; need a tuple of ints")
    if any(size <= 0 for size in shape):
        raise ValueError(f"{owner}: shape is {shape}; need sizes > 0")


def _both(first, second):
    """The elements of two tensors, one after the other, in the dtype that an operation of both has."""
    dtype = (first[:1] + second[:1]).dtype
    return cat([first.astype(dtype), second.astype(dtype)])


def _parts(owner, kind, source, *given):
    """The parts of a sparse tensor that is copied."""
    if not isinstance(source, kind) or any(part is not None for part in given):
        raise TypeError(
            f"{owner}: {source!r} is given as what is copied; need a {owner} alone, or its parts alone"
        )
    return *(getattr(source, name) for name in source._places), source.values, source.shape


class COOTensor(SparseTensorBase):
    """A Tensor of `shape` with `values` at the positions that the rows of `indices` name.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.common import COOTensor
        >>> x = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    _places = ("indices",)

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            indices, values, shape = _parts("COOTensor", COOTensor, coo_tensor, indices, values, shape)
        require_tensors("COOTensor", indices=indices, values=values)
        _require_integers("COOTensor", indices=indices)
        _require_shape("COOTensor", shape)
        if indices.ndim != 2 or values.ndim != 1 or indices.shape != (values.shape[0], len(shape)):
            raise ValueError(
                f"COOTensor: indices and values have the shapes {indices.shape} and {values.shape}; "
                f"need (n, {len(shape)}) and (n,) for the shape {shape}"
            )
        self.indices, self.values, self.shape = indices, values, shape

    def _with(self, values):
        return COOTensor(self.indices, values, self.shape)

    def _positions(self):
        return self.indices

    def __add__(self, other):
        if isinstance(other, COOTensor):
            return self._sum("+", other, other.values)
        return self.to_dense() + other if isinstance(other, Tensor) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, COOTensor):
            return self._sum("-", other, -other.values)
        return self.to_dense() - other if isinstance(other, Tensor) else NotImplemented

    def __rsub__(self, other):
        return other - self.to_dense() if isinstance(other, Tensor) else NotImplemented

    def _sum(self, operator, other, values):
        self._require_like(operator, other)
        indices = _both(self.indices, other.indices)
        return COOTensor(indices, _both(self.values, values), self.shape).coalesce()

    def add(self, other: "COOTensor", thresh) -> "COOTensor":
        """The sum with another COOTensor, without elements whose size is below `thresh`."""
        if not isinstance(other, COOTensor):
            raise TypeError(f"add: other is of type {type(other).__name__}; need a COOTensor")
        total = self + other
        kept = nonzero(abs(total.values) >= thresh).reshape(-1)
        return COOTensor(gather(total.indices, kept, 0), gather(total.values, kept, 0), self.shape)

    def coalesce(self) -> "COOTensor":
        """The same with every place once, in row-major order; values at one place are added."""
        number = self.indices[:, 0].astype(_core.int64)
        for axis in range(1, self.ndim):
            number = number * self.shape[axis] + self.indices[:, axis].astype(_core.int64)
        numbers, which, _ = distinct(number, True)
        columns: list = []
        count = numbers.shape[0]
        for size in reversed(self.shape):
            columns.insert(0, (numbers % size).astype(self.indices.dtype))
            numbers = numbers // size
        return COOTensor(stack(columns, 1), unsorted_segment_sum(self.values, which, count), self.shape)

    def to_csr(self):
        """The same matrix as a CSRTensor."""
        if self.ndim != 2:
            raise ValueError(f"to_csr: the shape is {self.shape}; need a matrix")
        ordered = self.coalesce()
        rows = ordered.indices[:, 0]
        ends = arange(self.shape[0] + 1, dtype=rows.dtype)
        indptr = searchsorted(rows, ends).astype(rows.dtype)
        return CSRTensor(indptr, ordered.indices[:, 1], ordered.values, self.shape)

    def to_tuple(self):
        """`indices`, `values` and `shape`."""
        return self.indices, self.values, self.shape

    def to_dense(self):
        """The whole Tensor; values at one position are added."""
        return scatter_nd(self.indices, self.values, self.shape)


class SparseTensor(COOTensor):
    """The older name of a `COOTensor`.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.common.sparse_tensor import SparseTensor
        >>> print(SparseTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 3)).to_dense())
        [[0. 2. 0.]]
    """

    def __init__(self, indices, values, shape):
        super().__init__(indices, values, shape)


class CSRTensor(SparseTensorBase):
    """A matrix of `shape`: row i has `values[indptr[i]:indptr[i + 1]]` in the columns `indices[...]` of the same slice.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.common import CSRTensor
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
        >>> print(x.to_dense())
        [[0. 1. 0.]
         [0. 0. 2.]]
    """

    _places = ("indptr", "indices")

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            indptr, indices, values, shape = _parts(
                "CSRTensor", CSRTensor, csr_tensor, indptr, indices, values, shape
            )
        require_tensors("CSRTensor", indptr=indptr, indices=indices, values=values)
        _require_integers("CSRTensor", indptr=indptr, indices=indices)
        _require_shape("CSRTensor", shape)
        if indptr.ndim != 1 or indices.ndim != 1 or values.shape[:1] != indices.shape:
            raise ValueError(
                f"CSRTensor: indptr, indices and values have the shapes {indptr.shape}, {indices.shape} and "
                f"{values.shape}; need (rows + 1,), (n,) and (n, ...)"
            )
        if indptr.shape[0] != shape[0] + 1 or len(shape) != values.ndim + 1:
            raise ValueError(
                f"CSRTensor: shape is {shape}; indptr of shape {indptr.shape} and values of shape {values.shape} "
                f"need {values.ndim + 1} dimensions, of which the first is {indptr.shape[0] - 1}"
            )
        self.indptr, self.indices, self.values, self.shape = indptr, indices, values, shape

    def _with(self, values):
        return CSRTensor(self.indptr, self.indices, values, self.shape)

    def _positions(self):
        """Row and column of each value. The row of the k-th is how many rows end at or before k."""
        order = arange(self.indices.shape[0], dtype=self.indptr.dtype)
        rows = searchsorted(self.indptr[1:], order, right=True).astype(self.indices.dtype)
        return stack([rows, self.indices], 1)

    def __add__(self, other):
        return self._sum("+", other, 1) if isinstance(other, CSRTensor) else NotImplemented

    def __sub__(self, other):
        return self._sum("-", other, -1) if isinstance(other, CSRTensor) else NotImplemented

    def _sum(self, operator, other, factor):
        self._require_like(operator, other)
        return (self.to_coo() + other._with(other.values * factor).to_coo()).to_csr()

    def add(self, other: "CSRTensor", alpha, beta):
        """`alpha` times this and `beta` times another CSRTensor."""
        if not isinstance(other, CSRTensor):
            raise TypeError(f"add: other is of type {type(other).__name__}; need a CSRTensor")
        return self * alpha + other * beta

    def mv(self, dense_vector):
        """The product with a column, a Tensor of the shape (columns, 1)."""
        require_tensors("mv", dense_vector=dense_vector)
        if self.ndim != 2 or dense_vector.shape != (self.shape[1], 1):
            raise ValueError(
                f"mv: the shapes are {self.shape} and {dense_vector.shape}; need (rows, columns) and (columns, 1)"
            )
        return self._times_dense(dense_vector)

    def mm(self, matrix: "Tensor | CSRTensor"):
        """The product with a matrix: a Tensor gives a Tensor, a CSRTensor a CSRTensor."""
        if not isinstance(matrix, (Tensor, CSRTensor)):
            raise TypeError(f"mm: matrix is of type {type(matrix).__name__}; need a Tensor or a CSRTensor")
        if self.ndim != 2 or matrix.ndim != 2 or matrix.shape[0] != self.shape[1]:
            raise ValueError(
                f"mm: the shapes are {self.shape} and {matrix.shape}; need (rows, inner) and (inner, columns)"
            )
        return self._times_dense(matrix) if isinstance(matrix, Tensor) else self._times_rows(matrix)

    def _times_dense(self, matrix):
        rows = self._positions()[:, 0]
        return unsorted_segment_sum(
            gather(matrix, self.indices, 0) * self.values.reshape(-1, 1), rows, self.shape[0]
        )

    def _times_rows(self, other):
        """Each value meets every value of the row of `other` that its column names."""
        starts = gather(other.indptr, self.indices, 0)
        lengths = gather(other.indptr, self.indices + 1, 0) - starts
        mine = repeat_interleave(arange(self.indices.shape[0]), lengths)
        before = lengths.cumsum(0) - lengths
        theirs = arange(mine.shape[0]) - gather(before, mine, 0) + gather(starts, mine, 0)
        rows = gather(self._positions()[:, 0], mine, 0)
        columns = gather(other.indices, theirs, 0).astype(rows.dtype)
        values = gather(self.values, mine, 0) * gather(other.values, theirs, 0)
        return COOTensor(stack([rows, columns], 1), values, (self.shape[0], other.shape[1])).to_csr()

    def sum(self, axis):
        """The sum of each row (`axis` 1) or column (0) as a Tensor, which keeps that dimension."""
        if type(axis) is not int or not (axis in (0, 1) or (axis in (-1, -2) and self.ndim == 2)):
            raise ValueError(f"sum: axis is {axis!r} and the shape {self.shape}; need 0 or 1")
        axis %= 2
        kept = self._positions()[:, 1 - axis]
        return unsorted_segment_sum(self.values, kept, self.shape[1 - axis]).expand_dims(axis)

    def to_tuple(self):
        """`indptr`, `indices`, `values` and `shape`."""
        return self.indptr, self.indices, self.values, self.shape

    def to_coo(self) -> "COOTensor":
        """The same as a COOTensor."""
        return COOTensor(self._positions(), self.values, self.shape)

    def to_dense(self):
        """The whole Tensor; values at one position are added."""
        return scatter_nd(self._positions(), self.values, self.shape)


class RowTensor(SparseTensorBase):
    """A Tensor of `shape` with the slices `values` at the places `indices` of its first dimension."""

    _places = ("indices",)

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        if row_tensor is not None:
            indices, values, shape = _parts("RowTensor", RowTensor, row_tensor, indices, values, shape)
        require_tensors("RowTensor", indices=indices, values=values)
        _require_integers("RowTensor", indices=indices)
        _require_shape("RowTensor", shape)
        if indices.ndim != 1 or values.shape != (indices.shape[0], *shape[1:]):
            raise ValueError(
                f"RowTensor: indices and values have the shapes {indices.shape} and {values.shape}; "
                f"need (n,) and {('n', *shape[1:])} for the shape {shape}"
            )
        self.indices, self.values, self.shape = indices, values, shape

    @property
    def dense_shape(self) -> tuple:
        """The shape, under its older name."""
        return self.shape

    def _with(self, values):
        return RowTensor(self.indices, values, self.shape)

    def _positions(self):
        return self.indices.expand_dims(-1)

    def to_dense(self):
        """The whole Tensor; slices at one place are added."""
        return scatter_nd(self._positions(), self.values, self.shape)


RowTensorInner = RowTensor
