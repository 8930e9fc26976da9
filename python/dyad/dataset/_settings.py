"""Storage of the settings of the pipeline."""

from enum import IntEnum

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.no_effect import say_no_effect

_LARGEST_INT32 = (1 << 31) - 1
_MOST_WORKERS = 8


class ErrorSamplesMode(IntEnum):
    """The effect of a row that fails: RETURN raises the error."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def first_settings():
    """The default of every setting."""
    return {
        "seed": 5489,
        "times_seeded": 0,
        "num_parallel_workers": min(_MOST_WORKERS, _core.available_cpus()),
        "prefetch_size": 16,
        "numa_enable": False,
        "monitor_sampling_interval": 1000,
        "callback_timeout": 60,
        "auto_num_workers": False,
        "enable_shared_mem": True,
        "enable_autotune": False,
        "autotune_interval": 0,
        "auto_offload": False,
        "enable_watchdog": True,
        "fast_recovery": True,
        "debug_mode": False,
        "error_samples_mode": ErrorSamplesMode.RETURN,
        "multiprocessing_timeout_interval": 300,
        "multiprocessing_start_method": "fork",
        "dynamic_shape": False,
        "iterator_mode": {"do_copy": False, "parallel_convert": False},
        "video_backend": "CPU",
    }


settings = first_settings()


def store_int(function, name, argument, value):
    """A setting that is an int of at least 1."""
    if require_int(function, argument, value, 1) > _LARGEST_INT32:
        raise ValueError(f"{function}: {argument} is {value}; need an int in [1, {_LARGEST_INT32}]")
    settings[name] = int(value)


def store_unread(function, name, argument, value, default):
    """A flag that changes nothing here; another value than the default is said to do so."""
    settings[name] = require_bool(function, argument, value)
    if value != default:
        say_no_effect(f"mindspore.dataset.config.{function}", f"dataset.config.{function}")
