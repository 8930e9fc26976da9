"""Tensors that a backward written in Python needs as they were."""

from dyad._core import version_of
from dyad._src.autodiff.structures import tensors_in


class KeptTensors:
    """Notes the state of the Tensors of a structure, to tell later whether they were overwritten in place."""

    __slots__ = ("_tensors", "_versions")

    def __init__(self, structure):
        self._tensors = tensors_in(structure)
        self._versions = [version_of(tensor) for tensor in self._tensors]

    def require_unchanged(self, owner, what):
        """`what` names the structure in the message."""
        for number, (tensor, version) in enumerate(zip(self._tensors, self._versions, strict=True)):
            if version_of(tensor) != version:
                raise RuntimeError(
                    f"{owner}: its gradient needs {what} {number} of shape {tensor.shape} as it was, but an operation "
                    "in place has overwritten it; write to a copy() instead"
                )
