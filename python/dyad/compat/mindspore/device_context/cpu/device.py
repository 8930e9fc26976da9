"""The CPU as a device."""

from dyad._src.base.host_only import host_only

__all__ = ["device_count", "is_available"]


@host_only
def device_count():
    """Number of CPU devices: all cores are one."""
    return 1


@host_only
def is_available():
    """True: a CPU is always available."""
    return True
