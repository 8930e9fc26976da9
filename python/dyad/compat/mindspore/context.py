"""`dyad.context`: the modes and the process-wide options, under the module name programs import."""

from dyad._src.context.keys import COMPATIBLE, DEBUG, GRAPH_MODE, LAX, PYNATIVE_MODE, RELEASE, STRICT
from dyad._src.context.parallel_settings import (
    ParallelMode,
    get_auto_parallel_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_ps_context,
)
from dyad._src.context.settings import get_context, set_context, settings

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


class _Context:
    """The settings of the process as an object, for packages that reach below `set_context`."""

    def get_mode(self):
        """The mode: GRAPH_MODE or PYNATIVE_MODE."""
        return settings.mode

    def set_mode(self, mode):
        """Sets the mode."""
        set_context(mode=mode)

    def set_backend_policy(self, policy):
        """Which compiler of an accelerator builds graphs: 'ge', 'vm' or 'ms'; there is one here, so nothing changes."""
        if policy not in ("ge", "vm", "ms"):
            raise ValueError(f"set_backend_policy: policy is {policy!r}; need one of ge, vm, ms")


K_CONTEXT = _Context()


def _context():
    """The settings of the process as an object."""
    return K_CONTEXT


def _get_mode():
    """The mode: GRAPH_MODE or PYNATIVE_MODE."""
    return settings.mode
