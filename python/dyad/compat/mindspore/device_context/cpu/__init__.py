"""Settings of the CPU."""

from dyad._src.base.missing import missing_attribute
from dyad.compat.mindspore.device_context.cpu import op_tuning
from dyad.compat.mindspore.device_context.cpu.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_tuning"]


def __getattr__(name):
    for topic in (op_tuning,):
        if name in topic.__all__:
            return getattr(topic, name)
    raise missing_attribute("dyad.device_context.cpu", name, __all__)
