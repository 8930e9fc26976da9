"""The `params` argument of optimizers: Parameters, or groups of them with settings of their own."""

from collections.abc import Iterable
from dataclasses import dataclass

from dyad._src.tensor.parameter import Parameter

_KEYS = ("params", "lr", "weight_decay", "grad_centralization", "order_params")


@dataclass
class Member:
    """One Parameter of an optimizer; settings that its group does not have are None."""

    parameter: Parameter
    group: int = 0
    lr: object = None
    weight_decay: object = None
    centralize: bool = False


def read_params(owner, params):
    """(Parameters in order with their group's settings, whether there are groups, whether the groups set the order)."""
    entries = parameter_list(owner, "params", params)
    if all(isinstance(entry, Parameter) for entry in entries):
        members = [Member(parameter) for parameter in entries]
    elif all(isinstance(entry, dict) for entry in entries):
        members = _read_groups(owner, entries)
    else:
        kind = dict if isinstance(entries[0], dict) else Parameter
        wrong = next(entry for entry in entries if not isinstance(entry, kind))
        raise TypeError(
            f"{owner}: an element of params is of type {type(wrong).__name__}; need only Parameters or only dicts"
        )
    _require_distinct(owner, members)
    has_groups = isinstance(entries[0], dict)
    return members, has_groups, has_groups and any("order_params" in group for group in entries)


def parameter_list(owner, name, params) -> list:
    """`params` as a list that is not empty; its elements are not looked at."""
    if params is None:
        raise ValueError(f"{owner}: {name} is None; need at least one Parameter")
    if isinstance(params, Parameter) or not isinstance(params, Iterable):
        raise TypeError(f"{owner}: {name} is of type {type(params).__name__}; need a list of Parameters")
    entries = list(params)
    if not entries:
        raise ValueError(f"{owner}: {name} is []. For 'Optimizer', the argument parameters must not be empty")
    return entries


def _require_distinct(owner, members):
    seen: dict = {}
    for member in members:
        name = member.parameter.name
        if name in seen:
            what = (
                "is given twice"
                if seen[name].parameter is member.parameter
                else "is the name of two different Parameters"
            )
            error = ValueError if seen[name].group == member.group else RuntimeError
            raise error(f"{owner}: {name!r} in params {what}; need distinct Parameters")
        seen[name] = member


def _read_groups(owner, groups):
    members = []
    order = None
    for number, group in enumerate(groups):
        _require_known_keys(owner, group)
        if "order_params" in group:
            order = _read_order(owner, group)
        else:
            members += _read_group(owner, number, group)
    if not members:
        raise ValueError(f"{owner}: params has only order_params; need at least one group with params")
    return members if order is None else _in_order(owner, members, order)


def _require_known_keys(owner, group):
    for key in group:
        if key not in _KEYS:
            raise KeyError(f"{owner}: a group in params has the key {key!r}; need one of {', '.join(_KEYS)}")
    if "params" not in group and "order_params" not in group:
        raise KeyError(f"{owner}: a group in params has no key 'params'; every group needs one")


def _read_group(owner, number, group):
    parameters = parameter_list(owner, "params of a group", group["params"])
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise TypeError(
                f"{owner}: an element of a group's params is of type {type(parameter).__name__}; need a Parameter"
            )
    centralize = group.get("grad_centralization", False)
    if not isinstance(centralize, bool):
        raise TypeError(f"{owner}: grad_centralization of a group is {centralize!r}; need a bool")
    return [
        Member(parameter, number, group.get("lr"), group.get("weight_decay"), centralize)
        for parameter in parameters
    ]


def _read_order(owner, group):
    if len(group) > 1:
        others = ", ".join(repr(key) for key in group if key != "order_params")
        raise ValueError(f"{owner}: the group with order_params also has {others}; need no other key")
    order = group["order_params"]
    if isinstance(order, Parameter) or not isinstance(order, Iterable):
        raise TypeError(f"{owner}: order_params is of type {type(order).__name__}; need a list of Parameters")
    return list(order)


def _in_order(owner, members, order):
    by_name = {member.parameter.name: member for member in members}
    names = [getattr(parameter, "name", repr(parameter)) for parameter in order]
    if len(names) != len(members):
        raise ValueError(
            f"{owner}: order_params has {len(names)} Parameters and the groups have {len(members)}; "
            "need the same Parameters"
        )
    for name in names:
        if name not in by_name:
            raise ValueError(f"{owner}: {name!r} in order_params is in no group; need the same Parameters")
    if len(set(names)) != len(names):
        raise ValueError(f"{owner}: order_params names a Parameter twice; need each of them once")
    return [by_name[name] for name in names]
