"""Exchange of tensors with other packages, without a copy."""

from dyad._core import Tensor, from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor):
    """The tensor's data as a DLPack capsule, which one consumer may take."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack: tensor is of type {type(tensor).__name__}; need a Tensor")
    return tensor.to_dlpack()
