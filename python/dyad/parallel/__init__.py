"""Settings and wrappers of programs for many devices. There is one process; what would need more raises."""

from dyad._src.missing import missing_attribute
from dyad.parallel import _auto_parallel_context as _auto_parallel_context
from dyad.parallel import nn as nn
from dyad.parallel.algo_parameter_config import (
    get_algo_parameters,
    reset_algo_parameters,
    set_algo_parameters,
)
from dyad.parallel.shard import Layout, shard

__all__ = [
    "Layout",
    "get_algo_parameters",
    "reset_algo_parameters",
    "set_algo_parameters",
    "shard",
]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
