"""Settings of NVIDIA GPUs."""

from dyad._src.base.missing import missing_attribute
from dyad.compat.mindspore.device_context.gpu import op_precision, op_tuning
from dyad.compat.mindspore.device_context.gpu.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]


def __getattr__(name):
    for topic in (op_precision, op_tuning):
        if name in topic.__all__:
            return getattr(topic, name)
    raise missing_attribute("dyad.device_context.gpu", name, __all__)
