"""Putting what was read into a network."""

import warnings

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import require_bool
from dyad._src.base.host_only import host_only
from dyad._src.tensor.parameter import Parameter


@host_only
def load_param_into_net(net, parameter_dict, strict_load: bool = False, remove_redundancy: bool = False):
    """Copy Parameters by name into a network; returns the names it did not find and those it did not use.

    Shapes must agree. Another dtype of the same kind is converted with a warning unless `strict_load`. Where names are
    missing, and not `strict_load`, a prefix is left off: one that all names of the checkpoint share, or one under which
    it has all that is missing. Either everything that fits is copied or, after an error, nothing.

    `remove_redundancy` is about files of which each process of a run has a part; here they are whole.
    """
    _require_loadable(net, parameter_dict)
    require_bool("load_param_into_net", "strict_load", strict_load)
    require_bool("load_param_into_net", "remove_redundancy", remove_redundancy)
    wanted = dict(net.parameters_dict())
    given = {name: value for name, value in parameter_dict.items() if not isinstance(value, str)}
    sources = {name: name for name in wanted if name in given}
    if not strict_load and len(sources) < len(wanted):
        sources |= _under_a_prefix([name for name in wanted if name not in sources], given)
    for name, source in sources.items():
        _require_fit(name, wanted[name], given[source], strict_load)
    for name, source in sources.items():
        wanted[name].set_data(given[source])
    missing = [name for name in wanted if name not in sources]
    return missing, [name for name in parameter_dict if sources.get(name) != name]


def _update_param(param, new_param, strict_load):
    """Copy one Parameter into another, by the rules of `load_param_into_net`."""
    _require_fit(param.name, param, new_param, strict_load)
    param.set_data(new_param)


def _load_dismatch_prefix_params(net, parameter_dict, param_not_load, strict_load):
    """Copy what was not found by its own name from under a prefix; the names that are found leave `param_not_load`."""
    wanted = {parameter.name: parameter for parameter in net.get_parameters()}
    for name, source in _under_a_prefix(list(param_not_load), parameter_dict).items():
        _update_param(wanted[name], parameter_dict[source], strict_load)
        param_not_load.remove(name)


def _require_loadable(net, parameter_dict):
    if not isinstance(net, AbstractCell):
        raise TypeError(f"load_param_into_net: net is of type {type(net).__name__}; need a Cell")
    if not isinstance(parameter_dict, dict):
        raise TypeError(
            f"load_param_into_net: parameter_dict is of type {type(parameter_dict).__name__}; need a dict"
        )
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
            raise TypeError(
                f"load_param_into_net: the entry {name!r} is of type {type(value).__name__}; need Parameters"
            )


def _under_a_prefix(missing, given):
    """{missing name: name in the checkpoint}, all by one prefix that ends in a dot; perhaps empty."""
    shared: dict = max(
        (_found(prefix, missing, given) for prefix in _shared_prefixes(given)), key=len, default={}
    )
    if shared:
        return shared
    first = missing[0]
    for prefix in sorted((name.removesuffix(first) for name in given if name.endswith("." + first)), key=len):
        found = _found(prefix, missing, given)
        if len(found) == len(missing):
            return found
    return {}


def _found(prefix, names, given):
    return {name: prefix + name for name in names if prefix + name in given}


def _shared_prefixes(names):
    """All that every name starts with, each up to a dot, the shortest first."""
    first, last = min(names, default=""), max(names, default="")
    starts = (first[: dot + 1] for dot, character in enumerate(first) if character == ".")
    return [start for start in starts if last.startswith(start)]


def _require_fit(name, target, source, strict):
    if target.shape != source.shape:
        raise RuntimeError(
            f"load_param_into_net: {name} has shape {target.shape} in the network and {source.shape} in the "
            "checkpoint; need equal shapes"
        )
    if target.dtype == source.dtype:
        return
    if strict or _kind(target.dtype) is None or _kind(target.dtype) != _kind(source.dtype):
        raise RuntimeError(
            f"load_param_into_net: {name} is {target.dtype} in the network and {source.dtype} in the checkpoint; "
            "need equal dtypes" + ("" if strict else ", or two float or two signed int dtypes")
        )
    warnings.warn(
        f"load_param_into_net: {name} is converted from {source.dtype} to {target.dtype}", stacklevel=3
    )


def _kind(dtype):
    if dtype.is_floating_point:
        return "float"
    return "int" if dtype.name.startswith("int") else None
