"""Mixed precision: scaling losses so that small gradients survive in half precision."""

from dyad._src.missing import missing_attribute
from dyad.amp import loss_scale_manager, loss_scaler
from dyad.amp.loss_scale_manager import *  # noqa: F403
from dyad.amp.loss_scaler import *  # noqa: F403

__all__ = [*loss_scale_manager.__all__, *loss_scaler.__all__]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
