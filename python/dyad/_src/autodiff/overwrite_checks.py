"""Tensors that a backward written in Python needs as they were."""

from dyad._core import is_recorded, version_of
from dyad._src.autodiff.structures import tensors_in


class KeptTensors:
    """Records the state of the Tensors in a structure, to detect later whether they were overwritten in place."""

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


class UnwrittenInputs:
    """Recorded Tensors that a function receives while recording is off: a write to one would make its history wrong."""

    __slots__ = ("_tensors", "_versions")

    def __init__(self, structure):
        self._tensors = [tensor for tensor in tensors_in(structure) if is_recorded(tensor)]
        self._versions = [version_of(tensor) for tensor in self._tensors]

    def require_unwritten(self, owner, allowed=()):
        """`allowed` are Tensors that the function declares as written."""
        for tensor, version in zip(self._tensors, self._versions, strict=True):
            if version_of(tensor) != version and not any(tensor is known for known in allowed):
                raise RuntimeError(
                    f"{owner}: an input of shape {tensor.shape} that a gradient flows through was written in place "
                    "where nothing is recorded; write to a copy()"
                )
