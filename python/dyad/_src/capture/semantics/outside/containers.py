"""Lists, dicts and sets from outside: the program sees a copy that it may change."""

import collections

from dyad._core import Tensor
from dyad._src.base.break_reasons import DATA_TYPE, kind_of_type
from dyad._src.capture.errors import NEEDS_PYTHON, rejection
from dyad._src.capture.semantics.memory.heap import contents, layout, set_contents
from dyad._src.capture.semantics.outside.constants import CONSTANT_TYPES, IDENTITY_TYPES, set_key
from dyad._src.tensor.mutable import Mutable


def adopt_container(external, value, node, place, variable):
    """The copy of a container from outside that the program sees, its members adopted; see `ExternalState.adopt`."""
    external.tree.check_type(node, type(value))
    guard_open_length(external, value, node)
    if isinstance(value, dict):
        seen = _adopt_dict(external, value, node, place, variable)
    elif isinstance(value, (set, frozenset)):
        seen = _adopt_set(external, value, node)
    else:
        seen = _adopt_sequence(external, value, node, place, variable)
    if not isinstance(value, tuple) or value:
        external.remember(value, node, seen).given = place is not None
    external.heap.note_outside(seen)
    return seen


def guard_open_length(external, value, node):
    """Tells sequences that `mutable` made of any length from those of a known one."""
    if isinstance(value, Mutable):
        external.tree.check_equal(external.tree.attribute(node, "dynamic_len"), value.dynamic_len)


def _adopt_set(external, value, node):
    external.tree.check_call(node, set_key, set_key(value))
    kind = frozenset if isinstance(value, frozenset) else set
    order = list(map(id, kind.__iter__(value)))
    alike = [made for made in _copies(kind, value) if list(map(id, kind.__iter__(made))) == order]
    if not alike:
        raise rejection(
            kind_of_type(kind),
            None,
            f"{kind.__name__}: its members are in an order that comes from its past",
            NEEDS_PYTHON,
        )
    size = kind.__sizeof__(value)
    return next((made for made in alike if kind.__sizeof__(made) == size), alike[0])


def _copies(kind, value):
    """Copies of a set with tables of different sizes: the size has a say in which order the members are."""
    for members in (value, list(kind.__iter__(value))):
        made = kind.__new__(type(value), members)
        if kind is set:
            set.update(made, members)
        yield made


def _adopt_sequence(external, value, node, place, variable):
    held = tuple.__getitem__(value, slice(None)) if isinstance(value, tuple) else contents(value)
    external.tree.check_length(node, len(held))
    seen = [
        external.meet(item, external.tree.element(node, i), _inner(place, i), variable)
        for i, item in enumerate(held)
    ]
    plain = type(value) in (list, tuple) or isinstance(value, Mutable)
    if isinstance(value, tuple):
        return tuple(seen) if plain else tuple.__new__(type(value), seen)
    if type(value) is collections.deque:
        external.tree.check_equal(external.tree.attribute(node, "maxlen"), value.maxlen)
        return collections.deque(seen, value.maxlen)
    if plain:
        return seen
    copy = list.__new__(type(value))
    list.extend(copy, seen)
    return copy


def _adopt_dict(external, value, node, place, variable):
    held = contents(value)
    if external.lax and any(isinstance(key, Tensor) for key in held):
        raise rejection(
            DATA_TYPE, None, "dict: Tensors are its keys, which are found by their identity", NEEDS_PYTHON
        )
    if not all(isinstance(key, CONSTANT_TYPES + IDENTITY_TYPES + (tuple,)) for key in held):
        external.tree.check_identity(node, value)
    else:
        external.tree.check_keys(node, tuple(held))
    seen = {
        key: external.meet(item, external.tree.item(node, key), _inner(place, key), variable)
        for key, item in held.items()
    }
    if type(value) is dict or isinstance(value, Mutable):
        return seen
    copy = layout(value).__new__(type(value))
    if isinstance(value, collections.defaultdict):
        factory = external.tree.attribute(node, "default_factory")
        copy.default_factory = external.adopt(value.default_factory, factory)
    set_contents(copy, seen)
    return copy


def _inner(place, key):
    return None if place is None else (*place, key)
