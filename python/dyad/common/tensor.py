"""`dyad.common.tensor`: the module path of Tensor."""

from dyad._src.borrowed_names import borrowing
from dyad._src.tensor import Tensor, tensor

__all__ = ["Tensor", "tensor"]

__getattr__ = borrowing(__name__)
