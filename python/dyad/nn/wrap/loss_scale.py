"""Training steps with a scaled loss, which keeps small gradients in half precision from vanishing."""

import math

from dyad import _core, ops
from dyad._core import Tensor, float32, int32
from dyad._src.base.argument_checks import require_int, require_number
from dyad._src.operators import all_finite, scale_all
from dyad._src.tensor.parameter import Parameter
from dyad.nn.cell import Cell
from dyad.nn.wrap.cell_wrapper import TrainOneStepCell

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]


# For steps that packages write themselves: mapped over gradients, each with its scale or for its own flag.
grad_scale = _grad_scale = ops.MultitypeFuncGraph("grad_scale")
shard_grad_scale = ops.MultitypeFuncGraph("shard_grad_scale")
_grad_overflow = ops.MultitypeFuncGraph("grad_overflow")


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale, gradient):
    return gradient * ops.cast(1 / scale, gradient.dtype)


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def _unscaled_sum(scale, gradient, accumulated):
    """The accumulated gradient divided by its scale; the accumulator is reset to zero."""
    unscaled = accumulated * ops.cast(1 / scale, accumulated.dtype)
    ops.assign(accumulated, ops.zeros_like(accumulated))
    return unscaled


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(gradient):
    """1 if some element is infinite or NaN, else 0, as float32 of shape (1,)."""
    return ops.FloatStatus()(gradient)


def _require_positive(owner, name, value):
    if not 0 < require_number(owner, name, value) < math.inf:
        raise ValueError(f"{owner}: {name} is {value}; need a finite number above 0")
    return value


class DynamicLossScaleUpdateCell(Cell):
    """Adjusts a loss scale: called with the Parameter that holds it and whether the step overflowed.

    An overflow divides the scale by `scale_factor`, but not below 1; `scale_window` steps without one multiply it.
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window: int) -> None:
        super().__init__()
        owner = "DynamicLossScaleUpdateCell"
        self.loss_scale_value = _require_positive(owner, "loss_scale_value", loss_scale_value)
        self.scale_factor = _require_positive(owner, "scale_factor", scale_factor)
        self.scale_window = require_int(owner, "scale_window", scale_window, low=1)
        self.minimum_loss_scale = 1.0
        self.cur_iter = Parameter(Tensor(1, int32), "current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(
            Tensor(0, int32), "last_overflow_iterator_step", requires_grad=False
        )

    def get_loss_scale(self):
        """The initial loss scale."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        """`overflow`; the Parameter `loss_scale` has been adjusted."""
        overflowed = overflow if isinstance(overflow, Tensor) else Tensor(bool(overflow))
        overflowed = ops.cast(overflowed, _core.bool_).reshape(())
        smaller = ops.maximum(loss_scale / self.scale_factor, self.minimum_loss_scale)
        due = self.cur_iter - self.last_overflow_iter >= self.scale_window
        grown = ops.where(due, loss_scale * self.scale_factor, loss_scale)
        ops.assign(loss_scale, ops.where(overflowed, smaller, grown))
        restart = ops.logical_or(overflowed, due)
        ops.assign(self.last_overflow_iter, ops.where(restart, self.cur_iter, self.last_overflow_iter))
        ops.assign(self.cur_iter, self.cur_iter + 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Leaves a loss scale as it is."""

    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = _require_positive(
            "FixedLossScaleUpdateCell", "loss_scale_value", loss_scale_value
        )

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        """`overflow`."""
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step whose loss is scaled before it is differentiated; a step that overflows changes no weight.

    `scale_sense` is the scale, as a Tensor of one number, or a Cell that adjusts it. Returns (loss, whether the
    gradients overflowed, the scale they were computed with).
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer)
        self.hyper_map = ops.HyperMap()
        self.loss_scaling_manager = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), float32)
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                f"TrainOneStepWithLossScaleCell: scale_sense is of type {type(scale_sense).__name__}; "
                "need a Tensor or a Cell"
            )
        elif scale_sense.shape not in ((), (1,)):
            raise ValueError(
                f"TrainOneStepWithLossScaleCell: scale_sense has shape {scale_sense.shape}; need () or (1,)"
            )
        self.scale_sense = Parameter(scale_sense, "scale_sense", requires_grad=False)

    def construct(self, *inputs):
        """(loss, whether the gradients overflowed, scale)."""
        scale = self.scale_sense.copy().reshape(())
        loss, gradients = self._forward_and_backward(inputs, scale)
        unscaled = tuple(scale_all(list(gradients), 1 / scale))
        gradients = self.grad_reducer(unscaled)
        overflow = self.get_overflow_status(None, gradients)
        if not self.process_loss_scale(overflow):
            self.optimizer(gradients)
        return loss, overflow, scale

    def start_overflow_check(self, pre_cond, compute_input):
        """(state of the check, `compute_input`); the check itself needs no start here."""
        return Tensor(False), compute_input

    def get_overflow_status(self, status, compute_output) -> Tensor:
        """Returns whether any gradient is infinite or NaN, as a bool Tensor."""
        gradients = [compute_output] if isinstance(compute_output, Tensor) else list(compute_output)
        return ops.logical_not(all_finite(gradients))

    def process_loss_scale(self, overflow):
        """Adjusts the loss scale; returns whether the step overflowed."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow

    def set_sense_scale(self, sens: Tensor) -> None:
        """Sets a new scale, where it is not adjusted by a Cell."""
        if not isinstance(sens, Tensor):
            raise TypeError(
                f"TrainOneStepWithLossScaleCell: sens is of type {type(sens).__name__}; need a Tensor"
            )
        self.scale_sense.set_data(sens)
