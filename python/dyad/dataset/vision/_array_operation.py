"""Native transforms of images that are arrays, in an order of dimensions that PIL images do not have."""

import numpy

from dyad._core import Tensor
from dyad.dataset._operation import TensorOperation


class ArrayOperation(TensorOperation):
    """A native transform of NumPy arrays and Tensors; a PIL image is a TypeError."""

    def as_column(self, column):
        """An array or a Tensor; anything else is a TypeError."""
        if isinstance(column, (numpy.ndarray, Tensor)):
            return column
        raise TypeError(
            f"{type(self).__name__}: the image is of type {type(column).__name__}; need a NumPy array"
        )
