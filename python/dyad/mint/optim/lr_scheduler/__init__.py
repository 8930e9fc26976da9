"""Schedulers: they change the rates of an optimiser's groups from epoch to epoch."""

from dyad.mint.optim.lr_scheduler import cyclic, factors, plateau, scheduler
from dyad.mint.optim.lr_scheduler.cyclic import *  # noqa: F403
from dyad.mint.optim.lr_scheduler.factors import *  # noqa: F403
from dyad.mint.optim.lr_scheduler.plateau import *  # noqa: F403
from dyad.mint.optim.lr_scheduler.scheduler import *  # noqa: F403

__all__ = [
    *cyclic.__all__,
    *factors.__all__,
    *plateau.__all__,
    *scheduler.__all__,
]
