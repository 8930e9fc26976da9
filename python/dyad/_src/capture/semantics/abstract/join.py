"""The join of the values that two paths give: the abstract value that takes both."""

from dyad._core import Tensor
from dyad._src.capture.semantics.abstract.abstraction import (
    AbstractChoice,
    abstraction_of,
    alternatives_of,
    identity_of,
    telling_apart,
)
from dyad._src.capture.semantics.abstract.containers import (
    AbstractContents,
    AbstractDict,
    AbstractPatch,
    AbstractSequence,
)
from dyad._src.capture.semantics.abstract.errors import CannotJoin, require_few
from dyad._src.capture.semantics.abstract.values import AbstractNumber, AbstractTensor, Constant
from dyad._src.capture.semantics.abstract.widening import add_alternative, common_aval
from dyad._src.capture.semantics.values import (
    CONTENTS_CHOICE_KEY,
    UNBOUND,
    Leaving,
    OneOf,
    Raised,
    Returned,
    contents_choice_of,
    kind_of_number,
    origin_of,
    same_constant,
)


class Joiner:
    """Joins what two paths give.

    `fixed(container)` says that a container was there before the paths parted: it is the same object afterwards, and
    no other may take its place. `strict` allows only what STRICT does; `note_origin` is told of every tensor joined.
    """

    def __init__(self, fixed, strict=False, note_origin=None):
        self._fixed = fixed
        self._strict = strict
        self._note_origin = note_origin
        self._joined = {}
        self._tensors = {}  # (id of a tensor, id of another) -> their abstract value
        self._memo = {}  # abstract values of containers, as `abstraction_of` keeps them
        self.came_late = False  # whether two containers were joined after a choice that has one of them
        self._common = {}  # (id of an abstract value, id of another) -> (both, their common abstract value)

    def join(self, a, b):
        """The abstract value that takes both values; raises CannotJoin."""
        if not isinstance(a, (list, dict)):
            return self._join(a, b)
        key = (id(a), id(b))
        if key not in self._joined:
            aval = self._joined[key] = self._join(a, b)
            if isinstance(aval, (AbstractSequence, AbstractDict)):
                for container in (a, b):
                    self.came_late = self.came_late or id(container) in self._memo
                    self._memo[id(container)] = (container, aval)
        return self._joined[key]

    def _join(self, a, b):
        if a is b or same_constant(a, b):
            return Constant(a) if not isinstance(a, OneOf) else abstraction_of(a, self._fixed, self._memo)
        kind = kind_of_number(a)
        if kind is not None and kind is kind_of_number(b):
            return AbstractNumber(kind)
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return self._join_tensors(a, b)
        is_container = isinstance(a, (list, tuple)) or type(a) is dict
        if type(a) is type(b) and is_container and not self._stay_apart(a, b):
            joined = self._join_members(a, b)
            if joined is not None:
                return joined
        return self._choice(a, b)

    def join_contents(self, a, b):
        """The abstract value of what one container holds on two paths; it takes the `contents_value` of either."""
        if contents_choice_of(a) is None and contents_choice_of(b) is None:
            joined = self._join_changed(a, b)
            if joined is not None:
                return joined
        contents = AbstractContents(self._choice(contents_value(a), contents_value(b)))
        if isinstance(a, dict):
            return AbstractDict((CONTENTS_CHOICE_KEY,), [contents])
        return AbstractSequence(list, [contents])

    def _join_members(self, a, b):
        """Two dicts or sequences of one type by member; None if keys or lengths differ."""
        if isinstance(a, dict):
            if tuple(a) != tuple(b):
                return None
            return AbstractDict(tuple(a), [self._join_entry(key, a[key], b[key]) for key in a])
        if len(a) != len(b):
            return None
        return AbstractSequence(type(a), [self.join(x, y) for x, y in zip(a, b, strict=True)])

    def _join_changed(self, a, b):
        """Contents of one container by the members that differ; None if keys or lengths differ."""
        if isinstance(a, dict):
            if tuple(a) != tuple(b):
                return None
            places = [key for key, held in a.items() if held is not b[key] or isinstance(held, OneOf)]
            return AbstractPatch(a, places, [self._join_entry(key, a[key], b[key]) for key in places])
        if len(a) != len(b):
            return None
        pairs = enumerate(zip(a, b, strict=True))
        places = [place for place, (x, y) in pairs if x is not y or isinstance(x, OneOf)]
        return AbstractPatch(a, places, [self.join(a[place], b[place]) for place in places])

    def _join_entry(self, key, a, b):
        try:
            return self.join(a, b)
        except CannotJoin as reason:
            reason.entry = reason.entry or (key, a, b)
            raise

    def _stay_apart(self, a, b):
        """Containers that were there before stay themselves, undecided ones are not joined by their places."""
        return (
            self._fixed(a)
            or self._fixed(b)
            or contents_choice_of(a) is not None
            or contents_choice_of(b) is not None
        )

    def _join_tensors(self, a, b):
        if self._note_origin is not None:
            self._note_origin(a)
            self._note_origin(b)
        if (id(a), id(b)) in self._tensors:
            aval = self._tensors[id(a), id(b)]
            aval.shared = True
            return aval
        told_apart = identity_of(a, self._fixed) is not None or identity_of(b, self._fixed) is not None
        if a.dtype is b.dtype and a.ndim == b.ndim and not told_apart:
            shape = tuple(
                x if isinstance(x, int) and isinstance(y, int) and x == y else None
                for x, y in zip(a.shape, b.shape, strict=True)
            )
            aval = AbstractTensor(a.dtype, shape, None, origin_of(a).candidates | origin_of(b).candidates)
            self._tensors[id(a), id(b)] = aval
            return aval
        return self._choice(a, b)

    def _choice(self, a, b):
        alternatives: list = []
        fixed = telling_apart(self._fixed, a, b)
        for value in (a, b):
            self._note_origins_in(value)
            for aval in alternatives_of(abstraction_of(value, fixed, self._memo)):
                add_alternative(alternatives, aval, self._common_aval)
        if self._strict and not may_be_apart(alternatives) and not self._are_of_one_type(a, b):
            raise CannotJoin(_why_apart(a, b))
        require_few(alternatives)
        return alternatives[0] if len(alternatives) == 1 else AbstractChoice(alternatives, fixed)

    def _are_of_one_type(self, a, b):
        """Returns whether two containers, one of which was there before, differ only in which of them it is."""
        first, *others = _possible(a) + _possible(b)
        if type(first) not in (list, dict) or any(type(other) is not type(first) for other in others):
            return False
        try:
            return all(self._join_members(first, other) is not None for other in others)
        except CannotJoin:
            return False

    def _note_origins_in(self, value):
        if self._note_origin is None:
            return
        if isinstance(value, Tensor):
            self._note_origin(value)
        elif isinstance(value, (tuple, list, dict, OneOf)):
            held = value.alternatives if isinstance(value, OneOf) else value
            for member in held.values() if isinstance(held, dict) else held:
                self._note_origins_in(member)

    def _common_aval(self, a, b):
        """The common abstract value of two; where two names hold the same two containers, the same."""
        key = (id(a), id(b))
        if key not in self._common:
            self._common[key] = ((a, b), common_aval(a, b))
        return self._common[key][1]


def _possible(value):
    return tuple(value.alternatives.values()) if isinstance(value, OneOf) else (value,)


def contents_value(contents):
    """The contents of a container as a value: what is in it, or the choice between several."""
    undecided = contents_choice_of(contents)
    if undecided is not None:
        return undecided.choice
    return dict(contents) if isinstance(contents, dict) else tuple(contents)


def may_be_apart(alternatives):
    """Returns whether STRICT allows a choice: only between exits of a block and names without a value."""
    held = [aval for aval in alternatives if not (isinstance(aval, Constant) and aval.value is UNBOUND)]
    values = [aval for aval in held if not _is_way_out(aval)]
    if len(values) == len(held):
        return len(values) <= 1 or _are_tensors_of_one_dtype(values) or _are_functions(values)
    returns = sum(isinstance(aval, AbstractSequence) and aval.type is Returned for aval in held)
    return returns <= 1 and all(isinstance(aval, Constant) and aval.value is None for aval in values)


def _are_tensors_of_one_dtype(avals):
    dtypes = [
        aval.dtype
        if isinstance(aval, AbstractTensor)
        else getattr(getattr(aval, "value", None), "dtype", None)
        for aval in avals
    ]
    return None not in dtypes and len(set(map(str, dtypes))) == 1


def _are_functions(avals):
    return all(isinstance(aval, Constant) and callable(aval.value) for aval in avals)


def _is_way_out(aval):
    """Returns whether an abstract value is that of `return`, `break` or `continue`."""
    if isinstance(aval, AbstractSequence):
        return aval.type in (Returned, Raised)
    return isinstance(aval, Constant) and isinstance(aval.value, Leaving)


def _why_apart(a, b):
    """Returns the reason that two values cannot be one variable of a graph."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return "their dtypes differ" if a.dtype is not b.dtype else "their numbers of dimensions differ"
    if type(a) is not type(b):
        return "they differ in type"
    if isinstance(a, (list, tuple)) and len(a) != len(b):
        return "they differ in length"
    if isinstance(a, dict):
        return "they differ in their keys"
    return f"which {type(a).__name__} it is cannot be held by a graph"
