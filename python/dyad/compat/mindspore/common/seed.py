"""`dyad.common.seed`: the module path of the global seed."""

from dyad._src.tensor.random import get_seed, seed, set_seed

__all__ = ["get_seed", "seed", "set_seed"]


def _get_graph_seed(op_seed, kernel_name):
    """(the global seed or 0, the operator's own), as operators that draw take them."""
    return get_seed() or 0, op_seed
