"""`dyad.device_context`: what can be set for one kind of device."""

from dyad.compat.mindspore.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
