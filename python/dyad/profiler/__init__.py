"""`dyad.profiler`: records the kernels of a program, by steps, as a trace and as tables.

`dyad.profile` shows the time of one call; this has the interface of `mindspore.profiler`.
"""

from dyad.profiler.dynamic_profiler import DynamicProfilerMonitor
from dyad.profiler.env_profiler import EnvProfiler
from dyad.profiler.mstx import Mstx as mstx
from dyad.profiler.options import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from dyad.profiler.profiler import Profile as profile
from dyad.profiler.profiler import Profiler, tensorboard_trace_handler
from dyad.profiler.schedule import Schedule as schedule

__all__ = [
    "AicoreMetrics",
    "DynamicProfilerMonitor",
    "EnvProfiler",
    "ExportType",
    "HostSystem",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
