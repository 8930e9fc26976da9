"""`dyad.common.seed`: the module path of the global seed."""

from dyad._src.random import get_seed, set_seed

__all__ = ["get_seed", "set_seed"]
