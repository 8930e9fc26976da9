"""Shapes and indices, with arguments as PyTorch orders them."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.operators import (
    diag_or_diagonal,
    flatten_dims,
    gather_elements,
    scatter_elements,
    unique_sorted,
)

__all__ = [
    "diag",
    "flatten",
    "gather",
    "index_add",
    "meshgrid",
    "permute",
    "scatter",
    "scatter_add",
    "searchsorted",
    "select",
    "tile",
    "transpose",
    "tril",
    "triu",
    "unique",
    "where",
]


def diag(input, diagonal=0):
    """A matrix with a vector on a diagonal, or the diagonal of a matrix.

    >>> mint.diag(Tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return diag_or_diagonal(input, diagonal)


def flatten(input, start_dim=0, end_dim=-1):
    """Flattens the dimensions from `start_dim` to `end_dim`."""
    return flatten_dims(input, start_dim, end_dim)


def transpose(input, dim0, dim1) -> Tensor:
    """Swaps two dimensions."""
    return ops.swapaxes(input, dim0, dim1)


def permute(input, dims) -> Tensor:
    """Permutes the dimensions."""
    return ops.permute(input, dims)


def tile(input, dims) -> Tensor:
    """Repeats the tensor `dims[i]` times along dimension i."""
    return ops.tile(input, dims)


def select(input, dim, index):
    """The slice at one index of a dimension, which is dropped."""
    return input.select(dim, index)


def gather(input, dim, index):
    """Gathers along a dimension: each element of the result is that of `input` with its index along `dim` from
    `index`.
    """
    return gather_elements(input, dim, index)


def scatter(input, dim, index, src):
    """A copy of `input` with each element of `src` written at its index along `dim`."""
    return scatter_elements(input, dim, index, src)


def scatter_add(input, dim, index, src):
    """A copy of `input` with each element of `src` added at its index along `dim`."""
    return scatter_elements(input, dim, index, src, "add")


def index_add(input, dim, index, source, *, alpha=1):
    """A copy of `input` with the slices of `source`, times alpha, added at an index along a dimension."""
    return input.index_add(dim, index, source, alpha=alpha)


def meshgrid(*tensors, indexing=None) -> tuple:
    """One-dimensional tensors broadcast to their grid; the first one varies along the first dimension."""
    return ops.meshgrid(*tensors, indexing=indexing or "ij")


def tril(input, diagonal=0) -> Tensor:
    """Lower triangle of each matrix, up to a diagonal; zeros elsewhere."""
    return ops.tril(input, diagonal)


def triu(input, diagonal=0) -> Tensor:
    """Upper triangle of each matrix, from a diagonal; zeros elsewhere."""
    return ops.triu(input, diagonal)


def unique(input, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim=None):
    """The distinct elements, or slices along `dim`; optionally the index of each element among them and the counts."""
    return unique_sorted(input, sorted, return_inverse, return_counts, dim)


def where(condition, input=None, other=None):
    """Elements of `input` where the condition is true and of `other` elsewhere; alone, the indexes where it is true."""
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    return ops.where(condition, input, other)


def searchsorted(
    sorted_sequence, values, *, out_int32: bool = False, right: bool = False, side=None, sorter=None
) -> Tensor:
    """Index at which each value can be inserted and the sequence stays sorted; `sorter` are indexes that sort it."""
    if sorter is not None:
        sorted_sequence = gather_elements(sorted_sequence, -1, sorter)
    return ops.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right, side=side)
