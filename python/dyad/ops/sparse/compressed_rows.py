"""Primitives on a sparse matrix in CSR form, as parts: `indptr`, `indices`, `values`, shape."""

from dyad._src.primitive.primitive import primitive_of
from dyad.ops.sparse.functions import coo2csr, csr2coo, csr_gather
from dyad.sparse import CSRTensor

__all__ = ["COO2CSR", "CSR2COO", "CSRMM", "CSRMV", "CSRDiv", "CSRGather", "CSRMul", "CSRReduceSum"]


def _sum(indptr, indices, values, shape, axis):
    """Sum over an axis, which remains as a dimension of size 1.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.ops.operations import _csr_ops
        >>> print(_csr_ops.CSRReduceSum()(Tensor([0, 2]), Tensor([0, 1]), Tensor([2.0, 1.0]), (1, 4), 1))
        [[3.]]
    """
    return CSRTensor(indptr, indices, values, shape).sum(axis)


def _times_column(indptr, indices, values, shape, dense_tensor):
    """Product of a sparse matrix and a column."""
    return CSRTensor(indptr, indices, values, shape).mv(dense_tensor)


def _times_matrix(indptr, indices, values, shape, dense):
    """Product of a sparse and a dense matrix."""
    return CSRTensor(indptr, indices, values, shape).mm(dense)


def _mul(indptr, indices, values, shape, dense_tensor):
    """Values multiplied by the elements of a dense tensor at their positions."""
    return (CSRTensor(indptr, indices, values, shape) * dense_tensor).values


def _div(indptr, indices, values, shape, dense_tensor):
    """Values divided by the elements of a dense tensor at their positions."""
    return (CSRTensor(indptr, indices, values, shape) / dense_tensor).values


COO2CSR = primitive_of("COO2CSR", coo2csr)
CSR2COO = primitive_of("CSR2COO", csr2coo)
CSRDiv = primitive_of("CSRDiv", _div)
CSRGather = primitive_of("CSRGather", csr_gather)
CSRMM = primitive_of("CSRMM", _times_matrix)
CSRMV = primitive_of("CSRMV", _times_column)
CSRMul = primitive_of("CSRMul", _mul)
CSRReduceSum = primitive_of("CSRReduceSum", _sum)
