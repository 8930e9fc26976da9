"""Eigenvalues of matrices that need not be symmetric."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.host_only import JIT_IGNORE
from dyad._src.operators import arange, cat, inverse, where
from dyad._src.operators import complex as _complex
from dyad.scipy.matrices import transposed

__all__ = ["eigen", "hermitian_eigen"]

_ACCEPTED = (_core.float32, _core.float64, _core.complex64, _core.complex128)


def eigen(owner, a: Tensor):
    """Eigenvalues, and eigenvectors of length 1 in columns, as complex numbers."""
    if not isinstance(a, Tensor):
        raise TypeError(f"{owner}: a is of type {type(a).__name__}; need a Tensor")
    if a.dtype not in _ACCEPTED:
        raise TypeError(f"{owner}: a has the dtype {a.dtype}; need one of {', '.join(map(str, _ACCEPTED))}")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(
            f"{owner}: a has the shape {a.shape}; need square matrices in its last two dimensions"
        )
    return _eigen(a)


def _found(a):
    array = a.asnumpy()
    values, vectors = numpy.linalg.eig(array)
    wanted = numpy.result_type(array.dtype, numpy.complex64)
    return Tensor(values.astype(wanted)), Tensor(vectors.astype(wanted))


def _found_hermitian(a):
    values, vectors = numpy.linalg.eigh(a.asnumpy())
    return Tensor(values), Tensor(vectors)


# NumPy's LAPACK finds them: left to Python, where graphs are split.
for _function in (_found, _found_hermitian):
    setattr(_function, JIT_IGNORE, True)


@custom_vjp
def _eigen(a):
    return _found(a)


@_eigen.defbwd
def _eigen_backward(a, out, dout):
    values, vectors = out
    by_value, by_vector = dout
    on_diagonal = arange(a.shape[-1]).reshape(-1, 1) == arange(a.shape[-1])
    adjoint = transposed(vectors.conj())
    turned = adjoint @ by_vector
    # A vector is of length 1, so what would make it longer changes nothing.
    lengths = where(on_diagonal, turned, turned * 0).sum(-2, keepdims=True).real()
    turned = turned - (adjoint @ vectors) * lengths
    gaps = (values.expand_dims(-2) - values.expand_dims(-1)).conj()
    inner = where(on_diagonal, by_value.expand_dims(-2), turned / where(on_diagonal, gaps + 1, gaps))
    gradient = _inverse_of(adjoint) @ inner @ adjoint
    return gradient if a.is_complex() else gradient.real().astype(a.dtype)


@custom_vjp
def hermitian_eigen(a):
    """Eigenvalues of complex Hermitian matrices, ascending real numbers, and their vectors in columns."""
    return _found_hermitian(a)


@hermitian_eigen.defbwd
def _hermitian_eigen_backward(a, out, dout):
    values, vectors = out
    by_value, by_vector = dout
    on_diagonal = arange(a.shape[-1]).reshape(-1, 1) == arange(a.shape[-1])
    adjoint = transposed(vectors.conj())
    gaps = values.expand_dims(-2) - values.expand_dims(-1)
    turned = (adjoint @ by_vector) / where(on_diagonal, gaps + 1, gaps).astype(a.dtype)
    inner = where(on_diagonal, by_value.expand_dims(-2).astype(a.dtype), turned)
    gradient = vectors @ inner @ adjoint
    return (gradient + transposed(gradient.conj())) / 2


def _inverse_of(matrix):
    """The inverse of complex matrices, by that of real ones twice the size."""
    real, imaginary = matrix.real(), matrix.imag()
    both = inverse(cat((cat((real, -imaginary), -1), cat((imaginary, real), -1)), -2))
    size = matrix.shape[-1]
    return _complex(both[..., :size, :size], both[..., size:, :size])
