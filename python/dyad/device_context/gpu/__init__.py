"""What can be set for NVIDIA's GPUs."""

from dyad.device_context.gpu import op_precision, op_tuning
from dyad.device_context.gpu.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]
