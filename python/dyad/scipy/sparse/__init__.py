"""Systems of equations whose matrices are known by what they do to a vector."""

from dyad.scipy.sparse import linalg as linalg

__all__ = ["linalg"]


def __dir__():
    return __all__
