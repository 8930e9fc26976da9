"""Precision settings of operators on Ascend devices."""

from dyad._src.base.argument_checks import require_bool, require_choice
from dyad._src.base.host_only import host_only
from dyad.compat.mindspore.device_context.ascend.device import say_unread

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]

_MODES = (
    "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype", "force_fp32",
    "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
)  # fmt: skip


@host_only
def precision_mode(mode):
    """Into which dtypes the operands of an operator may be converted."""
    require_choice("precision_mode", "mode", mode, _MODES)
    say_unread("op_precision.precision_mode")


@host_only
def op_precision_mode(path):
    """The path of a file with the precision of each operator."""
    if not isinstance(path, str):
        raise TypeError(f"op_precision_mode: path is {path!r} of type {type(path).__name__}; need a str")
    say_unread("op_precision.op_precision_mode")


@host_only
def matmul_allow_hf32(value):
    """Allows float32 matrix products to be rounded to HF32."""
    require_bool("matmul_allow_hf32", "value", value)
    say_unread("op_precision.matmul_allow_hf32")


@host_only
def conv_allow_hf32(value):
    """Allows float32 convolutions to be rounded to HF32."""
    require_bool("conv_allow_hf32", "value", value)
    say_unread("op_precision.conv_allow_hf32")
