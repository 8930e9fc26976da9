"""`Optimizer`, the base class of all optimizers."""

import functools
import inspect
from typing import Any

from dyad import ops
from dyad._core import Tensor, float32, int32
from dyad._src.base.argument_checks import require_above, require_at_least, require_finite
from dyad._src.cell.optimizer_cell import OptimizerCell
from dyad._src.context.settings import settings
from dyad._src.operators import prepared_gradients
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.nn.cell import Cell
from dyad.nn.containers import CellList
from dyad.nn.optim.learning_rates import (
    FixedLearningRate,
    _ListedLearningRate,
    read_learning_rate,
    require_one_length,
)
from dyad.nn.optim.parameter_groups import read_params

__all__ = ["Optimizer", "opt_init_args_register"]


class Optimizer(OptimizerCell):
    """Base class of optimizers, which change Parameters in place: `optimizer(gradients)` does one step.

    Args:
        learning_rate (number, Tensor, list or Cell): a Tensor or list has one rate per step and its last rate stays in
            effect; a Cell is called with the number of the step.
        parameters (list): Parameters, or groups: dicts with `params` and, where they differ from the rest, `lr`,
            `weight_decay` and `grad_centralization`. A dict with `order_params` alone sets the order of the gradients.
        weight_decay (number or Cell): without groups, Parameters with `beta` or `gamma` in their name are excluded.
        loss_scale (number): gradients are divided by it.

    A subclass defines `construct(self, gradients)`. The methods here prepare gradients and return the rates and
    decays of the step; `self.assignadd(self.global_step, self.global_step_increase_tensor)` counts it.
    """

    def __init_subclass__(cls, **options):
        """Records each optimizer's constructor arguments as `init_params`, `init_learning_rate` and `init_args`."""
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            type.__setattr__(cls, "__init__", opt_init_args_register(cls.__init__))

    def __init__(self, learning_rate, parameters: list, weight_decay=0.0, loss_scale: float = 1.0) -> None:
        super().__init__(auto_prefix=False)
        self.loss_scale = require_finite(
            self.cls_name, "loss_scale", require_above(self.cls_name, "loss_scale", loss_scale, 0)
        )
        members, self.is_group, self.is_group_params_ordered = read_params(self.cls_name, parameters)
        self.global_step = Parameter(Tensor([0], int32), "global_step", requires_grad=False)
        self._set_learning_rates(members, learning_rate)
        self._set_weight_decays(members, weight_decay)
        self.grad_centralization_flags = tuple(member.centralize for member in members)
        self._centralized = [i for i, member in enumerate(members) if member.centralize]
        self.parameters = ParameterTuple(member.parameter for member in members)
        self._parameters = self._flat_parameters()
        self._unique = True
        self._start_tools()

    def _start_tools(self):
        """Sets the attributes that user-defined optimizers read on `self`."""
        count = len(self.parameters)
        self.param_length = count
        self.cache_enable = tuple(parameter.cache_enable for parameter in self._parameters)
        self.optim_filter = (True,) * count
        self._success = (True,) * count
        self.use_parallel = False  # every Parameter is changed in this process
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, float32)
        self.global_step_increase_tensor = Tensor([1], int32)
        self.assignadd = ops.AssignAdd()
        self.map_ = ops.Map()
        self.map_reverse = ops.Map(None, True)
        self.hyper_map = ops.HyperMap()
        self.hyper_map_reverse = ops.HyperMap(None, True)

    def _flat_parameters(self):
        """The Parameters, or those of the flat memory that they are in; `flatten_gradients` follows."""
        members = list(self.parameters)
        chunks = [] if self.is_group else Tensor._get_flattened_tensors(members)
        self._use_flattened_params = bool(chunks)
        if not chunks:
            return self.parameters
        starts = [chunk.data_ptr() for chunk in chunks]
        inside: list = [[] for _ in chunks]
        for at, member in enumerate(members):
            start, chunk = max((start, i) for i, start in enumerate(starts) if start <= member.data_ptr())
            inside[chunk].append((member.data_ptr() - start, at))
        covers = all(
            sum(members[at].nbytes for _, at in parts) == chunk.nbytes
            for parts, chunk in zip(inside, chunks, strict=True)
        )
        if not covers:  # another Cell owns the rest of the memory
            self._use_flattened_params = False
            return self.parameters
        self._flat_order = tuple(tuple(at for _, at in sorted(parts)) for parts in inside)
        return ParameterTuple(
            Parameter._from_tensor(chunk, f"_chunk_param{i}_{chunk.dtype}") for i, chunk in enumerate(chunks)
        )

    def _set_learning_rates(self, members, learning_rate):
        owner = self.cls_name
        default = read_learning_rate(owner, learning_rate, "learning_rate")
        self.is_group_lr = any(member.lr is not None for member in members)
        if not self.is_group_lr:
            self.dynamic_lr = isinstance(default, Cell)
            self.learning_rate = default
            return
        by_group = {}
        for member in members:
            if member.group not in by_group:
                name = f"learning_rate_group_{member.group}"
                by_group[member.group] = (
                    default if member.lr is None else read_learning_rate(owner, member.lr, name)
                )
        self.dynamic_lr = any(isinstance(rate, Cell) for rate in by_group.values())
        require_one_length(owner, [default, *by_group.values()])
        if self.dynamic_lr:
            by_group = {
                group: rate if isinstance(rate, Cell) else FixedLearningRate(rate)
                for group, rate in by_group.items()
            }
        rates = [by_group[member.group] for member in members]
        self.learning_rate = CellList(rates, auto_prefix=False) if self.dynamic_lr else ParameterTuple(rates)

    def _set_weight_decays(self, members, weight_decay):
        decays = [
            self._read_weight_decay(weight_decay if member.weight_decay is None else member.weight_decay)
            for member in members
        ]
        if self.is_group:
            flags = tuple(isinstance(decay, Cell) or decay > 0 for decay in decays)
        else:
            flags = tuple(not self._spares(member.parameter.name) for member in members)
        self.decay_flags = flags
        self.dynamic_weight_decay = any(isinstance(decay, Cell) for decay in decays)
        self.exec_weight_decay = any(isinstance(decay, Cell) or decay > 0 for decay in decays)
        shared: dict = {}
        held = tuple(
            decay if isinstance(decay, Cell) else shared.setdefault(decay, Tensor(decay, float32))
            for decay in decays
        )
        self.weight_decay = held if self.is_group else held[0]
        self._decays = self._decays_where_flagged(held)
        # The source of `_decays`, as a plain record, so that a Cell is not registered under two names.
        self.__dict__["_decays_made_of"] = self.weight_decay

    def _decays_where_flagged(self, held):
        """One decay for each Parameter, 0 for excluded ones."""
        nothing = Tensor(0.0, float32)
        return tuple(decay if flag else nothing for decay, flag in zip(held, self.decay_flags, strict=True))

    def _spares(self, name):
        """Returns whether weight decay without groups excludes the Parameter of that name."""
        return "beta" in name or "gamma" in name

    def _read_weight_decay(self, weight_decay):
        if isinstance(weight_decay, Cell):
            return weight_decay
        decay = require_at_least(self.cls_name, "weight_decay", weight_decay, 0)
        return require_finite(self.cls_name, "weight_decay", decay)

    def get_lr(self):
        """The learning rate of this step; with rates of their own for groups a tuple with one per Parameter."""
        rate = self.learning_rate
        if not self.dynamic_lr:
            return tuple(rate) if self.is_group_lr else rate
        if not self.is_group_lr:
            return rate(self.global_step).reshape(())
        return self._called(tuple(rate))

    def get_weight_decay(self):
        """The weight decay of this step, times the loss scale; with groups a tuple with one per Parameter."""
        decays = self._at_step(self.weight_decay if self.is_group else (self.weight_decay,))
        if self.need_scale:
            decays = tuple(decay * self.loss_scale for decay in decays)
        return decays if self.is_group else decays[0]

    def _at_step(self, decays):
        """The decays of this step."""
        return self._called(decays) if self.dynamic_weight_decay else decays

    def _called(self, settings):
        """Rates or decays with each Cell replaced by its result for this step; each Cell is called once."""
        called: list = []
        given = []
        for setting in settings:
            value = setting
            if isinstance(setting, Cell):
                found = [result for cell, result in called if cell is setting]
                value = found[0] if found else setting(self.global_step).reshape(())
                called.append((setting, value))
            given.append(value)
        return tuple(given)

    def get_lr_parameter(self, param):
        """The rate of a Parameter, or those of a list, as it is held: a Parameter, or the Cell that computes it."""
        wanted = param if isinstance(param, list) else [param]
        positions = {id(member): i for i, member in enumerate(self.parameters)}
        found = []
        for parameter in wanted:
            if not isinstance(parameter, Parameter):
                raise TypeError(
                    f"get_lr_parameter: param is of type {type(parameter).__name__}; "
                    "need a Parameter or a list of Parameters"
                )
            if id(parameter) not in positions:
                raise ValueError(
                    f"get_lr_parameter: {parameter.name!r} is not in this {self.cls_name}; need one of its Parameters"
                )
            rate = self.learning_rate[positions[id(parameter)]] if self.is_group_lr else self.learning_rate
            own = isinstance(rate, (FixedLearningRate, _ListedLearningRate))
            found.append(rate.learning_rate if own else rate)
        return found if isinstance(param, list) else found[0]

    def flatten_gradients(self, gradients):
        """The gradients in the order and shapes of `_parameters`: joined where these are flat memory."""
        if not self._use_flattened_params:
            return gradients
        return tuple(ops.cat([gradients[at].reshape(-1) for at in order]) for order in self._flat_order)

    def construct(self, *hyper_params):
        """One step; each kind of optimizer defines it."""
        raise NotImplementedError(f"{self.cls_name}: construct is not defined; define it to make steps")

    def broadcast_params(self, optim_result):
        """Returns the result of a step unchanged: there are no other processes to send the Parameters to."""
        return optim_result

    def decay_weight(self, gradients):
        """The gradients plus weight decay times the Parameters, before division by the loss scale."""
        if not self.exec_weight_decay:
            return gradients
        return prepared_gradients(self.parameters, gradients, self._decays_now(), [], self.loss_scale)

    def gradients_centralization(self, gradients):
        """The gradients of the groups that ask for it less their mean over all axes but the first."""
        if not self._centralized:
            return gradients
        return prepared_gradients(self.parameters, gradients, [], self._centralized)

    def scale_grad(self, gradients):
        """The gradients divided by the loss scale."""
        if not self.need_scale:
            return gradients
        return prepared_gradients(self.parameters, gradients, [], [], 1.0, 1.0 / self.loss_scale)

    def _rates(self):
        """The learning rates of this step as a fused step accepts them."""
        rates = self.get_lr()
        return rates if self.is_group_lr else (rates,)

    def _decays_now(self):
        """The weight decays of this step as a fused step accepts them: none, or one for each Parameter."""
        if not self.exec_weight_decay:
            return ()
        if self.weight_decay is self._decays_made_of:
            return self._at_step(self._decays)
        assigned: Any = self.weight_decay if self.is_group else (self.weight_decay,) * len(self.decay_flags)
        decays = tuple(
            decay if isinstance(decay, (Cell, Tensor)) else Tensor(decay, float32) for decay in assigned
        )
        return self._called(self._decays_where_flagged(decays))

    def _prepare(self, gradients):
        """The gradients and weight decays for a fused step, which itself adds the decay and divides by the loss
        scale.

        Centralization follows the decay, so if a group has it, the decay is added here.
        """
        if not self._centralized:
            return gradients, self._decays_now()
        self._require_gradients(gradients)
        return self.gradients_centralization(self.decay_weight(gradients)), ()

    def _centralize(self, gradients):
        """The gradients for a fused step whose weight decay does not join them."""
        if self._centralized:
            self._require_gradients(gradients)
        return self.gradients_centralization(gradients)

    def _fused_step(self, step, gradients, states, *settings):
        """Do a fused step with the learning rates and weight decays of now; its states go before them."""
        gradients, decays = self._prepare(gradients)
        return self._run(step, gradients, *states, self._rates(), decays, *settings)

    def _run(self, step, gradients, *arguments):
        """Do a fused step over all Parameters and count it."""
        if not isinstance(gradients, (tuple, list)):
            self._require_gradients(gradients)
        try:
            step(self.parameters, gradients, *arguments)
        except (TypeError, ValueError) as error:
            self._explain(error, gradients)
        self.global_step.add_(1)
        return self._success

    @property
    def unique(self) -> bool:
        """True if sparse gradients would be made unique; dense ones always are."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"{self.cls_name}: unique is {value!r} of type {type(value).__name__}; need a bool"
            )
        self._unique = value

    @property
    def target(self):
        """The device on which the Parameters are changed."""
        return settings.read("device_target")

    @target.setter
    def target(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(
                f"{self.cls_name}: target is {value!r} of type {type(value).__name__}; need a str"
            )
        if value != self.target:
            raise ValueError(
                f"{self.cls_name}: target is {value!r}; need {self.target!r}, where the program runs"
            )


def opt_init_args_register(fn):
    """Decorates `__init__` of an optimizer: records its arguments, defaults included, on the object.

    `init_params` is {"params": ...}, `init_learning_rate` the rate or None, and `init_args` a dict of all other
    arguments.
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def noting(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        noted = {
            "init_params": {"params": given.pop("params", None)},
            "init_learning_rate": given.pop("learning_rate", None),
            "init_args": given,
        }
        fn(self, *args, **kwargs)
        # Plain records: Parameters and Cells among the arguments are registered where the optimizer itself keeps
        # them.
        self.__dict__.update(noted)

    noting.__dict__["__signature__"] = signature  # getfullargspec does not follow __wrapped__
    return noting
