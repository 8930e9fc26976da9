"""Functions that do in one step what several do."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad.ops.fused_operators import batch_norm_elemt as batch_norm_elemt
from dyad.ops.fused_operators import (
    batch_norm_gather_stats_with_counts as batch_norm_gather_stats_with_counts,
)
from dyad.ops.fused_operators import batch_norm_stats as batch_norm_stats

__all__ = [
    "addr_",
    "batch_norm_elemt",
    "batch_norm_gather_stats_with_counts",
    "batch_norm_stats",
    "conv_tbc",
    "npu_gelu",
]


def addr_(input, vec1, vec2, beta=1, alpha=1):
    """Writes beta * input + alpha * outer(vec1, vec2) into `input`."""
    return input.copy_(ops.addr(input, vec1, vec2, beta=beta, alpha=alpha).astype(input.dtype))


def conv_tbc(input, weight, bias, pad=0):
    """The convolution along time of (time, batch, channels) with a weight (width, channels, filters)."""
    for name, value in (("input", input), ("weight", weight)):
        if not isinstance(value, Tensor):
            raise TypeError(f"conv_tbc: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim != 3:
            raise ValueError(f"conv_tbc: {name} has shape {value.shape}; need 3 dimensions")
    size = require_int("conv_tbc", "pad", pad, 0)
    lines, filters = input.transpose(1, 2, 0), weight.transpose(2, 1, 0)
    return ops.conv1d(lines, filters, bias, pad_mode="pad", padding=size).transpose(2, 0, 1)


def npu_gelu(input, approximate="none"):
    """x times the share of the normal distribution below x, or its approximation by tanh."""
    return ops.gelu(input, approximate)
