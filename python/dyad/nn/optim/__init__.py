"""Optimisers: Cells that change Parameters in place, from their gradients."""

from dyad.nn.optim import adam, momentum, optimizer, sgd
from dyad.nn.optim.adam import *  # noqa: F403
from dyad.nn.optim.momentum import *  # noqa: F403
from dyad.nn.optim.optimizer import *  # noqa: F403
from dyad.nn.optim.sgd import *  # noqa: F403

__all__ = [
    *adam.__all__,
    *momentum.__all__,
    *optimizer.__all__,
    *sgd.__all__,
]
