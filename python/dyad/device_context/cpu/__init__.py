"""What can be set for the CPU."""

from dyad.device_context.cpu import op_tuning

__all__ = ["op_tuning"]
