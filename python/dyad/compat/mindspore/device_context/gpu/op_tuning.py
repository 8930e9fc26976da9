"""Execution settings of operators on GPUs."""

from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect
from dyad.compat.mindspore.device_context.gpu.op_precision import conv_allow_tf32, matmul_allow_tf32

__all__ = ["conv_allow_tf32", "conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo", "matmul_allow_tf32"]


def _unread(name, mode):
    if not isinstance(mode, str):
        raise TypeError(f"{name}: mode is {mode!r} of type {type(mode).__name__}; need a str")
    say_no_effect(f"mindspore.device_context.gpu.op_tuning.{name}", f"device_context.gpu.op_tuning.{name}")


@host_only
def conv_fprop_algo(mode):
    """The algorithm of convolutions; each is measured here, and the fastest taken."""
    _unread("conv_fprop_algo", mode)


@host_only
def conv_dgrad_algo(mode):
    """The algorithm of a convolution's gradient for its input; each is measured here, and the fastest taken."""
    _unread("conv_dgrad_algo", mode)


@host_only
def conv_wgrad_algo(mode):
    """The algorithm of a convolution's gradient for its weight; each is measured here, and the fastest taken."""
    _unread("conv_wgrad_algo", mode)
