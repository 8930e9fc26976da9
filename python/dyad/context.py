"""`dyad.context`: the modes and the process-wide options, under the module name programs import."""

from dyad._src.context import get_context, set_context
from dyad._src.context_keys import COMPATIBLE, DEBUG, GRAPH_MODE, LAX, PYNATIVE_MODE, RELEASE, STRICT
from dyad._src.parallel_settings import (
    ParallelMode,
    get_auto_parallel_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_ps_context,
)

__all__ = [
    "COMPATIBLE",
    "DEBUG",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "RELEASE",
    "STRICT",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "get_ps_context",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_ps_context",
]
