"""Training steps that leave the first layers of a network as they are."""

import numpy

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_int, require_number
from dyad._src.tensor.parameter import Parameter
from dyad.compat.mindspore.boost.base import given_parameters, require_optimizer, with_parameters
from dyad.compat.mindspore.boost.grad_accumulation import GradientAccumulation
from dyad.nn import Cell, CellList, DistributedGradReducer, Identity

__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]


class FreezeOpt(Cell):
    """One optimizer like `opt` for each group of Parameters: a step takes that of the group which is trained.

    Args:
        opt (Optimizer): The optimizer whose kind and settings all have.
        train_parameter_groups (Union[tuple, list], optional): Lists of Parameters. Default: ``None``, all in one.
        train_strategy (Union[tuple(int), list(int), Tensor], optional): Number of the group of each step; after the
            last one they begin again. Default: ``None``, group 0 in every step.
    """

    def __init__(self, opt, train_parameter_groups=None, train_strategy=None):
        super().__init__(auto_prefix=False)
        owner = "FreezeOpt"
        require_optimizer(owner, opt)
        if train_parameter_groups is None:
            train_parameter_groups = [list(opt.parameters)]
        if not isinstance(train_parameter_groups, (tuple, list)) or not train_parameter_groups:
            raise TypeError(
                f"{owner}: train_parameter_groups is {a_value(train_parameter_groups)}; need a list of lists of "
                "Parameters"
            )
        self.opts = CellList(
            [
                with_parameters(opt, _of_group(given_parameters(opt), group))
                for group in train_parameter_groups
            ],
            auto_prefix=False,
        )
        for number, one in enumerate(self.opts):
            _rename_state(one, f"freeze_{number}")
        self.parameters = self.opts[0].parameters
        self.train_strategy = _strategy(owner, train_strategy, len(self.opts))

    def construct(self, gradients):
        """A step for the Parameters of group 0."""
        return self.opts[0](gradients)


def _rename_state(optimizer, prefix):
    """Puts a prefix before the names of an optimizer's own Parameters: those of several would be called alike."""
    trained = {id(parameter) for parameter in optimizer.parameters}
    for parameter in optimizer.get_parameters():
        if id(parameter) not in trained:
            parameter.name = f"{prefix}.{parameter.name}"


def _of_group(given, group):
    """Arguments of the optimizer, for the Parameters of one group only."""
    if not isinstance(given[0], dict):
        return list(group)
    wanted = {id(parameter) for parameter in group}
    groups = []
    for settings in given:
        key = "params" if "params" in settings else "order_params"
        kept = [parameter for parameter in settings[key] if id(parameter) in wanted]
        if kept:
            groups.append({**settings, key: kept})
    return groups


def _strategy(owner, given, count):
    if given is None:
        return None
    values = given.asnumpy().tolist() if isinstance(given, Tensor) else list(given)
    for value in values:
        require_int(owner, "train_strategy", value, low=0)
        if value >= count:
            raise ValueError(f"{owner}: train_strategy has {value}; need numbers of groups, 0 to {count - 1}")
    if not values:
        raise ValueError(f"{owner}: train_strategy is empty; need a number of a group for each step")
    return Tensor(values, _core.int32)


class _TrainFreezeCell(Cell):
    """A step that trains the Parameters of one optimizer; the loss does not run backward beyond them."""

    def __init__(
        self, network, sens, grad, grad_reducer, use_grad_accumulation, max_accumulation_step, optimizer
    ):
        super().__init__(auto_prefix=False)
        self.network = network
        self.grad = grad
        self.grad_reducer = grad_reducer
        self.parameters = optimizer.parameters
        self.sens = sens
        self.optimizer = optimizer
        self.use_grad_accumulation = use_grad_accumulation
        self.max_accumulation_step = max_accumulation_step
        if use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(max_accumulation_step, optimizer)

    def construct(self, *inputs):
        """The loss; the Parameters of the group have changed."""
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        gradients = self.grad(self.network, self.parameters)(*inputs, sens)
        gradients = self.grad_reducer(gradients)
        if self.use_grad_accumulation:
            return self.grad_accumulation(loss, gradients)
        self.optimizer(gradients)
        return loss


def freeze_cell(
    reducer_flag,
    network,
    optimizer,
    sens,
    grad,
    use_grad_accumulation,
    mean=None,
    degree=None,
    max_accumulation_step=1,
):
    """A tuple of Cells, each a step that trains one group of a `FreezeOpt`.

    Args:
        reducer_flag (bool): Whether gradients are summed over devices.
        network (Cell): The network with its loss.
        optimizer (FreezeOpt): The optimizers of the groups.
        sens (numbers.Number): Gradient of the loss to start from.
        grad (GradOperation): Gives gradients by a list of Parameters, from a given gradient of the loss.
        use_grad_accumulation (bool): Whether an optimizer takes the mean of several gradients.
        mean (bool, optional): Whether gradients are averaged over devices. Default: ``None``.
        degree (int, optional): Number of devices. Default: ``None``.
        max_accumulation_step (int, optional): Number of gradients of a mean. Default: ``1``.

    Example:
        >>> import dyad
        >>> from dyad import nn, ops
        >>> from dyad.boost import FreezeOpt, freeze_cell
        >>> net = nn.Dense(2, 1)
        >>> optimizer = FreezeOpt(nn.SGD(net.trainable_params(), 0.1))
        >>> grad = ops.GradOperation(get_by_list=True, sens_param=True)
        >>> print(len(freeze_cell(False, net, optimizer, 1.0, grad, False)))
        1
    """
    owner = "freeze_cell"
    if not isinstance(optimizer, FreezeOpt):
        raise TypeError(f"{owner}: optimizer is {a_value(optimizer)}; need a FreezeOpt")
    if not isinstance(network, Cell):
        raise TypeError(f"{owner}: network is {a_value(network)}; need a Cell")
    require_number(owner, "sens", sens)
    require_int(owner, "max_accumulation_step", max_accumulation_step, low=1)
    return tuple(
        _TrainFreezeCell(
            network,
            sens,
            grad,
            DistributedGradReducer(one.parameters, mean, degree) if reducer_flag else Identity(),
            use_grad_accumulation,
            max_accumulation_step,
            one,
        )
        for one in optimizer.opts
    )


class GradientFreeze:
    """Lets some steps of a training leave the first layers as they are, which saves their gradients.

    Args:
        param_groups (int): Number of groups: group 0 is the whole network, each next one begins at a later layer.
        freeze_type (int): 0: whole steps first, then one step of each group, again and again; 1: groups at random.
        freeze_p (float): Which part of the steps trains the whole network, from 0 to 1.
        total_steps (int): Number of steps of the training.

    Example:
        >>> from dyad.boost import GradientFreeze
        >>> print(GradientFreeze(3, 0, 0.5, 8).generate_freeze_index_sequence(3, 0, 0.5, 8))
        [0, 0, 1, 2, 0, 0, 1, 2]
    """

    def __init__(self, param_groups, freeze_type, freeze_p, total_steps):
        owner = "GradientFreeze"
        self._param_groups = require_int(owner, "param_groups", param_groups, low=1)
        self._freeze_type = _require_kind(owner, "freeze_type", freeze_type)
        self._freeze_p = _require_part(owner, freeze_p)
        self._total_steps = require_int(owner, "total_steps", total_steps, low=1)

    def split_parameters_groups(self, net, freeze_para_groups_number):
        """Lists of the network's trainable Parameters: all, and then those from later and later layers on.

        The layers where they begin divide the Parameters into parts of about the same number.
        """
        require_int("split_parameters_groups", "freeze_para_groups_number", freeze_para_groups_number, low=1)
        parameters = net.trainable_params()
        layers = [parameter.name.rpartition(".")[0] for parameter in parameters]
        begins = [n for n in range(len(parameters)) if n == 0 or layers[n] != layers[n - 1]]
        groups = []
        for number in range(freeze_para_groups_number):
            wanted = number * len(parameters) / freeze_para_groups_number
            begin = next((place for place in begins if place >= wanted), begins[-1] if begins else 0)
            groups.append(parameters[begin:])
        return groups

    def generate_freeze_index_sequence(self, parameter_groups_number, freeze_strategy, freeze_p, total_steps):
        """The number of the group that each step trains; 0 is the whole network."""
        owner = "generate_freeze_index_sequence"
        count = require_int(owner, "parameter_groups_number", parameter_groups_number, low=1)
        _require_kind(owner, "freeze_strategy", freeze_strategy)
        part = _require_part(owner, freeze_p)
        total = require_int(owner, "total_steps", total_steps, low=1)
        if count == 1 or part == 1:
            return [0] * total
        if freeze_strategy == 0:
            whole = int((count - 1) * part / (1 - part))
            cycle = [0] * whole + list(range(1, count))
            return cycle * -(-total // len(cycle))
        steps = [0]
        whole = 1
        while len(steps) < total:
            if whole / len(steps) < part:
                steps.append(0)
                whole += 1
            else:
                steps.append(int(numpy.random.randint(1, count)))
        return steps

    def freeze_generate(self, network, optimizer):
        """(the network, a `FreezeOpt` with the groups and the steps of this training)."""
        groups = self.split_parameters_groups(network, self._param_groups)
        steps = self.generate_freeze_index_sequence(
            self._param_groups, self._freeze_type, self._freeze_p, self._total_steps
        )
        return network, FreezeOpt(optimizer, groups, steps)


def _require_kind(owner, name, kind):
    if require_int(owner, name, kind, low=0) > 1:
        raise ValueError(f"{owner}: {name} is {kind}; need 0 or 1")
    return kind


def _require_part(owner, freeze_p):
    if not 0 <= require_number(owner, "freeze_p", freeze_p) <= 1:
        raise ValueError(f"{owner}: freeze_p is {freeze_p}; need a number from 0 to 1")
    return float(freeze_p)


class FreezeSteps(Cell):
    """Takes the step of the group whose turn it is."""

    def __init__(self, steps, strategy):
        super().__init__(auto_prefix=False)
        self.steps = CellList(list(steps), auto_prefix=False)
        self.strategy = Tensor([0], _core.int32) if strategy is None else strategy
        self.step = Parameter(Tensor(0, _core.int32), name="freeze_step", requires_grad=False)

    def construct(self, *inputs):
        """The loss."""
        group = self.strategy[ops.floor_mod(self.step, self.strategy.shape[0])]
        ops.assign_add(self.step, Tensor(1, _core.int32))
        return self._take(group, 0, inputs)

    def _take(self, group, number, inputs):
        if number == len(self.steps) - 1:
            return self.steps[number](*inputs)
        if group == number:
            return self.steps[number](*inputs)
        return self._take(group, number + 1, inputs)
