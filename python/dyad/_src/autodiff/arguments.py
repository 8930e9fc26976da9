"""Selects the arguments that a call is differentiated by, and replaces them by tracked ones."""

import inspect

from dyad import _core
from dyad._core import GraphNumber, Tensor, as_input, as_tensor, is_symbolic
from dyad._src.autodiff.structures import map_leaves
from dyad._src.context.settings import settings
from dyad._src.tensor.mutable import Mutable, MutableNumber
from dyad._src.tensor.parameter import Parameter


def require_positions(owner, grad_position):
    """The positions as a tuple of ints; None for None."""
    if grad_position is None:
        return None
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if not positions:
        raise RuntimeError(f"{owner}: grad_position is an empty tuple; need at least one position, or None")
    for position in positions:
        if not isinstance(position, int):
            raise TypeError(
                f"{owner}: grad_position is {grad_position!r} of type {type(position).__name__}; "
                "need an int or a tuple of ints"
            )
        if position < 0:
            raise ValueError(f"{owner}: grad_position is {grad_position!r}; need positions from 0 on")
    if len(set(positions)) != len(positions):
        raise ValueError(f"{owner}: grad_position is {grad_position!r}; need each position once")
    return tuple(map(int, positions))


def require_weights(owner, weights):
    """The Parameters as a tuple; None for None."""
    if weights is None:
        return None
    if isinstance(weights, Parameter):
        return (weights,)
    if not isinstance(weights, (tuple, list)):
        raise TypeError(
            f"{owner}: weights is of type {type(weights).__name__}; need a Parameter or a list or tuple of them"
        )
    for number, weight in enumerate(weights):
        if not isinstance(weight, Parameter):
            raise TypeError(
                f"{owner}: weights[{number}] is of type {type(weight).__name__}; need a Parameter"
            )
    return tuple(weights)


class CallForm:
    """The order of a call's keywords among the parameters of a function. The signature is read once."""

    __slots__ = ("_keyword_only", "_positional")

    def __init__(self, fn):
        signature = _signature(fn)
        kinds = inspect.Parameter
        parameters = signature.parameters.values() if signature else ()
        self._positional = [
            p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
        ]
        self._keyword_only = [p.name for p in parameters if p.kind is kinds.KEYWORD_ONLY]

    def places(self, args, kwargs):
        """For each position an index into `args`, a key of `kwargs`, or None for a parameter left at its default."""
        named = [*self._positional[len(args) :], *self._keyword_only]
        known = [name if name in kwargs else None for name in named]
        return [*range(len(args)), *known, *(name for name in kwargs if name not in named)]


def _signature(fn):
    # A decorated method forwards to a function that has `self` as well: inspect knows how to leave it out.
    while hasattr(fn, "__wrapped__") and not inspect.ismethod(fn):
        fn = fn.__wrapped__
    try:
        return inspect.signature(getattr(fn, "construct", fn))
    except (TypeError, ValueError):
        return None  # some built-in functions have none; their keywords come in the order given


class Leaves:
    """The differentiated values of one call.

    `tensors` are the Tensors that the tape differentiates by, `entries` has the position of each, and `parameters`
    are Parameters among the arguments: they stay the same objects, so that other uses of them count as well.
    """

    __slots__ = ("entries", "parameters", "tensors")

    def __init__(self):
        self.tensors, self.entries, self.parameters = [], [], []

    def take(self, position, value):
        """The value that the function receives in place of `value`."""
        if isinstance(value, Tensor):
            self.entries.append((position, None))
            return self._leaf(value)
        if isinstance(value, MutableNumber):
            self.entries.append((position, value))
            return self._inside(value.number)
        if isinstance(value, Mutable) or _is_variable_number(value):
            self.entries.append((position, value))
            return self._inside(value)
        return value

    def _leaf(self, value):
        if isinstance(value, Parameter) and not any(value is known for known in self.parameters):
            leaf = value
            self.parameters.append(value)
        else:
            leaf = as_input(value)
        self.tensors.append(leaf)
        return leaf

    def _inside(self, value):
        if isinstance(value, Tensor):
            return self._leaf(value)
        if isinstance(value, (tuple, list)):
            kind = list if isinstance(value, list) else tuple
            return kind(self._inside(part) for part in value)
        if isinstance(value, dict):
            return {key: self._inside(part) for key, part in value.items()}
        return self._leaf(as_tensor(value) if isinstance(value, GraphNumber) else Tensor(value))

    def gradients_by_position(self, gradients):
        """[(position, gradient)], with the structure of the argument where that was no Tensor."""
        remaining = iter(gradients)
        return [
            (
                position,
                next(remaining)
                if value is None
                else map_leaves(lambda leaf: _like(leaf, next(remaining)), value),
            )
            for position, value in self.entries
        ]


def _is_variable_number(value):
    """Returns whether a number without a mark is differentiated."""
    return type(value) in (int, float, GraphNumber) and settings.read("grad_for_scalar")


def _like(value, gradient):
    """The gradient by a Tensor or number: of a number it is a number."""
    if isinstance(value, Tensor):
        return gradient
    if not is_symbolic(gradient):
        number = gradient.asnumpy().item()
        return int(number) if isinstance(number, bool) else number
    number = _core.number(gradient)
    return _core.number_op("int", number) if number.kind is bool else number
