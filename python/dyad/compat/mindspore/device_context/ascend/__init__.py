"""Settings of Ascend devices. There is none here: settings are checked, and the log reports that they are not used.

So a program that sets them before it looks at its device runs as it is.
"""

from dyad._src.base.missing import missing_attribute
from dyad.compat.mindspore.device_context.ascend import op_debug, op_precision, op_tuning
from dyad.compat.mindspore.device_context.ascend.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_debug", "op_precision", "op_tuning"]


def __getattr__(name):
    for topic in (op_debug, op_precision, op_tuning):
        if name in topic.__all__:
            return getattr(topic, name)
    raise missing_attribute("dyad.device_context.ascend", name, __all__)
