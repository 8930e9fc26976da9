"""The abstract value that includes two others."""

from dyad._core import Tensor
from dyad._src.capture.semantics.abstract.abstraction import AbstractChoice, alternatives_of
from dyad._src.capture.semantics.abstract.containers import AbstractContainer, AbstractSequence
from dyad._src.capture.semantics.abstract.errors import require_few
from dyad._src.capture.semantics.abstract.values import AbstractNumber, AbstractTensor, Constant
from dyad._src.capture.semantics.values import kind_of_number


def common_aval(a, b):
    """The abstract value that takes the values of both; None if they are of different kinds."""
    if a.includes(b) or b.includes(a):
        return _wider(a, b)
    if isinstance(a, AbstractChoice) and isinstance(b, AbstractChoice):
        return _wider_choice(a, b)
    kind = _number_kind(a)
    if kind is not None and kind is _number_kind(b):
        return AbstractNumber(kind)
    if isinstance(a, Constant) and isinstance(b, Constant) and isinstance(a.value, Tensor):
        # Two constant tensors are one variable.
        tensor = AbstractTensor.of(a.value)
        return _wider(tensor, b) if tensor.includes(b) else None
    same = isinstance(a, AbstractSequence) and isinstance(b, AbstractSequence) and a.type is b.type
    if not same or len(a.items) != len(b.items):
        return None
    items = [common_aval(x, y) for x, y in zip(a.items, b.items, strict=True)]
    return None if None in items else a.with_items(items)


def add_alternative(alternatives, aval, common=common_aval):
    """Widens the first alternative that has something in common with the abstract value, or adds one, in place."""
    for number, alternative in enumerate(alternatives):
        wider = common(alternative, aval)
        if wider is not None:
            alternatives[number] = wider
            return
    alternatives.append(aval)


def _number_kind(aval):
    if isinstance(aval, AbstractNumber):
        return aval.kind
    return kind_of_number(aval.value) if isinstance(aval, Constant) else None


def _wider(a, b):
    """The abstract value that takes the values of two of which one includes the other."""
    if isinstance(a, AbstractChoice) or isinstance(b, AbstractChoice):
        return _wider_choice(a, b)
    if isinstance(a, Constant) and not isinstance(b, Constant):
        return _wider(b, a)
    if isinstance(a, AbstractTensor):
        return a.widened(AbstractTensor.of(b.value) if isinstance(b, Constant) else b)
    if isinstance(a, AbstractContainer):
        return a.with_items([_wider(x, y) for x, y in zip(a.items, b.items, strict=True)])
    return a


def _wider_choice(a, b):
    alternatives = list(alternatives_of(a))
    for aval in alternatives_of(b):
        add_alternative(alternatives, aval)
    require_few(alternatives)
    fixed = [aval.fixed for aval in (a, b) if isinstance(aval, AbstractChoice)]
    return AbstractChoice(
        alternatives, next((known for known in fixed if getattr(known, "tells", False)), fixed[0])
    )


def forget_origins(aval):
    """Lets the tensors of an abstract value be tensors of their own. Returns the abstract value."""
    if isinstance(aval, AbstractTensor):
        aval.origins = frozenset()
    for inner in getattr(aval, "items", ()) or getattr(aval, "alternatives", ()):
        forget_origins(inner)
    return aval
