"""Scales of the loss that differ from one part of a network to the next."""

from typing import Any

from dyad import ops
from dyad._core import Tensor, float32
from dyad._src.base.argument_checks import require_at_least, require_int, require_number
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.amp import LossScaleManager
from dyad.nn import Cell

__all__ = ["GroupLossScaleManager"]


class _ScaledGradient(Cell):
    """Its first input; the gradient is multiplied by the second."""

    def construct(self, x, ratio):
        """`x`."""
        return x * 1

    def bprop(self, x, ratio, out, dout):
        """The gradient times the ratio."""
        return dout * ops.cast(ratio, dout.dtype), ops.zeros_like(ratio)


class GroupLossScaleManager(Cell, LossScaleManager):
    """Gives each group of layers a scale of its own for the gradients that run through it.

    The network calls it between its parts: `manager(x, 0, 1)` before the layers of the first group, `manager(x, 1, 2)`
    between the first and the second, and so on; 0 and the number after the last group mean no scale. A step of training
    divides the gradients of each group by its scale, halves the scale of a group that overflows, and doubles it
    otherwise.

    Args:
        init_loss_scale (Number): The scale of every group to begin with.
        loss_scale_groups (list): A list of Parameters for each group.

    Example:
        >>> from dyad.boost import GroupLossScaleManager
        >>> manager = GroupLossScaleManager(4096, [])
        >>> manager.set_loss_scale_status(2, 1024)
        >>> print(manager.update_loss_scale_status(1, 2.0))
        2048.0
    """

    def __init__(self, init_loss_scale, loss_scale_groups):
        Cell.__init__(self, auto_prefix=False)
        self._loss_scale = require_at_least("GroupLossScaleManager", "init_loss_scale", init_loss_scale, 1)
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.dynamic_loss_scale: Any = None
        self._scaled = _ScaledGradient()

    def set_loss_scale_status(self, loss_scale_number, init_loss_scale):
        """Sets the initial scale of each group."""
        owner = "set_loss_scale_status"
        count = require_int(owner, "loss_scale_number", loss_scale_number, low=1)
        scale = float(require_at_least(owner, "init_loss_scale", init_loss_scale, 1))
        self.loss_scale_number = count
        self.dynamic_loss_scale = ParameterTuple(
            Parameter(Tensor(value, float32), name=f"layer_loss_scale_{number}", requires_grad=False)
            for number, value in enumerate([1.0, *[scale] * count, 1.0])
        )

    def start_groups(self):
        """Begins with the scale that the manager was made with, for the groups that it has by now."""
        if self.dynamic_loss_scale is None:
            self.set_loss_scale_status(max(len(self.loss_scale_groups), 1), self._loss_scale)

    def update_loss_scale_status(self, layer, update_ratio):
        """The scale of a group times the ratio, but not below 1: it is the new one."""
        require_number("update_loss_scale_status", "update_ratio", update_ratio)
        self._require_groups("update_loss_scale_status")
        scale = self.dynamic_loss_scale[layer]
        changed = max(float(scale.asnumpy()) * update_ratio, 1.0)
        scale.set_data(Tensor(changed, float32))
        return changed

    def _require_groups(self, owner):
        if self.dynamic_loss_scale is None:
            raise RuntimeError(
                f"{owner}: the groups have no scales yet; need a call of set_loss_scale_status before"
            )

    def construct(self, x, layer1, layer2):
        """`x`, where the gradients turn from the scale of group `layer2` to that of `layer1`."""
        if self.dynamic_loss_scale is None:
            return x
        return self._scaled(x, self.dynamic_loss_scale[layer1] / self.dynamic_loss_scale[layer2])

    def get_loss_scale(self):
        """The scale of every group to begin with."""
        return self._loss_scale

    def update_loss_scale(self, overflow):
        """Nothing: a step of training changes the scales of the groups."""

    def get_drop_overflow_update(self):
        """True: a step whose gradients overflow changes no weight."""
        return True

    def get_update_cell(self):
        """This manager."""
        return self
