"""Mixed precision: networks that compute in half precision, and losses scaled so that small gradients survive there."""

from dyad.amp import conversion, lists, loss_scale_manager, loss_scaler, train_network
from dyad.amp.conversion import *  # noqa: F403
from dyad.amp.lists import *  # noqa: F403
from dyad.amp.loss_scale_manager import *  # noqa: F403
from dyad.amp.loss_scaler import *  # noqa: F403
from dyad.amp.train_network import *  # noqa: F403

__all__ = [
    *conversion.__all__,
    *lists.__all__,
    *loss_scale_manager.__all__,
    *loss_scaler.__all__,
    *train_network.__all__,
]
