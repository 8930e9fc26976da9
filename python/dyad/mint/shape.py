"""Shapes, indices and random numbers, with arguments as PyTorch orders them."""

from dyad import _core, ops

__all__ = [
    "flatten",
    "gather",
    "index_add",
    "meshgrid",
    "multinomial",
    "permute",
    "randperm",
    "scatter",
    "scatter_add",
    "select",
    "tile",
    "transpose",
    "tril",
    "triu",
]

_gather_elements = _core.named_op("gather_elements")
_scatter_elements = _core.named_op("scatter_elements")


def flatten(input, start_dim=0, end_dim=-1):
    """One dimension in place of those from `start_dim` to `end_dim`."""
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    return ops.swapaxes(input, dim0, dim1)


def permute(input, dims):
    """The dimensions in another order."""
    return ops.permute(input, dims)


def tile(input, dims):
    """Copies of the tensor, so many along each dimension."""
    return ops.tile(input, dims)


def select(input, dim, index):
    """The slice at one place along a dimension, which is dropped."""
    return input.select(dim, index)


def gather(input, dim, index):
    """For each element of index, the element of input at the same place but at that index along `dim`."""
    return _gather_elements(input, dim, index)


def scatter(input, dim, index, src):
    """A copy of input with each element of src at its index along `dim`."""
    return _scatter_elements(input, dim, index, src)


def scatter_add(input, dim, index, src):
    """A copy of input with each element of src added at its index along `dim`."""
    return _scatter_elements(input, dim, index, src, "add")


def index_add(input, dim, index, source, *, alpha=1):
    """A copy of input with the slices of source, times alpha, added at an index along a dimension."""
    return input.index_add(dim, index, source, alpha=alpha)


def meshgrid(*tensors, indexing=None):
    """One-dimensional tensors broadcast to the grid they span; the first one varies along the first dimension."""
    return ops.meshgrid(*tensors, indexing=indexing or "ij")


def multinomial(input, num_samples, replacement=False):
    """Positions drawn with the probabilities that the last dimension gives."""
    return ops.multinomial(input, num_samples, replacement).astype(_core.int64)


def randperm(n, *, dtype=_core.int64):
    """The numbers from 0 to n - 1 in random order."""
    return ops.randperm(n, dtype=dtype)


def tril(input, diagonal=0):
    """The part of each matrix on and below a diagonal; zeros elsewhere."""
    return ops.tril(input, diagonal)


def triu(input, diagonal=0):
    """The part of each matrix on and above a diagonal; zeros elsewhere."""
    return ops.triu(input, diagonal)
