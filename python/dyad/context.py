"""`dyad.context`: the modes and the process-wide options, under the module name programs import."""

from dyad._src.context import get_context, set_context
from dyad._src.context_keys import COMPATIBLE, DEBUG, GRAPH_MODE, LAX, PYNATIVE_MODE, RELEASE, STRICT

__all__ = [
    "COMPATIBLE",
    "DEBUG",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "RELEASE",
    "STRICT",
    "get_context",
    "set_context",
]
