"""NVIDIA GPUs."""

from dyad import _core
from dyad._src.base.host_only import host_only
from dyad._src.context.settings import available_device_targets

__all__ = ["device_count", "is_available"]


@host_only
def device_count():
    """Number of GPUs this process can use."""
    return _core.device_count("GPU")


@host_only
def is_available():
    """True if a GPU is available."""
    return "GPU" in available_device_targets()
