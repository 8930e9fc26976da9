"""Optimizer: what the optimisers with groups of settings share."""

from collections import defaultdict

from dyad import ops
from dyad._core import Tensor, float32, int32
from dyad._src.base.argument_checks import require_at_least, require_bool, require_finite, require_fraction
from dyad._src.cell.optimizer_cell import OptimizerCell, filled_like, one_number_each
from dyad._src.operators import prepared_gradients
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad.nn.optim.parameter_groups import parameter_list

__all__ = ["Optimizer"]


class Optimizer(OptimizerCell):
    """Changes Parameters in place, from their gradients, with settings that each group may have of its own.

    `params` is a list of Parameters, or of dicts with `params` and settings; what a dict does not set is taken from
    `defaults`. `param_groups` holds these dicts: what is changed there holds from the next step on. The rate of a
    group, `group["lr"]`, is a Parameter, which schedulers write; a number may take its place.

    An optimiser of your own defines `construct(self, gradients)`; the gradients of group i begin at
    `self.group_start_id[i]`.
    """

    # Attribute and initial value of the state that is kept for every Parameter: tensors like it, and numbers.
    _states: tuple = ()
    _numbers: tuple = ()

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.state: defaultdict = defaultdict(dict)
        self.param_groups = []
        self.parameters = ParameterTuple(())
        self.lrs = []
        self.group_start_id = [0]
        self.map_ = ops.Map()
        self.hyper_map = ops.HyperMap()
        groups = parameter_list(self.cls_name, "params", params)
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict) -> None:
        """Take further Parameters, with settings of their own; their gradients come after all others."""
        owner = self.cls_name
        if not isinstance(param_group, dict):
            raise TypeError(f"{owner}: a group is of type {type(param_group).__name__}; need a dict")
        if "params" not in param_group:
            raise KeyError(f"{owner}: a group has no key 'params'; every group needs one")
        group = {**self.defaults, **param_group}
        group["params"] = self._read_members(group["params"])
        decay = require_at_least(owner, "weight_decay", group.get("weight_decay", 0.0), 0)
        group["weight_decay"] = require_finite(owner, "weight_decay", decay)
        name = f"learning_rate_group_{len(self.param_groups)}"
        group["lr"] = _read_rate(owner, group.get("lr"), name)
        self._check_group(group)
        self._append(group)

    def _read_members(self, params):
        owner = self.cls_name
        if isinstance(params, set):
            raise TypeError(f"{owner}: params of a group is a set, which has no order; need a list")
        members = [params] if isinstance(params, Parameter) else params
        if not isinstance(members, (list, tuple)) or members:  # a group of none is a group
            members = parameter_list(owner, "params of a group", members)
        known = {parameter.name for parameter in self.parameters}
        for member in members:
            if not isinstance(member, Parameter):
                raise TypeError(
                    f"{owner}: an element of params is of type {type(member).__name__}; need a Parameter"
                )
            if member.name in known:
                raise ValueError(
                    f"{owner}: {member.name!r} in params is given twice; need distinct Parameters"
                )
            known.add(member.name)
        return members

    def _check_group(self, group):
        """Overridden to check the settings of a group; `lr` and `weight_decay` are checked already."""

    def _append(self, group):
        added = ParameterTuple(group["params"])
        self.parameters = ParameterTuple((*self.parameters, *added))
        self._register_parameter_tuple((group["lr"],))
        self.lrs.append(group["lr"])
        self.param_groups.append(group)
        self.group_start_id.append(len(self.parameters))
        for name, value in self._initial_states(group):
            self._extend(name, filled_like(added, name, value))
        for name, value in self._numbers:
            self._extend(name, one_number_each(added, name, value))

    def _initial_states(self, group):
        return self._states

    def _extend(self, name, more):
        setattr(self, name, ParameterTuple((*getattr(self, name, ()), *more)))

    def _counter(self, name):
        """A count of the steps taken, which is part of the state."""
        return Parameter(Tensor(0, int32), name, requires_grad=False)

    def construct(self, gradients) -> bool:
        """One step with one gradient per Parameter, in their order."""
        if len(self.param_groups) > 1 or not isinstance(gradients, (tuple, list)):
            self._require_gradients(gradients)  # before the first group moves
        try:
            for group, start, end in zip(
                self.param_groups, self.group_start_id, self.group_start_id[1:], strict=False
            ):
                if start == end:
                    continue
                own = gradients[start:end] if len(self.param_groups) > 1 else gradients
                if group.get("grad_centralization"):
                    own = prepared_gradients(group["params"], own, [], list(range(end - start)))
                self._step(group, own, slice(start, end))
        except (TypeError, ValueError) as error:
            self._explain(error, gradients)
        self._count()
        return True

    def _step(self, group, gradients, members):
        """Overridden to move the Parameters of a group, which are `members` of all."""
        raise AttributeError(
            f"{self.cls_name}: construct is not defined; define it to make the optimiser callable"
        )

    def _count(self):
        """Overridden by optimisers that count their steps."""

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            shown = {key: value for key, value in sorted(group.items()) if key != "params"}
            for key, value in shown.items():
                lines.append(f"    {key}: {value.value() if isinstance(value, Parameter) else value}")
        return "\n".join([*lines, ")"])


def rates_of(group) -> tuple:
    """The learning rate of a group as a fused step takes it."""
    rate = group["lr"]
    return (rate if isinstance(rate, Tensor) else Tensor(float(rate), float32),)


def decays_of(group) -> tuple:
    """The weight decay of a group as the steps take it: a tuple of one Tensor, or of none."""
    decay = group["weight_decay"]
    return (Tensor(decay, float32),) if decay else ()


def sign_of(group) -> float:
    """The factor of the gradients: they are followed upwards where the objective is maximised."""
    return -1.0 if group.get("maximize") else 1.0


def require_betas(owner, group) -> None:
    """Raises TypeError or ValueError unless `betas` of the group are two numbers in [0, 1)."""
    betas = group["betas"]
    if not isinstance(betas, (tuple, list)):
        raise TypeError(f"{owner}: betas is of type {type(betas).__name__}; need a tuple of two numbers")
    if len(betas) != 2:
        raise ValueError(f"{owner}: betas has {len(betas)} entries; need two")
    for i, beta in enumerate(betas):
        require_fraction(owner, f"betas[{i}]", beta, "[0, 1)")


def require_flags(owner, group, *names) -> None:
    """Raises TypeError unless these settings of the group are bools."""
    for name in names:
        require_bool(owner, name, group[name])


def _read_rate(owner, rate, name):
    if isinstance(rate, Tensor):
        if rate.ndim != 0:
            raise ValueError(f"{owner}: lr has shape {tuple(rate.shape)}; need a number or a Tensor of one")
        rate = float(rate)
    number = require_finite(owner, "lr", require_at_least(owner, "lr", rate, 0))
    return Parameter(Tensor(number, float32), name, requires_grad=False)
