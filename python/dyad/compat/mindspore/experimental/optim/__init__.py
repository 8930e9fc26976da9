"""Optimizers whose groups carry all settings, and schedulers that change their rates."""

from dyad.mint.optim import adam, adaptive, lr_scheduler, optimizer, sgd
from dyad.mint.optim.adam import *  # noqa: F403
from dyad.mint.optim.adaptive import *  # noqa: F403
from dyad.mint.optim.optimizer import *  # noqa: F403
from dyad.mint.optim.sgd import *  # noqa: F403

__all__ = [
    "lr_scheduler",
    *adam.__all__,
    *adaptive.__all__,
    *optimizer.__all__,
    *sgd.__all__,
]
