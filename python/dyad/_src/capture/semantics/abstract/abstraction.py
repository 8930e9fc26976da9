"""From a value to its abstract value, and the choice between several abstract values.

The two stand together: flattening by a choice asks which of its alternatives a value belongs to.
"""

from typing import Any

from dyad import _core
from dyad._core import GraphNumber, Tensor
from dyad._src.capture.semantics.abstract.containers import (
    AbstractContents,
    AbstractDeferred,
    AbstractDict,
    AbstractSequence,
    attributes_of,
)
from dyad._src.capture.semantics.abstract.errors import CannotJoin
from dyad._src.capture.semantics.abstract.values import (
    AbstractNumber,
    AbstractTensor,
    AbstractValue,
    Constant,
    SameTensor,
)
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.values import (
    ContentsChoice,
    Deferred,
    OneOf,
    depends_on_run,
    is_symbolic_tensor,
    is_unread,
    origin_of,
)


class AbstractChoice(AbstractValue):
    """One of several abstract values; its first leaf is the number of the alternative.

    `fixed` is that of the place where the paths met: by it the abstract values of alternatives were made.
    """

    __slots__ = ("alternatives", "fixed")

    def __init__(self, alternatives, fixed):
        self.alternatives = alternatives
        self.fixed = fixed

    def includes(self, other):
        return all(any(mine.includes(aval) for mine in self.alternatives) for aval in alternatives_of(other))

    def _equals_within(self, other):
        return len(self.alternatives) == len(other.alternatives) and all(
            a.equals(b) for a, b in zip(self.alternatives, other.alternatives, strict=True)
        )

    def number_of(self, aval):
        """The number of the alternative that takes values of an abstract value; raises CannotJoin."""
        for number, alternative in enumerate(self.alternatives):
            if alternative.includes(aval):
                return number
        if isinstance(aval, SameTensor):
            return self.number_of(AbstractTensor(aval.value.dtype, aval.value.shape))
        raise CannotJoin(aval.describe())

    def _numbers_of(self, value):
        """The number of an alternative by the tag of each of several values, and the values by that number.

        Alternatives may be alike: each value gets one of its own.
        """
        chosen: dict = {}
        given = {}
        for tag, alternative in value.alternatives.items():
            aval = abstraction_of(alternative, self.fixed)
            number = self.number_of(aval)
            while chosen.get(number, alternative) is not alternative:
                number = self._next_number(aval, number)
            given[tag] = number
            chosen[number] = alternative
        return given, chosen

    def _next_number(self, aval, taken):
        for number in range(taken + 1, len(self.alternatives)):
            if self.alternatives[number].includes(aval):
                return number
        raise CannotJoin("two of several values have one place")

    def flatten(self, value, out):
        if isinstance(value, OneOf):
            given, chosen = self._numbers_of(value)
            out.append(_renumbered(value.tag, given))
        else:
            number = self.number_of(abstraction_of(value, self.fixed))
            out.append(number)
            chosen = {number: value}
        for number, aval in enumerate(self.alternatives):
            if number in chosen:
                aval.flatten(chosen[number], out)
            else:
                aval.flatten_zeros(out)

    def flatten_zeros(self, out):
        out.append(0)
        for aval in self.alternatives:
            aval.flatten_zeros(out)

    def flatten_specs(self, out):
        out.append(0)
        for aval in self.alternatives:
            aval.flatten_specs(out)

    def unflatten(self, leaves):
        tag = next(leaves)
        return OneOf(tag, enumerate([aval.unflatten(leaves) for aval in self.alternatives]))

    def describe(self):
        shown = [aval.describe() for aval in self.alternatives[:3]]
        hidden = len(self.alternatives) - len(shown)
        return " or ".join(shown) + (f" or one of {hidden} others" if hidden else "")


def alternatives_of(aval):
    """The abstract values that a choice is between; the abstract value itself if it is none."""
    return aval.alternatives if isinstance(aval, AbstractChoice) else [aval]


def _renumbered(tag, numbers):
    """The tag with every value replaced by the number given for it."""
    if all(tag_value == number for tag_value, number in numbers.items()):
        return tag
    renumbered = 0
    for tag_value, number in numbers.items():
        if number:
            renumbered = renumbered + _core.number_op("int", tag == tag_value) * number
    return renumbered


class SharedTensors(dict):
    """A memo of `abstraction_of` for what one path gives: a tensor that two places hold comes out as one."""


def _nothing_fixed(container):
    return False


def abstraction_of(value, fixed=_nothing_fixed, memo=None):
    """The abstract value of one value; containers that are `fixed` are constants.

    A container that several places hold has one abstract value: `memo` keeps those of containers from one call to the
    next.
    """
    memo = {} if memo is None else memo
    if is_unread(value):
        return Constant(value)
    if isinstance(value, Tensor):
        return _abstract_tensor(value, fixed, memo)
    if isinstance(value, GraphNumber):
        return AbstractNumber(value.kind)
    if isinstance(value, OneOf):
        fixed = telling_apart(fixed, value)
        return AbstractChoice(_abstractions(value.alternatives.values(), fixed, memo), fixed)
    if isinstance(value, ContentsChoice):
        return AbstractContents(abstraction_of(value.choice, fixed, memo))
    if isinstance(value, Deferred):
        return AbstractDeferred(value.what, value.function, _abstractions(value.arguments, fixed, memo))
    if isinstance(value, tuple):
        return AbstractSequence(type(value), _abstractions(value, fixed, memo))
    if id(value) not in memo:
        memo[id(value)] = (value, _abstract_container(value, fixed, memo))
    return memo[id(value)][1]


def _abstractions(values, fixed, memo):
    return [abstraction_of(value, fixed, memo) for value in values]


def _abstract_tensor(tensor, fixed, memo):
    same = identity_of(tensor, fixed)
    if same is not None:
        return SameTensor(same)
    if not is_symbolic_tensor(tensor):
        return Constant(tensor)
    shares = isinstance(memo, SharedTensors)
    if shares and id(tensor) in memo:
        memo[id(tensor)][1].shared = True
        return memo[id(tensor)][1]
    shape = tuple(None if isinstance(size, GraphNumber) else size for size in tensor.shape)
    aval = AbstractTensor(tensor.dtype, shape, tensor, origin_of(tensor).candidates)
    if shares:
        memo[id(tensor)] = (tensor, aval)
    return aval


def _abstract_container(value, fixed, memo):
    if fixed(value):
        return Constant(value)
    if type(value) is list:
        return AbstractSequence(list, _abstractions(value, fixed, memo))
    if type(value) is dict:
        return AbstractDict(tuple(value), _abstractions(value.values(), fixed, memo))
    members: Any = None if isinstance(value, ClosureFunction) else attributes_of(value)
    # Each turn and each attempt makes an exception of its own: what it holds tells which it is.
    if isinstance(value, BaseException) or (type(members) is dict and depends_on_run(members)):
        return AbstractDict(tuple(members), _abstractions(members.values(), fixed, memo), owner=type(value))
    return Constant(value)


def telling_apart(fixed, *values):
    """`fixed` that tells tensors apart if one of the values is a choice between tensors."""
    several = any(
        isinstance(value, OneOf)
        and sum(isinstance(alternative, Tensor) for alternative in value.alternatives.values()) > 1
        for value in values
    )
    return fixed.telling_apart() if several and hasattr(fixed, "telling_apart") else fixed


def identity_of(tensor, fixed):
    """The tensor as it is known where paths meet, if they tell it apart from others; else None."""
    known = getattr(fixed, "itself", None)
    return None if known is None else known(tensor)
