"""The Tensors inside nested tuples, lists and dicts: listing them, and building the same structure anew."""

import copy

from dyad._core import Tensor, detach, is_recorded
from dyad._src.parameter import Parameter


def tensors_in(value):
    """All Tensors of a structure, in order; whatever is neither a Tensor nor a container is passed over."""
    if isinstance(value, Tensor):
        return [value]
    found = []
    _collect(value, found)
    return found


def _collect(value, found):
    if isinstance(value, Tensor):
        found.append(value)
    elif isinstance(value, (tuple, list)):
        for part in value:
            _collect(part, found)
    elif isinstance(value, dict):
        for part in value.values():
            _collect(part, found)


def map_tensors(function, value):
    """The same structure with `function(tensor)` in place of each Tensor."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        parts = [map_tensors(function, part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        # A copy keeps what a class derived from dict adds, such as an order or a default.
        rebuilt = copy.copy(value)
        for key, part in value.items():
            rebuilt[key] = map_tensors(function, part)
        return rebuilt
    return value


def with_tensors(value, tensors):
    """The same structure with these Tensors, in order, in place of its own."""
    remaining = iter(tensors)
    return map_tensors(lambda _: next(remaining), value)


def detached(value):
    """The structure without history. Parameters, and Tensors that have none, stay the same objects."""
    if isinstance(value, Tensor):
        return detach(value) if is_recorded(value) and not isinstance(value, Parameter) else value
    if isinstance(value, (tuple, list, dict)):
        return map_tensors(detached, value)
    return value
