"""Tensors most of whose elements are zero, given by the others and where they stand.

They are plain objects that hold dense Tensors; a graph takes them as arguments and makes them.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.missing import missing_attribute

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner"]

_arange = _core.named_op("arange")
_scatter_nd = _core.named_op("scatter_nd")
_searchsorted = _core.named_op("searchsorted")
_stack = _core.named_op("stack")


def _require_tensors(owner, **tensors):
    for name, value in tensors.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")


def _require_integers(owner, **tensors):
    for name, value in tensors.items():
        if value.dtype not in (_core.int16, _core.int32, _core.int64):
            raise TypeError(f"{owner}: {name} is of {value.dtype}; need Int16, Int32 or Int64")


def _require_shape(owner, shape):
    if not isinstance(shape, tuple) or not all(isinstance(size, int) for size in shape):
        raise TypeError(f"{owner}: shape is {shape!r}; need a tuple of ints")
    if any(size <= 0 for size in shape):
        raise ValueError(f"{owner}: shape is {shape}; need sizes > 0")


class _SparseTensor:
    """What the kinds have in common: the values, and the shape of the whole."""

    @property
    def dtype(self):
        """The type of the elements."""
        return self.values.dtype

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self.values.itemsize

    @property
    def ndim(self):
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self):
        """How many elements are given."""
        return self.values.size

    def abs(self):
        """The absolute values, at the same places."""
        return self._with(abs(self.values))

    def astype(self, dtype):
        """The same with elements of another type."""
        return self._with(self.values.astype(dtype))

    def __neg__(self):
        return self._with(-self.values)

    def __repr__(self):
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in (*self._places, "values"))
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype}, {parts})"


class COOTensor(_SparseTensor):
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

    def __init__(self, indices, values, shape):
        _require_tensors("COOTensor", indices=indices, values=values)
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

    def to_tuple(self):
        """`indices`, `values` and `shape`."""
        return self.indices, self.values, self.shape

    def to_dense(self):
        """The whole Tensor; values at one position are added."""
        return _scatter_nd(self.indices, self.values, self.shape)


class CSRTensor(_SparseTensor):
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

    def __init__(self, indptr, indices, values, shape):
        _require_tensors("CSRTensor", indptr=indptr, indices=indices, values=values)
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
        order = _arange(self.indices.shape[0], dtype=self.indptr.dtype)
        rows = _searchsorted(self.indptr[1:], order, right=True).astype(self.indices.dtype)
        return _stack([rows, self.indices], 1)

    def to_tuple(self):
        """`indptr`, `indices`, `values` and `shape`."""
        return self.indptr, self.indices, self.values, self.shape

    def to_coo(self):
        """The same as a COOTensor."""
        return COOTensor(self._positions(), self.values, self.shape)

    def to_dense(self):
        """The whole Tensor; values at one position are added."""
        return _scatter_nd(self._positions(), self.values, self.shape)


class RowTensor(_SparseTensor):
    """A Tensor of `shape` with the slices `values` at the places `indices` of its first dimension."""

    _places = ("indices",)

    def __init__(self, indices, values, shape):
        _require_tensors("RowTensor", indices=indices, values=values)
        _require_integers("RowTensor", indices=indices)
        _require_shape("RowTensor", shape)
        if indices.ndim != 1 or values.shape != (indices.shape[0], *shape[1:]):
            raise ValueError(
                f"RowTensor: indices and values have the shapes {indices.shape} and {values.shape}; "
                f"need (n,) and {('n', *shape[1:])} for the shape {shape}"
            )
        self.indices, self.values, self.shape = indices, values, shape

    @property
    def dense_shape(self):
        """The shape, under its older name."""
        return self.shape

    def _with(self, values):
        return RowTensor(self.indices, values, self.shape)

    def to_dense(self):
        """The whole Tensor; slices at one place are added."""
        return _scatter_nd(self.indices.expand_dims(-1), self.values, self.shape)


RowTensorInner = RowTensor


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
