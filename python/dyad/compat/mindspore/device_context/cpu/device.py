"""The CPU as a device."""

from dyad._src.base.host_only import host_only

__all__ = ["device_count", "is_available"]


@host_only
def device_count():
    """How many CPUs a program chooses from: all cores are one."""
    return 1


@host_only
def is_available():
    """Whether there is a CPU that can be used: always."""
    return True
