"""What can be set for NVIDIA's GPUs."""

from dyad import _core
from dyad._src.context import available_device_targets
from dyad._src.host_only import host_only
from dyad.device_context.gpu import op_precision, op_tuning

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]


@host_only
def device_count():
    """How many GPUs this process can use."""
    return _core.device_count("GPU")


@host_only
def is_available():
    """Whether there is a GPU that can be used."""
    return "GPU" in available_device_targets()
