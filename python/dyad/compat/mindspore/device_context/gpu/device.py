"""Which of NVIDIA's GPUs there are."""

from dyad import _core
from dyad._src.base.host_only import host_only
from dyad._src.context.settings import available_device_targets

__all__ = ["device_count", "is_available"]


@host_only
def device_count():
    """How many GPUs this process can use."""
    return _core.device_count("GPU")


@host_only
def is_available():
    """Whether there is a GPU that can be used."""
    return "GPU" in available_device_targets()
