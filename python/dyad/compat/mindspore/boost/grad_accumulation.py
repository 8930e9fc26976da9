"""Gradients of several batches for one step of the optimizer."""

from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_int
from dyad._src.tensor.parameter import Parameter
from dyad.nn import Cell

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def cumulative_grad_process(accumulation_step, cumulative_grad, grad):
    """Add to the sum of gradients this batch's share of their mean."""
    ops.assign_add(cumulative_grad, grad / accumulation_step)
    return cumulative_grad


@gradient_clear_op.register("Tensor")
def clear_grad(cumulative_grad):
    """Begin a new sum."""
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


class GradientAccumulation(Cell):
    """Called with the loss and the gradients of a batch; every `max_accumulation_step` calls the optimizer takes one
    step by the mean of the gradients since the last. Gives the loss back."""

    def __init__(self, max_accumulation_step, optimizer):
        super().__init__()
        owner = type(self).__name__
        self._max_accumulation_step = require_int(
            owner, "max_accumulation_step", max_accumulation_step, low=1
        )
        if not isinstance(getattr(optimizer, "parameters", None), tuple):
            raise TypeError(f"{owner}: optimizer is {a_value(optimizer)}; need an Optimizer")
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = ops.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step: Any = Parameter(Tensor(0, _core.int32), name="accumulation_step")

    def construct(self, loss, grads):
        """The loss; the sum of gradients has changed, or else the weights."""
        self.hyper_map(
            ops.partial(gradient_accumulation_op, self._max_accumulation_step), self._grad_accumulation, grads
        )
        self._accumulation_step += 1
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
            ops.assign(self._accumulation_step, 0)
        return loss
