"""Settings of the data pipeline. Each has a function that sets it and one that reads it."""

import json
import random

import numpy as np

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.no_effect import say_no_effect
from dyad._src.tensor.random import follow_seed
from dyad.dataset._settings import ErrorSamplesMode, settings, store_int, store_unread
from dyad.dataset.debug import DebugHook, PrintMetaDataHook

_debug_hooks: list = []


def set_seed(seed) -> None:
    """Seeds the random numbers of the pipeline, Python and NumPy with `seed`, an int from 0 to 2**32 - 1.

    With a seed every new iterator has the same rows; one that continues over epochs has another order in each.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"set_seed: seed is {seed!r}; need an int")
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"set_seed: seed is {seed}; need a value in [0, 4294967295]")
    settings["seed"] = seed
    settings["times_seeded"] += 1
    random.seed(seed)
    np.random.seed(seed)


def get_seed():
    """The seed of the pipeline's random numbers."""
    return settings["seed"]


def is_seeded():
    """Returns whether a seed was set; without one every iterator draws its own."""
    return settings["times_seeded"] > 0


def times_seeded():
    """Number of times a seed was set: setting the same one again restarts its numbers."""
    return settings["times_seeded"]


def set_num_parallel_workers(num) -> None:
    """Sets the default number of threads that compute rows."""
    store_int("set_num_parallel_workers", "num_parallel_workers", "num", num)


def get_num_parallel_workers():
    """The default number of threads that compute rows."""
    return settings["num_parallel_workers"]


def set_prefetch_size(size) -> None:
    """Sets the number of rows that are computed ahead."""
    store_int("set_prefetch_size", "prefetch_size", "size", size)


def get_prefetch_size():
    """Number of rows that are computed ahead."""
    return settings["prefetch_size"]


def set_numa_enable(numa_enable) -> None:
    """Changes nothing: threads run where the system puts them."""
    store_unread("set_numa_enable", "numa_enable", "numa_enable", numa_enable, False)


def get_numa_enable():
    """The argument of `set_numa_enable`."""
    return settings["numa_enable"]


def set_monitor_sampling_interval(interval) -> None:
    """Changes nothing: `Dataset.explain` counts all the time."""
    store_int("set_monitor_sampling_interval", "monitor_sampling_interval", "interval", interval)
    say_no_effect(
        "mindspore.dataset.config.set_monitor_sampling_interval",
        "dataset.config.set_monitor_sampling_interval",
    )


def get_monitor_sampling_interval():
    """The argument of `set_monitor_sampling_interval`."""
    return settings["monitor_sampling_interval"]


def set_callback_timeout(timeout) -> None:
    """Seconds that a `sync_wait` or a WaitedDSCallback waits before that is an error."""
    store_int("set_callback_timeout", "callback_timeout", "timeout", timeout)


def get_callback_timeout():
    """Seconds that a `sync_wait` or a WaitedDSCallback waits before that is an error."""
    return settings["callback_timeout"]


def set_auto_num_workers(enable: bool) -> None:
    """Makes the pipeline use as many threads as there are CPUs that this process may use."""
    if require_bool("set_auto_num_workers", "enable", enable):
        settings["num_parallel_workers"] = _core.available_cpus()
    settings["auto_num_workers"] = enable


def get_auto_num_workers():
    """The argument of `set_auto_num_workers`."""
    return settings["auto_num_workers"]


def set_enable_shared_mem(enable: bool) -> None:
    """Sets whether worker processes return arrays in shared memory; otherwise they use pipes."""
    settings["enable_shared_mem"] = require_bool("set_enable_shared_mem", "enable", enable)


def get_enable_shared_mem():
    """Returns whether worker processes return arrays in shared memory."""
    return settings["enable_shared_mem"]


def set_enable_autotune(enable, filepath_prefix: str | None = None) -> None:
    """Has no effect: any free thread computes a row, so that stages have no number of threads of their own."""
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise TypeError(f"set_enable_autotune: filepath_prefix is {filepath_prefix!r}; need a str")
    store_unread("set_enable_autotune", "enable_autotune", "enable", enable, False)


def get_enable_autotune():
    """The argument of `set_enable_autotune`."""
    return settings["enable_autotune"]


def set_autotune_interval(interval: int) -> None:
    """Changes nothing, as `set_enable_autotune` does not."""
    require_int("set_autotune_interval", "interval", interval, 0)
    settings["autotune_interval"] = int(interval)
    if interval:
        say_no_effect(
            "mindspore.dataset.config.set_autotune_interval", "dataset.config.set_autotune_interval"
        )


def get_autotune_interval():
    """The argument of `set_autotune_interval`."""
    return settings["autotune_interval"]


def set_auto_offload(offload) -> None:
    """Changes nothing: the pipeline runs on the CPU."""
    store_unread("set_auto_offload", "auto_offload", "offload", offload, False)


def get_auto_offload():
    """The argument of `set_auto_offload`."""
    return settings["auto_offload"]


def set_enable_watchdog(enable: bool) -> None:
    """Sets whether a worker process that spends long on one row is logged."""
    settings["enable_watchdog"] = require_bool("set_enable_watchdog", "enable", enable)


def get_enable_watchdog():
    """Returns whether a worker process that spends long on one row is logged."""
    return settings["enable_watchdog"]


def set_fast_recovery(fast_recovery) -> None:
    """Changes nothing: an iterator cannot start in the middle of a run."""
    store_unread("set_fast_recovery", "fast_recovery", "fast_recovery", fast_recovery, True)


def get_fast_recovery():
    """The argument of `set_fast_recovery`."""
    return settings["fast_recovery"]


def set_debug_mode(debug_mode_flag: bool, debug_hook_list=None) -> None:
    """Runs pipelines row by row in one thread, and passes inputs and results of each operation of a `map` to hooks.

    Without a list, or with an empty one, the hook is a `PrintMetaDataHook`.
    """
    require_bool("set_debug_mode", "debug_mode_flag", debug_mode_flag)
    hooks = [] if debug_hook_list is None else debug_hook_list
    if not isinstance(hooks, list):
        raise TypeError(f"set_debug_mode: debug_hook_list is {hooks!r}; need a list of DebugHook")
    for hook in hooks:
        if not isinstance(hook, DebugHook):
            raise TypeError(f"set_debug_mode: debug_hook_list has {hook!r}; need a DebugHook")
    settings["debug_mode"] = debug_mode_flag
    _debug_hooks[:] = (hooks or [PrintMetaDataHook()]) if debug_mode_flag else []


def get_debug_mode():
    """Returns whether pipelines run row by row in one thread."""
    return settings["debug_mode"]


def get_debug_hooks() -> list:
    """The hooks that `set_debug_mode` was given."""
    return list(_debug_hooks)


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Sets the effect of a row that fails. It raises its error; other modes would hide it and are rejected."""
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        raise TypeError(
            f"set_error_samples_mode: error_samples_mode is {error_samples_mode!r}; need an ErrorSamplesMode"
        )
    settings["error_samples_mode"] = error_samples_mode


def get_error_samples_mode():
    """The effect of a row that fails."""
    return settings["error_samples_mode"]


def set_multiprocessing_timeout_interval(interval) -> None:
    """Seconds after which a worker process that still works at one row is logged."""
    store_int(
        "set_multiprocessing_timeout_interval", "multiprocessing_timeout_interval", "interval", interval
    )


def get_multiprocessing_timeout_interval():
    """Seconds after which a worker process that still works at one row is logged."""
    return settings["multiprocessing_timeout_interval"]


def set_multiprocessing_start_method(start_method: str = "fork") -> None:
    """Sets the start method of worker processes: 'fork' or 'spawn'."""
    if not isinstance(start_method, str):
        raise TypeError(f"set_multiprocessing_start_method: start_method is {start_method!r}; need a str")
    if start_method not in ("fork", "spawn"):
        raise ValueError(
            f"set_multiprocessing_start_method: start_method is {start_method!r}; need 'fork' or 'spawn'"
        )
    settings["multiprocessing_start_method"] = start_method


def get_multiprocessing_start_method():
    """The start method of worker processes."""
    return settings["multiprocessing_start_method"]


def set_dynamic_shape(is_dynamic) -> None:
    """Changes nothing: every batch has the shape that it has."""
    store_unread("set_dynamic_shape", "dynamic_shape", "is_dynamic", is_dynamic, False)


def get_dynamic_shape():
    """The argument of `set_dynamic_shape`."""
    return settings["dynamic_shape"]


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Sets whether iterators copy their rows. `parallel_convert` has no effect: rows are computed ahead anyway."""
    require_bool("set_iterator_mode", "do_copy", do_copy)
    require_bool("set_iterator_mode", "parallel_convert", parallel_convert)
    settings["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def get_iterator_mode() -> dict:
    """The argument of `set_iterator_mode`."""
    return dict(settings["iterator_mode"])


def set_video_backend(backend) -> None:
    """Sets the device that decodes video: 'CPU'."""
    if backend != "CPU":
        raise ValueError(f"set_video_backend: backend is {backend!r}; need 'CPU'")
    settings["video_backend"] = backend


def get_video_backend():
    """The device that decodes video."""
    return settings["video_backend"]


def set_sending_batches(batch_num: int) -> None:
    """Changes nothing: batches are not sent to a device."""
    require_int("set_sending_batches", "batch_num", batch_num, 0)
    say_no_effect("mindspore.dataset.config.set_sending_batches", "dataset.config.set_sending_batches")


_LOADED = {
    "seed": set_seed,
    "numParallelWorkers": set_num_parallel_workers,
    "opConnectorSize": set_prefetch_size,
    "monitorSamplingInterval": set_monitor_sampling_interval,
    "callbackTimeout": set_callback_timeout,
}


def load(file: str) -> None:
    """Loads settings from a JSON file: seed, numParallelWorkers, opConnectorSize (rows computed ahead),
    monitorSamplingInterval and callbackTimeout. Other keys are ignored.
    """
    if not isinstance(file, str):
        raise TypeError(f"load: file is {file!r} of type {type(file).__name__}; need a path")
    try:
        with open(file, encoding="utf-8") as opened:
            content = json.load(opened)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"load: the file {file!r} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise RuntimeError(
            f"load: the file {file!r} has {type(content).__name__}; need an object with settings"
        )
    for key, setter in _LOADED.items():
        if key in content:
            setter(content[key])


follow_seed(set_seed)
__all__ = ["ErrorSamplesMode", "load", *(name for name in dir() if name.startswith(("get_", "set_")))]
