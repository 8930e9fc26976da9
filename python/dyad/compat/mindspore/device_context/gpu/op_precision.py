"""Precision settings of operators on GPUs."""

from dyad._src.base.host_only import host_only
from dyad._src.context.settings import settings

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]


def _set(name, value):
    if not isinstance(value, bool):
        raise TypeError(f"{name}: value is {value!r} of type {type(value).__name__}; need a bool")
    settings.update({"gpu_config": {**settings.read("gpu_config"), name: value}})


@host_only
def matmul_allow_tf32(value):
    """Allows float32 matrix products to round operands to TF32, 10 bits of mantissa; off by default."""
    _set("matmul_allow_tf32", value)


@host_only
def conv_allow_tf32(value):
    """Allows float32 convolutions to round operands to TF32, 10 bits of mantissa; off by default."""
    _set("conv_allow_tf32", value)
