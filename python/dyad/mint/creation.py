"""New Tensors."""

from dyad import ops
from dyad._src.base.argument_checks import require_flag

__all__ = ["empty", "empty_like", "linspace"]


def empty(*size, dtype=None, device=None, **named):
    """A Tensor of that shape, which holds whatever its memory held."""
    return placed(ops.empty(*size, dtype=dtype, **named), device)


def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """A Tensor of the shape of `input`, which holds whatever its memory held.

    `pin_memory` changes nothing: memory of the host is pageable.
    """
    require_flag("empty_like", "pin_memory", pin_memory)
    return placed(ops.empty_like(input, dtype=dtype), device)


def linspace(start, end, steps, *, dtype=None):
    """`steps` numbers at equal distances, from `start` to `end`."""
    numbers = ops.linspace(start, end, steps)
    return numbers if dtype is None else numbers.astype(dtype)


def placed(tensor, device):
    """The Tensor on a device, if one is named."""
    return tensor if device is None else tensor.to(device=device)
