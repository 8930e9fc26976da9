"""Functions of the running process: memory statistics, synchronization, and numbers of threads."""

import json
import os

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect
from dyad._src.context.settings import settings
from dyad._src.context.stream import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
)

# Paths below this module lead to the same names.
__path__: list[str] = []
__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "StreamLimitCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "dispatch_threads_num",
    "empty_cache",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_stream_limit",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_device_limit",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
    "set_memory",
    "set_stream_limit",
    "synchronize",
]


def memory_allocated():
    """Bytes held by living tensors."""
    return _core.memory_statistics()["allocated"]


def max_memory_allocated():
    """The most bytes tensors held at one time, since start or the last reset."""
    return _core.memory_statistics()["max_allocated"]


def memory_reserved():
    """Bytes allocated from the system: live tensors and the cache of free blocks."""
    return _core.memory_statistics()["reserved"]


def max_memory_reserved():
    """The maximum of bytes allocated from the system, since start or the last reset."""
    return _core.memory_statistics()["max_reserved"]


def memory_stats() -> dict:
    """All memory statistics in bytes, by name."""
    now = _core.memory_statistics()
    return {
        "total_allocated_memory": now["allocated"],
        "total_reserved_memory": now["reserved"],
        "max_allocated_memory": now["max_allocated"],
        "max_reserved_memory": now["max_reserved"],
    }


def memory_summary() -> str:
    """The memory statistics as a readable string."""
    lines = [f"{name.replace('_', ' '):<24}{_readable(size):>12}" for name, size in memory_stats().items()]
    return "\n".join(lines)


def _readable(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if unit != "B" else f"{size} B"
        size /= 1024
    return f"{size:.2f} GiB"


def reset_peak_memory_stats() -> None:
    """Start the maxima again from what is in use now."""
    _core.reset_memory_peaks()


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_reserved = reset_peak_memory_stats


def empty_cache() -> None:
    """Returns free blocks to the system."""
    _core.empty_cache()


def synchronize() -> None:
    """Waits until all work of the device is done; on the CPU an operator is done when it returns.

    Errors of that work on the device, for example an index out of range, are raised here.
    """
    _core.synchronize()


@host_only
def launch_blocking() -> None:
    """Makes every operator finish before it returns, so that an error is raised by the line that caused it.

    On the CPU that is always so.
    """
    if settings.read("device_target") == "CPU":
        say_no_effect("mindspore.runtime.launch_blocking", "runtime.launch_blocking")
    settings.update({"pynative_synchronize": True})


@host_only
def dispatch_threads_num(threads_num) -> None:
    """Sets the number of operators prepared at the same time; on the CPU they run one after another."""
    say_no_effect("mindspore.runtime.dispatch_threads_num", "runtime.dispatch_threads_num")
    settings.update({"inter_op_parallel_num": threads_num})


@host_only
def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Sets the number of threads that launch kernels of a graph; kernels are launched one after another."""
    require_int("set_kernel_launch_group", "thread_num", thread_num, low=1)
    require_int("set_kernel_launch_group", "kernel_group_num", kernel_group_num, low=1)
    say_no_effect("mindspore.runtime.set_kernel_launch_group", "runtime.set_kernel_launch_group")


@host_only
def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: list | None = None) -> None:
    """Sets whether the launches of a graph are recorded and repeated; a compiled graph always has them all."""
    require_bool("set_kernel_launch_capture", "enable_capture_graph", enable_capture_graph)
    if op_capture_skip is not None and not isinstance(op_capture_skip, list):
        raise TypeError(
            f"set_kernel_launch_capture: op_capture_skip is {op_capture_skip!r}; need a list of names or None"
        )
    say_no_effect("mindspore.runtime.set_kernel_launch_capture", "runtime.set_kernel_launch_capture")


@host_only
def set_device_limit(device: int, cube_num=-1, vector_num=-1) -> None:
    """Sets the number of cores of an Ascend device; other devices use all of theirs."""
    require_int("set_device_limit", "device", device, low=0)
    _take_limit("set_device_limit", cube_num, vector_num)


@host_only
def set_stream_limit(stream, cube_num=-1, vector_num=-1) -> None:
    """The same for one stream."""
    _require_stream("set_stream_limit", stream)
    _take_limit("set_stream_limit", cube_num, vector_num)


@host_only
def reset_stream_limit(stream) -> None:
    """Reverts `set_stream_limit`."""
    _require_stream("reset_stream_limit", stream)
    _take_limit("reset_stream_limit", -1, -1)


class StreamLimitCtx:
    """A block in which a stream has a limit as `set_stream_limit` sets it."""

    def __init__(self, stream, cube_num=-1, vector_num=-1):
        _require_stream("StreamLimitCtx", stream)
        self.stream, self.cube_num, self.vector_num = stream, cube_num, vector_num
        _take_limit("StreamLimitCtx", cube_num, vector_num)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _require_stream(owner, stream):
    if not isinstance(stream, Stream):
        raise TypeError(f"{owner}: stream is {stream!r} of type {type(stream).__name__}; need a Stream")


def _take_limit(owner, cube_num, vector_num):
    require_int(owner, "cube_num", cube_num, low=-1)
    require_int(owner, "vector_num", vector_num, low=-1)
    say_no_effect(f"mindspore.runtime.{owner}", f"runtime.{owner}")


@host_only
def set_cpu_affinity(
    enable_affinity: bool, affinity_cpu_list=None, module_to_cpu_dict=None, bind_file=None
) -> None:
    """Binds the threads of the process to some of its processors, or with False to all that it started with.

    `affinity_cpu_list` has ranges such as "0-3"; default: the processors that are allowed already. Of
    `module_to_cpu_dict`, {"main": [0, 1], "runtime": [2, 3], ...}, all processors are used together: operators and
    the data pipeline share their threads. `bind_file` is a JSON file of such ranges for each device.

    Example:
        >>> import os
        >>> from dyad import runtime
        >>> runtime.set_cpu_affinity(True)
    """
    owner = "set_cpu_affinity"
    if not require_bool(owner, "enable_affinity", enable_affinity):
        _bind(owner, _allowed_at_start)
        return
    if bind_file is not None:
        affinity_cpu_list, module_to_cpu_dict = _bound_by_file(owner, bind_file), None
    wanted = set()
    for text in _require_kind(owner, "affinity_cpu_list", affinity_cpu_list or [], list):
        wanted |= _range_of(owner, text)
    modules = _require_kind(owner, "module_to_cpu_dict", module_to_cpu_dict or {}, dict)
    for name, cpus in modules.items():
        _require_kind(owner, "a key of module_to_cpu_dict", name, str)
        for cpu in _require_kind(owner, f"module_to_cpu_dict[{name!r}]", cpus, list):
            wanted.add(require_int(owner, f"module_to_cpu_dict[{name!r}]", cpu, low=0))
    _bind(owner, wanted or _allowed_at_start)


_allowed_at_start = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def _require_kind(owner, name, value, kind):
    if not isinstance(value, kind):
        raise TypeError(
            f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a {kind.__name__}"
        )
    return value


def _range_of(owner, text):
    """The processors of a range such as "0-3", or of one number."""
    first, dash, last = _require_kind(owner, "an element of affinity_cpu_list", text, str).partition("-")
    if not first.isdigit() or (dash and not last.isdigit()) or (dash and int(last) < int(first)):
        raise ValueError(f"{owner}: affinity_cpu_list has {text!r}; need a range such as '0-3'")
    return set(range(int(first), int(last if dash else first) + 1))


def _bound_by_file(owner, bind_file):
    with open(bind_file, encoding="utf-8") as file:
        bound = json.load(file).get("bind_cpu", {})
    device = f"device{settings.read('device_id')}"
    if device not in bound:
        raise ValueError(
            f"{owner}: {bind_file} has {', '.join(bound) or 'nothing'}; need an entry for {device}"
        )
    return [part for text in bound[device].values() for part in text.split(",")]


def _bind(owner, cpus):
    if not hasattr(os, "sched_setaffinity"):
        raise RuntimeError(f"{owner}: this system cannot bind a process to processors")
    missing = cpus - _allowed_at_start
    if missing:
        raise RuntimeError(
            f"{owner}: processors {sorted(missing)} are not there; need some of {sorted(_allowed_at_start)}"
        )
    for thread in os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ["0"]:
        os.sched_setaffinity(int(thread), cpus)


@host_only
def set_memory(
    init_size="2GB",
    increase_size="2GB",
    max_size="1024GB",
    optimize_level="O0",
    huge_page_reserve_size="0GB",
) -> None:
    """Sets the maximum GPU memory, `max_size`; the other sizes are checked and have no effect.

    On the CPU none of them has an effect.
    """
    for name, text in (("init_size", init_size), ("increase_size", increase_size), ("max_size", max_size)):
        _require_size(name, text)
    if settings.read("device_target") == "CPU":
        say_no_effect("mindspore.runtime.set_memory", "runtime.set_memory")
    _core.set_memory_limit(int(float(max_size[:-2]) * 2**30))
    settings.update({"memory_optimize_level": optimize_level})


def _require_size(name, text):
    if not isinstance(text, str):
        raise TypeError(
            f"set_memory: {name} is {text!r} of type {type(text).__name__}; need a str such as '2GB'"
        )
    number, unit = text[:-2], text[-2:]
    if unit != "GB" or not number.replace(".", "", 1).isdigit() or float(number) <= 0:
        raise ValueError(f"set_memory: {name} is {text!r}; need a positive number followed by GB")
