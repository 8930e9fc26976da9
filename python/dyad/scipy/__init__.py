"""Functions with the names and arguments of SciPy on Tensors, in both forms of a program and with gradients."""

from dyad.scipy import fft as fft
from dyad.scipy import linalg as linalg
from dyad.scipy import ops as ops
from dyad.scipy import optimize as optimize
from dyad.scipy import sparse as sparse

__all__ = ["fft", "linalg", "ops", "optimize", "sparse"]


def __dir__():
    return __all__
