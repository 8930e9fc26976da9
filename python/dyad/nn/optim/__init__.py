"""Optimizers: Cells that change Parameters in place, from their gradients."""

from dyad.nn.optim import (
    adadelta,
    adafactor,
    adagrad,
    adam,
    adamax,
    asgd,
    lamb,
    momentum,
    optimizer,
    rmsprop,
    rprop,
    second_order,
    sgd,
)
from dyad.nn.optim.adadelta import *  # noqa: F403
from dyad.nn.optim.adafactor import *  # noqa: F403
from dyad.nn.optim.adagrad import *  # noqa: F403
from dyad.nn.optim.adam import *  # noqa: F403
from dyad.nn.optim.adamax import *  # noqa: F403
from dyad.nn.optim.asgd import *  # noqa: F403
from dyad.nn.optim.lamb import *  # noqa: F403
from dyad.nn.optim.momentum import *  # noqa: F403
from dyad.nn.optim.optimizer import *  # noqa: F403
from dyad.nn.optim.rmsprop import *  # noqa: F403
from dyad.nn.optim.rprop import *  # noqa: F403
from dyad.nn.optim.second_order import *  # noqa: F403
from dyad.nn.optim.sgd import *  # noqa: F403

__all__ = [
    *adadelta.__all__,
    *adafactor.__all__,
    *adagrad.__all__,
    *adam.__all__,
    *adamax.__all__,
    *asgd.__all__,
    *lamb.__all__,
    *momentum.__all__,
    *optimizer.__all__,
    *rmsprop.__all__,
    *rprop.__all__,
    *second_order.__all__,
    *sgd.__all__,
]
