"""Linear algebra."""

from dyad import ops
from dyad._core import Tensor
from dyad.ops import inverse as inv
from dyad.ops import norm as norm

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim: bool = False, *, dtype=None) -> Tensor:
    """The norm of the matrices in two dimensions: "fro", "nuc", infinity, 1, 2, or one of these numbers negative."""
    return ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def vector_norm(x, ord=2, dim=None, keepdim: bool = False, *, dtype=None) -> Tensor:
    """The norm of order `ord` over the given dimensions, or over all elements."""
    return ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def qr(A, mode="reduced"):
    """Q with orthogonal columns and an upper triangular R, whose product is A; "r" leaves Q empty."""
    if mode == "r":
        return ops.zeros((0,), A.dtype), ops.qr(A)[1]
    return ops.qr(A, mode)
