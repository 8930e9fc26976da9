"""Cells around a network: with its loss, with its gradients, with a training step."""

from dyad.nn.wrap import cell_wrapper, distributed, loss_scale, products
from dyad.nn.wrap.cell_wrapper import *  # noqa: F403
from dyad.nn.wrap.distributed import *  # noqa: F403
from dyad.nn.wrap.loss_scale import *  # noqa: F403
from dyad.nn.wrap.products import *  # noqa: F403

__all__ = [*cell_wrapper.__all__, *distributed.__all__, *loss_scale.__all__, *products.__all__]
