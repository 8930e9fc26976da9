"""Questions about a tensor whose answers are Python values, as functions of `ops`."""

from dyad._core import Tensor

__all__ = ["is_complex", "is_floating_point", "is_nonzero", "is_signed", "numel"]


def _require_tensor(caller, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: input is of type {type(value).__name__}; need a Tensor")
    return value


def is_floating_point(input):
    """Whether the elements are real floating-point numbers."""
    return _require_tensor("is_floating_point", input).dtype.is_floating_point


def is_complex(input):
    """Whether the elements are complex numbers."""
    return _require_tensor("is_complex", input).dtype.is_complex


def is_signed(input):
    """Whether the elements may be negative."""
    return _require_tensor("is_signed", input).dtype.is_signed


def is_nonzero(input):
    """Whether the only element differs from zero."""
    return bool(_require_tensor("is_nonzero", input))


def numel(input):
    """Number of elements."""
    return _require_tensor("numel", input).size
