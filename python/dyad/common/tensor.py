"""`dyad.common.tensor`: the module path of Tensor."""

from dyad._src.tensor import Tensor, tensor

__all__ = ["Tensor", "tensor"]
