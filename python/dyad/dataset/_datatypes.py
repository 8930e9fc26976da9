"""Element types as the pipeline has them, those of NumPy, from those of the framework and of NumPy."""

from dyad._src.base import lazy_numpy as numpy
from dyad.dtype import dtype_to_nptype

__all__ = ["mstype_to_detype", "nptype_to_detype"]


def mstype_to_detype(type_):
    """The NumPy type of a dtype of the framework; None stays None."""
    return None if type_ is None else numpy.dtype(dtype_to_nptype(type_))


def nptype_to_detype(type_):
    """The NumPy type of anything that NumPy accepts as one; None stays None."""
    return None if type_ is None else numpy.dtype(type_)
