"""Creates the network and the optimizer for the training methods of a boost level or dict."""

from pathlib import Path

import numpy

from dyad._src.base.argument_checks import a_value, require_bool, require_int
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.tensor.parameter import Parameter
from dyad.compat.mindspore.boost.base import (
    OptimizerProcess,
    ParameterProcess,
    given_parameters,
    require_optimizer,
    with_parameters,
)
from dyad.compat.mindspore.boost.boost_cell_wrapper import (
    BoostTrainOneStepCell,
    BoostTrainOneStepWithLossScaleCell,
)
from dyad.compat.mindspore.boost.grad_freeze import GradientFreeze
from dyad.compat.mindspore.boost.less_batch_normalization import LessBN
from dyad.nn import Cell

__all__ = ["AutoBoost"]

_FEATURES = ("less_bn", "grad_freeze", "adasum", "grad_accumulation", "dim_reduce", "loss_scale_group")
_MODES = ("auto", "manual", "enable_all", "disable_all")
_OF_LEVEL = {"O0": (), "O1": ("less_bn", "grad_freeze"), "O2": ("less_bn", "grad_freeze", "adasum")}
_DEFAULTS: dict[str, dict] = {
    "common": {"gradient_split_groups": [50, 100], "device_number": 8},
    "less_bn": {"fn_flag": True, "gc_flag": True},
    "grad_freeze": {"param_groups": 10, "freeze_type": 1, "freeze_p": 0.7, "total_steps": 65536},
    "grad_accumulation": {"grad_accumulation_step": 1},
    "dim_reduce": {
        "rho": 0.55,
        "gamma": 0.9,
        "alpha": 0.001,
        "sigma": 0.4,
        "n_components": 32,
        "pca_mat_path": None,
        "weight_load_dir": None,
        "timeout": 1800,
    },
}


class AutoBoost:
    """Creates a network and an optimizer for training with the methods of a level or a dict.

    Args:
        level (str, optional): "O0" changes nothing, "O1" turns on `less_bn` and `grad_freeze`, "O2" `adasum` as well.
        boost_config_dict (dict, optional): `boost` has the `mode`: "auto" goes by the level, "manual" by the flags
            beside it (`less_bn`, `grad_freeze`, `adasum`, `grad_accumulation`, `dim_reduce`, `loss_scale_group`),
            "enable_all" and "disable_all" by none of them. `common`, `less_bn`, `grad_freeze`,
            `grad_accumulation` and `dim_reduce` are dicts of settings. `dim_reduce` goes before all others, and
            `grad_freeze` before `adasum`.

    Example:
        >>> from dyad.boost import AutoBoost
        >>> boost = AutoBoost("O1", {"boost": {"mode": "manual", "less_bn": True}})
        >>> print([name for name, on in boost.boost_config.items() if on])
        ['less_bn']
    """

    # The Cells of a step of training with what it makes, without and with a loss scale.
    step_cell, scaled_step_cell = BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell

    def __init__(self, level="O0", boost_config_dict=""):
        owner = "AutoBoost"
        if level not in _OF_LEVEL:
            raise ValueError(f"{owner}: level is {level!r}; need one of {', '.join(_OF_LEVEL)}")
        given = boost_config_dict if boost_config_dict else {}
        if not isinstance(given, dict):
            raise TypeError(f"{owner}: boost_config_dict is {a_value(boost_config_dict)}; need a dict")
        self.level, self.boost_config_dict = level, given
        self.boost_config = _features(owner, level, given.get("boost", {}))
        settings = {name: {**defaults, **given.get(name, {})} for name, defaults in _DEFAULTS.items()}
        self._fn_flag, self._gc_flag = (
            require_bool(owner, name, settings["less_bn"][name]) for name in ("fn_flag", "gc_flag")
        )
        self._freeze = settings["grad_freeze"]
        self.gradient_groups = settings["common"]["gradient_split_groups"]
        self.device_number = settings["common"]["device_number"]
        self.grad_accumulation_step = require_int(
            owner, "grad_accumulation_step", settings["grad_accumulation"]["grad_accumulation_step"], low=1
        )
        self.dim_reduce = settings["dim_reduce"]

    def network_auto_process_train(self, network, optimizer):
        """(network, optimizer) to train with; `optimizer.boost` is this object."""
        if not isinstance(network, Cell):
            raise TypeError(f"network_auto_process_train: network is {a_value(network)}; need a Cell")
        require_optimizer("network_auto_process_train", optimizer)
        on = self.boost_config
        if on["dim_reduce"]:
            return network, self._marked(optimizer)
        if on["less_bn"]:
            network = LessBN(network, self._fn_flag)
            optimizer = _following(optimizer, network)
            if self._gc_flag:
                process = OptimizerProcess(optimizer)
                process.add_grad_centralization(network)
                optimizer = process.generate_new_optimizer()
        if on["grad_freeze"]:
            freeze = GradientFreeze(**self._freeze)
            network, optimizer = freeze.freeze_generate(network, optimizer)
        elif on["adasum"]:
            ParameterProcess().assign_parameter_group(list(optimizer.parameters), self.gradient_groups)
        return network, self._marked(optimizer)

    def network_auto_process_eval(self, network):
        """The network as `network_auto_process_train` leaves it, for networks that are not trained here."""
        if not isinstance(network, Cell):
            raise TypeError(f"network_auto_process_eval: network is {a_value(network)}; need a Cell")
        if self.boost_config["dim_reduce"] or not self.boost_config["less_bn"]:
            return network
        return LessBN(network, self._fn_flag)

    def _marked(self, optimizer):
        optimizer.__dict__["boost"] = self
        return optimizer

    def directions(self, weights):
        """The matrix of `DimReduce`: the directions in which the weights of saved files differ most.

        It is read from `pca_mat_path`, a file of `numpy.save`, or made of the checkpoints in `weight_load_dir`.
        """
        owner, settings = "AutoBoost", self.dim_reduce
        count = require_int(owner, "n_components", settings["n_components"], low=1)
        if settings["pca_mat_path"] is not None:
            return numpy.load(settings["pca_mat_path"])[:count]
        folder = settings["weight_load_dir"]
        files = sorted(Path(folder).glob("*.ckpt")) if folder is not None else []
        if len(files) < 2:
            raise ValueError(
                f"{owner}: weight_load_dir is {folder!r} with {len(files)} files and pca_mat_path None; need a file of "
                "directions, or a folder with at least 2 checkpoints"
            )
        rows = []
        for file in files:
            held = load_checkpoint(str(file))
            missing = [parameter.name for parameter in weights if parameter.name not in held]
            if missing:
                raise ValueError(f"{owner}: {file.name} has no {missing[0]!r}; need all trained weights")
            rows.append(numpy.concatenate([held[p.name].asnumpy().reshape(-1) for p in weights]))
        moved = numpy.stack(rows).astype(numpy.float64)
        _, _, directions = numpy.linalg.svd(moved - moved.mean(0), full_matrices=False)
        return directions[:count].astype(numpy.float32)


def _features(owner, level, asked):
    """{feature: whether it is on}."""
    if not isinstance(asked, dict):
        raise TypeError(f"{owner}: boost is {a_value(asked)}; need a dict")
    mode = asked.get("mode", "auto")
    if mode not in _MODES:
        raise ValueError(f"{owner}: mode is {mode!r}; need one of {', '.join(_MODES)}")
    for name in asked:
        if name != "mode" and name not in _FEATURES:
            raise ValueError(f"{owner}: boost has {name!r}; need mode or one of {', '.join(_FEATURES)}")
    if mode == "manual":
        return {name: require_bool(owner, name, asked.get(name, False)) for name in _FEATURES}
    if mode == "auto":
        return {name: name in _OF_LEVEL[level] for name in _FEATURES}
    return dict.fromkeys(_FEATURES, mode == "enable_all")


def _following(optimizer, network):
    """Creates an equal optimizer for the network's current Parameters, some of which may have been replaced."""
    given = given_parameters(optimizer)
    there = network.trainable_params()
    held = {id(parameter) for parameter in there}
    known = {id(parameter) for parameter in optimizer.parameters}
    new = [parameter for parameter in there if id(parameter) not in known]
    if held <= known and known <= held:
        return optimizer
    if isinstance(given[0], Parameter):
        return with_parameters(optimizer, [p for p in given if id(p) in held] + new)
    groups = []
    for group in given:
        key = "params" if "params" in group else "order_params"
        kept = [parameter for parameter in group[key] if id(parameter) in held]
        if key == "order_params":
            kept = kept + new
        if kept:
            groups.append({**group, key: kept})
    if new:
        groups.insert(len(groups) - ("order_params" in groups[-1]), {"params": new})
    return with_parameters(optimizer, groups)
