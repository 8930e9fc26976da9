"""Training steps for `AutoBoost`."""

from typing import Any

from dyad import ops
from dyad._core import Tensor, float32
from dyad._src.operators import all_finite
from dyad._src.tensor.parameter import ParameterTuple
from dyad.compat.mindspore.boost.adasum import AdaSum
from dyad.compat.mindspore.boost.dim_reduce import DimReduce
from dyad.compat.mindspore.boost.grad_accumulation import GradientAccumulation
from dyad.compat.mindspore.boost.grad_freeze import FreezeOpt, FreezeSteps, freeze_cell
from dyad.compat.mindspore.boost.group_loss_scale_manager import GroupLossScaleManager
from dyad.nn import TrainOneStepCell, TrainOneStepWithLossScaleCell

__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]


class BoostTrainOneStepCell(TrainOneStepCell):
    """One step of training as the optimizer asks for it; returns the loss.

    A `FreezeOpt` trains the group whose turn it is. What `AutoBoost.network_auto_process_train` was asked for counts as
    well: means of several gradients, sums of several devices, and searches in a few directions.

    Args:
        network (Cell): The network with its loss, which is its only output.
        optimizer (Cell): An optimizer or a `FreezeOpt`.
        sens (numbers.Number, optional): Gradient of the loss to start from. Default: ``None``, which means 1.0.

    Example:
        >>> from dyad import Tensor, nn
        >>> from dyad.boost import BoostTrainOneStepCell
        >>> net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
        >>> step = BoostTrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.5))
        >>> print(step(Tensor([[0.0]]), Tensor([[2.0]])), net.bias.asnumpy())
        4.0 [2.]
    """

    def __init__(self, network, optimizer, sens=None):
        super().__init__(network, optimizer, sens)
        boost = optimizer.__dict__.get("boost")
        config = {} if boost is None else boost.boost_config
        self.enable_dim_reduce = config.get("dim_reduce", False)
        self.freeze = isinstance(optimizer, FreezeOpt)
        reduced = self.enable_dim_reduce or self.freeze
        self.enable_adasum = config.get("adasum", False) and not reduced
        self.use_grad_accumulation = config.get("grad_accumulation", False) and not self.enable_dim_reduce
        self.max_accumulation_step = 1 if boost is None else boost.grad_accumulation_step
        if self.freeze:
            self.freeze_steps = FreezeSteps(
                freeze_cell(
                    self.reducer_flag,
                    self.network,
                    optimizer,
                    self.sens,
                    self.grad,
                    self.use_grad_accumulation,
                    max_accumulation_step=self.max_accumulation_step,
                ),
                optimizer.train_strategy,
            )
        elif self.use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(self.max_accumulation_step, optimizer)
        if self.enable_dim_reduce:
            self._start_dim_reduce(boost)
        if self.enable_adasum:
            self.adasum = AdaSum(0, 1, 1, self.weights)

    def _start_dim_reduce(self, boost):
        matrix = boost.directions(self.weights)
        settings = {name: boost.dim_reduce[name] for name in ("rho", "gamma", "alpha", "sigma")}
        self.weights_clone = ParameterTuple(self.weights).clone(prefix="dim_reduce", init="same")
        self.dim_reduce = DimReduce(
            self.network,
            self.optimizer,
            self.weights,
            matrix,
            matrix.shape[0],
            rank=0,
            rank_size=1,
            **settings,
        )

    def construct(self, *inputs):
        """The loss of this step; the Parameters have changed."""
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        loss, gradients = self._forward_and_backward(inputs, None if self.sens == 1 else self.sens)
        gradients = self.grad_reducer(gradients)
        if self.use_grad_accumulation:
            return self.gradient_accumulation_process(loss, gradients, self.sens, *inputs)
        if self.enable_dim_reduce:
            return self.dim_reduce(loss, gradients, self.sens, self.weights, self.weights_clone, *inputs)
        if self.enable_adasum:
            return self.adasum_process(loss, gradients)
        self.optimizer(gradients)
        return loss

    def gradient_freeze_process(self, *inputs):
        """The loss, after a step of the group whose turn it is."""
        return self.freeze_steps(*inputs)

    def gradient_accumulation_process(self, loss, grads, sens, *inputs):
        """Returns the loss; after a number of calls the optimizer takes a step by the mean of the gradients."""
        return self.grad_accumulation(loss, grads)

    def adasum_process(self, loss, grads):
        """The loss, after a step whose change is summed over the devices, of which there is one."""
        old = tuple(ops.depend(weight.copy(), loss) for weight in self.weights)
        self.optimizer(grads)
        changes = tuple(before - weight for before, weight in zip(old, self.weights, strict=True))
        for weight, summed in zip(self.weights, self.adasum(changes, self.weights, old), strict=True):
            ops.assign(weight, summed)
        return loss

    def check_adasum_enable(self):
        """True if changes are summed over devices."""
        return self.enable_adasum

    def check_dim_reduce_enable(self):
        """True if steps search in a few directions."""
        return self.enable_dim_reduce


class BoostTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell):
    """A step of training with a scaled loss, which may have one scale for each group of layers.

    Args:
        network (Cell): The network with its loss, which is its only output.
        optimizer (Cell): Changes the weights.
        scale_sense (Union[Tensor, Cell]): The scale, or a Cell that adjusts it; a `GroupLossScaleManager` has one for
            each group.

    Returns a tuple of the loss, whether the gradients overflowed, and the scale; of groups the latter is the smallest.
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, scale_sense)
        self.groups: Any = None
        if isinstance(scale_sense, GroupLossScaleManager):
            self._start_groups(scale_sense)

    def _start_groups(self, manager):
        manager.start_groups()
        held = [{id(parameter) for parameter in group} for group in manager.loss_scale_groups]
        places = []
        for weight in self.weights:
            found = [number for number, group in enumerate(held, 1) if id(weight) in group]
            places.append(found[0] if found else 0)
        self.groups = tuple(places)
        self.scales = manager.dynamic_loss_scale

    def construct(self, *inputs):
        """(loss, whether the gradients overflowed, scale)."""
        if self.groups is None:
            return super().construct(*inputs)
        loss, gradients = self._forward_and_backward(inputs, None)
        gradients = tuple(
            gradient / ops.cast(self.scales[group], gradient.dtype)
            for group, gradient in zip(self.groups, gradients, strict=True)
        )
        gradients = self.grad_reducer(gradients)
        overflow = ops.logical_not(all_finite(list(gradients)))
        smallest = self._adjust(gradients)
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, smallest

    def _adjust(self, gradients):
        """Halves the scales of groups that overflow, doubles the others; gives the smallest they were."""
        smallest = self.scales[1].copy()
        for number in range(1, len(self.scales) - 1):
            smallest = ops.minimum(smallest, self.scales[number].copy())
            own = [g for group, g in zip(self.groups, gradients, strict=True) if group == number]
            if own:
                scale = self.scales[number]
                grown = ops.where(scale * 2 < _LARGEST_SCALE, scale * 2, scale)
                halved = ops.maximum(scale / 2, Tensor(1.0, float32))
                ops.assign(scale, ops.where(all_finite(own), grown, halved))
        return smallest


_LARGEST_SCALE = 2.0**24
