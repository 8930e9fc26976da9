"""`dyad.device_context`: settings of each kind of device."""

from dyad.compat.mindspore.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
