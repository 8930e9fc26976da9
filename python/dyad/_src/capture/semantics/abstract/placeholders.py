"""Tensors that stand where the graph needs a tensor but no path needs its value."""

import functools

from dyad import _core
from dyad._core import Tensor
from dyad._src.capture.semantics.values import is_symbolic_tensor
from dyad._src.operators import broadcast_to


def placeholder(dtype, shape):
    """A tensor that stands where no value is needed; it has one element, seen at every index."""
    return broadcast_to(_zero(dtype), shape)


def is_placeholder(tensor):
    """Returns whether a tensor stands where no value is needed."""
    return not is_symbolic_tensor(tensor) and _core.shares_storage(tensor, _zero(tensor.dtype))


@functools.lru_cache(maxsize=256)
def _zero(dtype):
    return Tensor(0, dtype)
