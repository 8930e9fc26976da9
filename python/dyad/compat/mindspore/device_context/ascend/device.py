"""Ascend devices."""

from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect
from dyad._src.context.settings import available_device_targets, require_device_target
from dyad.compat.mindspore import hal

__all__ = ["device_count", "is_available"]

TARGET = "Ascend"


@host_only
def is_available():
    """True if programs can run on an Ascend device."""
    return TARGET in available_device_targets()


@host_only
def device_count():
    """Number of Ascend devices; RuntimeError if there is none."""
    require_device_target("device_count", TARGET)
    return hal.device_count(TARGET)


def say_unread(setting):
    """Log, once for each setting, that nothing reads it."""
    say_no_effect(f"mindspore.device_context.ascend.{setting}", f"device_context.ascend.{setting}")
