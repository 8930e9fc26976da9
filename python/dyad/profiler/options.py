"""Options of profilers; most of them belong to other devices."""

from enum import Enum

from dyad._src.base.no_effect import NO_EFFECT, say_no_effect

__all__ = ["AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel"]


class ProfilerLevel(Enum):
    """Detail of recording on an Ascend device."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """Devices whose activity is recorded."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """Measurements of the cores of an Ascend device."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """The form of the files."""

    Text = "text"
    Db = "db"


class HostSystem(Enum):
    """Measurements of the host of an Ascend device."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


# The options of a profiler, with their defaults.
DEFAULTS = {
    "activities": None,
    "with_stack": False,
    "profile_memory": False,
    "data_process": False,
    "parallel_strategy": False,
    "start_profile": True,
    "hbm_ddr": False,
    "pcie": False,
    "sync_enable": True,
    "record_shapes": False,
    "schedule": None,
    "on_trace_ready": None,
    "experimental_config": None,
}
EXPERIMENTAL_DEFAULTS = {
    "profiler_level": ProfilerLevel.Level0,
    "aic_metrics": AicoreMetrics.AiCoreNone,
    "l2_cache": False,
    "mstx": False,
    "data_simplification": True,
    "export_type": None,
    "mstx_domain_include": None,
    "mstx_domain_exclude": None,
    "sys_io": False,
    "sys_interconnection": False,
    "host_sys": None,
}
# Options of MindSpore 1 programs.
FORMER = {"profile_communication", "op_time", "profile_framework", "host_stack", "timeline_limit"}


class _ExperimentalConfig:
    """More options of a profiler. `mstx` sets whether marks of `profiler.mstx` are recorded, and of which domains."""

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type=None,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        host_sys=None,
    ) -> None:
        self.profiler_level = profiler_level
        self.aic_metrics = aic_metrics
        self.l2_cache = l2_cache
        self.mstx = mstx
        self.data_simplification = data_simplification
        self.export_type = export_type
        self.mstx_domain_include = mstx_domain_include
        self.mstx_domain_exclude = mstx_domain_exclude
        self.sys_io = sys_io
        self.sys_interconnection = sys_interconnection
        self.host_sys = host_sys


def say_unread(given) -> None:
    """Log, once in a process, which of the options that were given another value than their default change nothing."""
    defaults = DEFAULTS | EXPERIMENTAL_DEFAULTS
    for name, value in given.items():
        entry = f"profile({name}=)"
        if entry in NO_EFFECT and value is not None and (name in FORMER or value != defaults[name]):
            say_no_effect(entry, f"profiler: {name}")
