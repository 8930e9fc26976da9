"""The Tensors inside nested tuples, lists, dicts and sparse tensors: listing them, and rebuilding the structure.

In a captured program a value may be one of several, decided when the graph runs: then all of them count.
"""

import copy

from dyad import _core
from dyad._core import Tensor, detach, is_recorded, is_symbolic, note_unrecorded_gradient
from dyad._src.base.tagged_union import ContentsChoice, OneOf
from dyad._src.operators import ones_like
from dyad._src.tensor.parameter import Parameter
from dyad._src.tensor.sparse_base import SparseTensorBase


def tensors_in(value):
    """All Tensors of a structure, in order; whatever is neither a Tensor nor a container is passed over."""
    if isinstance(value, Tensor):
        return [value]
    found: list = []
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
    elif isinstance(value, OneOf):
        _collect(tuple(value.alternatives.values()), found)
    elif isinstance(value, ContentsChoice):
        _collect(value.choice, found)
    elif isinstance(value, SparseTensorBase):
        found.append(value.values)


def ones_in(value, chosen=None):
    """The gradient of the sum of all Tensors of a structure, one entry for each, None for ones.

    A Tensor inside one of several values counts if that is `chosen`.
    """
    if isinstance(value, Tensor):
        return [None if chosen is None else ones_like(value) * _core.number_op("int", chosen)]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [ones for part in value for ones in ones_in(part, chosen)]
    if isinstance(value, ContentsChoice):
        return ones_in(value.choice, chosen)
    if isinstance(value, SparseTensorBase):
        return ones_in(value.values, chosen)
    if not isinstance(value, OneOf):
        return []
    return [
        ones
        for tag, part in value.alternatives.items()
        for ones in ones_in(part, _both(chosen, _core.number_op("eq", value.tag, tag)))
    ]


def _both(outer, inner):
    return inner if outer is None else _core.number_op("and", outer, inner)


def as_tuple(value):
    """One of several tuples of equal length as a tuple whose entries are each one of several."""
    if not isinstance(value, OneOf):
        return value
    parts = list(value.alternatives.values())
    if not all(isinstance(part, tuple) and len(part) == len(parts[0]) for part in parts):
        return value
    return tuple(
        OneOf(value.tag, {tag: part[number] for tag, part in value.alternatives.items()})
        for number in range(len(parts[0]))
    )


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
    if isinstance(value, OneOf):
        return OneOf(value.tag, map_tensors(function, value.alternatives))
    if isinstance(value, ContentsChoice):
        return ContentsChoice(map_tensors(function, value.choice))
    if isinstance(value, SparseTensorBase):
        return value._with(function(value.values))
    return value


def map_leaves(function, value):
    """The structure in plain tuples, lists and dicts, with `function(leaf)` in place of all non-containers."""
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind(map_leaves(function, part) for part in value)
    if isinstance(value, dict):
        return {key: map_leaves(function, part) for key, part in value.items()}
    return function(value)


def with_tensors(value, tensors):
    """The same structure with its Tensors replaced by these, in order."""
    remaining = iter(tensors)
    return map_tensors(lambda _: next(remaining), value)


def detached(value):
    """The structure without history. Parameters, and Tensors that have none, stay the same objects."""
    if isinstance(value, Tensor):
        # The results of a graph are differentiated with the graph.
        keeps = isinstance(value, Parameter) or is_symbolic(value) or not is_recorded(value)
        if not keeps:
            note_unrecorded_gradient()  # in the graph of a trace the history is still there
        return value if keeps else detach(value)
    if isinstance(value, (tuple, list, dict, OneOf, SparseTensorBase)):
        return map_tensors(detached, value)
    return value


def unwrapped(aux):
    """The additional outputs: a single value itself, several as a tuple."""
    return aux[0] if len(aux) == 1 else aux
