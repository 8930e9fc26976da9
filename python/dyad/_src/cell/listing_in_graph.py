"""Listing a Cell's Parameters inside a static graph.

The same walk as in `listing`, written without generators so that it can be captured: what it reads is guarded, and a
Parameter that is added later means another graph.
"""

from collections import OrderedDict


def _walk(cell, path, expand, found, visited):
    for known in visited:
        if known is cell:
            return
    visited.append(cell)
    for name, parameter in cell._params.items():
        if not any(parameter is known for _, known in found):
            found.append((f"{path}.{name}" if path else name, parameter))
    if expand:
        for name, child in cell._cells.items():
            _walk(child, f"{path}.{name}" if path else name, expand, found, visited)


def parameters_and_names(cell, name_prefix="", expand=True):
    found: list = []
    _walk(cell, name_prefix, expand, found, [])
    return found


def get_parameters(cell, expand=True):
    return [parameter for _, parameter in parameters_and_names(cell, "", expand)]


def trainable_params(cell, recurse=True):
    return [parameter for parameter in get_parameters(cell, recurse) if parameter.requires_grad]


def untrainable_params(cell, recurse=True):
    return [parameter for parameter in get_parameters(cell, recurse) if not parameter.requires_grad]


def parameters_dict(cell, recurse=True):
    by_name = OrderedDict()
    for parameter in get_parameters(cell, recurse):
        by_name[parameter.name] = parameter
    return by_name


for _function in (
    _walk,
    parameters_and_names,
    get_parameters,
    trainable_params,
    untrainable_params,
    parameters_dict,
):
    _function.__dict__["_is_program"] = True
