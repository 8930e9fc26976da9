"""`dyad.common.tensor`: the module path of Tensor."""

from dyad._src.tensor.tensor import Tensor, tensor
from dyad.compat.mindspore.common.storage import swap_tensors

__all__ = ["Tensor", "swap_tensors", "tensor"]
