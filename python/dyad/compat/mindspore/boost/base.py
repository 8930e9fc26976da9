"""Optimizers created from another one's settings, and groups of Parameters."""

from dyad._src.base.argument_checks import a_value
from dyad._src.tensor.parameter import Parameter
from dyad.nn import LARS, Cell, Optimizer

__all__ = ["OptimizerProcess", "ParameterProcess"]

_SPARED = ("bias", "beta", "gamma")


def with_parameters(optimizer, parameters):
    """An optimizer of the same class and settings for other Parameters or groups, with new state."""
    if isinstance(optimizer, LARS):
        inner = with_parameters(optimizer.opt, parameters)
        settings = {name: value for name, value in optimizer.init_args.items() if name != "optimizer"}
        return type(optimizer)(inner, **settings)
    settings = dict(optimizer.init_args)
    if optimizer.init_learning_rate is not None:
        settings["learning_rate"] = optimizer.init_learning_rate
    return type(optimizer)(parameters, **settings)


def given_parameters(optimizer):
    """Arguments of the optimizer: Parameters, or groups of them."""
    inner = optimizer.opt if isinstance(optimizer, LARS) else optimizer
    return list(inner.init_params["params"])


def require_optimizer(owner, optimizer):
    """An optimizer that exposes its arguments."""
    inner = optimizer.opt if isinstance(optimizer, LARS) else optimizer
    if not isinstance(inner, Optimizer) or inner.__dict__.get("init_params", {}).get("params") is None:
        raise TypeError(f"{owner}: opt is {a_value(optimizer)}; need an Optimizer that is made with `params`")
    return optimizer


class OptimizerProcess:
    """Creates an optimizer like `opt` for Parameters in other groups.

    `add_grad_centralization` marks the groups, `generate_new_optimizer` creates the optimizer, with new state.

    Args:
        opt (Optimizer): The optimizer whose kind and settings are taken over.

    Example:
        >>> from dyad import nn
        >>> from dyad.boost import OptimizerProcess
        >>> net = nn.Dense(3, 2)
        >>> process = OptimizerProcess(nn.Momentum(net.trainable_params(), 0.1, 0.9))
        >>> process.add_grad_centralization(net)
        >>> print(process.generate_new_optimizer().grad_centralization_flags)
        (True, False)
    """

    def __init__(self, opt):
        self.single_opt = require_optimizer("OptimizerProcess", opt)
        self.is_lars = isinstance(opt, LARS)
        self.opt_class = type(opt)
        self.opt_init_args = opt.init_args
        self.origin_params = given_parameters(opt)

    @staticmethod
    def build_params_dict(network):
        """{id of a Parameter: the Cell that holds it}, for all Parameters of a network."""
        if not isinstance(network, Cell):
            raise TypeError(f"OptimizerProcess: network is {a_value(network)}; need a Cell")
        return {
            id(parameter): cell
            for _, cell in network.cells_and_names()
            for parameter in cell.get_parameters(expand=False)
        }

    @staticmethod
    def build_gc_params_group(params_dict, parameters):
        """Groups in which the weights of layers have their gradients centered; biases and the like stay as they are.

        `parameters` are groups, as optimizers take them; what else a group says stays with both of its parts.
        """
        groups = []
        for group in parameters:
            if "order_params" in group:
                groups.append(group)
                continue
            rest = {name: value for name, value in group.items() if name != "params"}
            weights = [p for p in group["params"] if id(p) in params_dict and _is_weight(p)]
            chosen = {id(parameter) for parameter in weights}
            others = [p for p in group["params"] if id(p) not in chosen]
            if weights:
                groups.append({"params": weights, **rest, "grad_centralization": True})
            if others:
                groups.append({"params": others, **rest})
        return groups

    def add_grad_centralization(self, network):
        """From now on the gradients of this network's weights are centered: their mean over all but the first axis is
        taken away.
        """
        params_dict = self.build_params_dict(network)
        groups = self.origin_params
        if groups and isinstance(groups[0], Parameter):
            # Weight decay spares these without groups; with groups that has to be said.
            decay = self.single_opt.init_args.get("weight_decay", 0.0)
            spared = [p for p in groups if "beta" in p.name or "gamma" in p.name]
            chosen = {id(parameter) for parameter in spared}
            order = {"order_params": groups}
            groups = [{"params": [p for p in groups if id(p) not in chosen]}]
            if spared:
                groups.append({"params": spared, **({"weight_decay": 0.0} if decay else {})})
            groups = [group for group in groups if group["params"]] + [order]
        self.origin_params = self.build_gc_params_group(params_dict, groups)

    def generate_new_optimizer(self):
        """The optimizer for the groups as they are now."""
        return with_parameters(self.single_opt, self.origin_params)


def _is_weight(parameter):
    name = parameter.name.rpartition(".")[2]
    return len(parameter.shape) > 1 and not any(word in name for word in _SPARED)


class ParameterProcess:
    """Puts Parameters into groups, by those of an optimizer or by where their gradients are sent together."""

    def __init__(self):
        self._parameter_indices = 1

    def assign_parameter_group(self, parameters, split_point=None):
        """The Parameters, each numbered (`comm_fusion`) by the group in which its gradient would be sent.

        A new group begins after every place in `split_point`; without one all are in one group. The numbers of a second
        call go on from those of the first.
        """
        parameters = _parameter_list("assign_parameter_group", parameters)
        places = sorted(split_point) if split_point else []
        for number, parameter in enumerate(parameters):
            before = sum(place < number for place in places)
            parameter.comm_fusion = self._parameter_indices + before
        self._parameter_indices += len(places) + 1
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params):
        """`parameters` in groups with the settings that they have in `origin_params`; a plain list stays one.

        The order of `parameters` is that of the gradients.
        """
        parameters = _parameter_list("generate_group_params", parameters)
        origin_params = list(origin_params)
        if not origin_params or not isinstance(origin_params[0], dict):
            return parameters
        wanted = {id(parameter) for parameter in parameters}
        groups = []
        for group in origin_params:
            if "order_params" in group:
                continue
            kept = [parameter for parameter in group["params"] if id(parameter) in wanted]
            if kept:
                groups.append({**group, "params": kept})
        groups.append({"order_params": parameters})
        return groups


def _parameter_list(owner, parameters):
    parameters = list(parameters)
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"{owner}: parameters has {a_value(parameter)}; need Parameters")
    return parameters
