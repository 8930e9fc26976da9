"""What the process does while it runs: memory in use, waiting for work, and how many threads compute."""

from dyad import _core
from dyad._src.argument_checks import require_int
from dyad._src.context import settings
from dyad._src.host_only import host_only
from dyad._src.missing import missing_attribute
from dyad._src.no_effect import say_no_effect
from dyad._src.stream import (
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
    "set_cur_stream",
    "set_kernel_launch_group",
    "set_memory",
    "synchronize",
]


def memory_allocated():
    """Bytes held by living tensors."""
    return _core.memory_statistics()["allocated"]


def max_memory_allocated():
    """The most bytes tensors held at one time, since start or the last reset."""
    return _core.memory_statistics()["max_allocated"]


def memory_reserved():
    """Bytes taken from the system: living tensors and the cache of free blocks."""
    return _core.memory_statistics()["reserved"]


def max_memory_reserved():
    """The most bytes taken from the system at one time, since start or the last reset."""
    return _core.memory_statistics()["max_reserved"]


def memory_stats():
    """All memory statistics in bytes, by name."""
    now = _core.memory_statistics()
    return {
        "total_allocated_memory": now["allocated"],
        "total_reserved_memory": now["reserved"],
        "max_allocated_memory": now["max_allocated"],
        "max_reserved_memory": now["max_reserved"],
    }


def memory_summary():
    """The memory statistics as text for a person."""
    lines = [f"{name.replace('_', ' '):<24}{_readable(size):>12}" for name, size in memory_stats().items()]
    return "\n".join(lines)


def _readable(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if unit != "B" else f"{size} B"
        size /= 1024
    return f"{size:.2f} GiB"


def reset_peak_memory_stats():
    """Start the maxima again from what is in use now."""
    _core.reset_memory_peaks()


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_reserved = reset_peak_memory_stats


def empty_cache():
    """Give free blocks back to the system."""
    _core.empty_cache()


def synchronize():
    """Wait until all work given to the device is done; on the CPU an operator is done when it returns.

    Errors that the work met on the device, an index out of range say, are raised here.
    """
    _core.synchronize()


@host_only
def launch_blocking():
    """Make every operator finish before it returns, so that an error is raised by the line that caused it.

    On the CPU that is always so.
    """
    if settings.read("device_target") == "CPU":
        say_no_effect("mindspore.runtime.launch_blocking", "runtime.launch_blocking")
    settings.update({"pynative_synchronize": True})


@host_only
def dispatch_threads_num(threads_num):
    """How many operators may be prepared at the same time; on the CPU they run one after another."""
    say_no_effect("mindspore.runtime.dispatch_threads_num", "runtime.dispatch_threads_num")
    settings.update({"inter_op_parallel_num": threads_num})


@host_only
def set_kernel_launch_group(thread_num=2, kernel_group_num=8):
    """How many threads give the operators of a graph to a device; they are given one after another."""
    require_int("set_kernel_launch_group", "thread_num", thread_num, low=1)
    require_int("set_kernel_launch_group", "kernel_group_num", kernel_group_num, low=1)
    say_no_effect("mindspore.runtime.set_kernel_launch_group", "runtime.set_kernel_launch_group")


@host_only
def set_memory(
    init_size="2GB",
    increase_size="2GB",
    max_size="1024GB",
    optimize_level="O0",
    huge_page_reserve_size="0GB",
):
    """The most memory of a GPU that may be taken, `max_size`; the other sizes are checked and change nothing.

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


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
