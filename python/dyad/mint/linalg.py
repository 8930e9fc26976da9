"""Linear algebra."""

from dyad.ops import inverse as inv
from dyad.ops import matrix_norm as matrix_norm
from dyad.ops import norm as norm
from dyad.ops import qr as qr
from dyad.ops import vector_norm as vector_norm

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
