"""`dyad.hal`: devices, their memory and streams, under the module path that programs import."""

import platform

from dyad import _core
from dyad._src.base.host_only import host_only
from dyad._src.context.keys import KNOWN_DEVICE_TARGETS
from dyad._src.context.settings import available_device_targets, settings
from dyad._src.context.stream import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
)
from dyad.runtime import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
    synchronize,
)

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cur_stream",
    "synchronize",
]


def _target(caller, device_target):
    """The target asked for, or the one in use."""
    if device_target is None:
        return settings.read("device_target")
    if device_target not in KNOWN_DEVICE_TARGETS:
        raise ValueError(
            f"{caller}: device_target is {device_target!r}; need one of {', '.join(KNOWN_DEVICE_TARGETS)}"
        )
    return device_target


@host_only
def is_available(device_target):
    """True if this process can compute on the target."""
    return _target("is_available", device_target) in available_device_targets()


@host_only
def is_initialized(device_target):
    """True if the target is initialized; the CPU always is."""
    return _target("is_initialized", device_target) in available_device_targets()


@host_only
def device_count(device_target=None):
    """Number of devices of the target."""
    return _core.device_count(_target("device_count", device_target))


def _require_device(caller, device_id, device_target):
    target = _target(caller, device_target)
    if target not in available_device_targets():
        raise RuntimeError(
            f"{caller}: there is no {target} here; there is {', '.join(available_device_targets())}"
        )
    count = _core.device_count(target)
    if isinstance(device_id, bool) or device_id not in range(count):
        there = "need 0, there is one" if count == 1 else f"need 0 to {count - 1}, there are {count} of"
        raise ValueError(f"{caller}: device_id is {device_id!r}; {there} {target}")
    return target


@host_only
def get_device_name(device_id=0, device_target=None):
    """The name of the device."""
    return _core.describe_device(_require_device("get_device_name", device_id, device_target), device_id)


@host_only
def get_device_capability(device_id=0, device_target=None):
    """The compute capability of a GPU; None for a device that has no such number."""
    _require_device("get_device_capability", device_id, device_target)


@host_only
def get_device_properties(device_id=0, device_target=None):
    """Properties of the device, by name."""
    target = _require_device("get_device_properties", device_id, device_target)
    return {"name": _core.describe_device(target, device_id), "machine": platform.machine()}


@host_only
def get_arch_list(device_target=None):
    """The GPU architectures this build has code for; None for a target without any."""
    _target("get_arch_list", device_target)
