"""Functions that bring their own backward: `bprop` of Cells and Primitives, and `custom_vjp`."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from dyad._core import Tensor, is_recorded, note_unrecorded_gradient, record
from dyad._src.autodiff.overwrite_checks import KeptTensors, UnwrittenInputs
from dyad._src.autodiff.recording import recording_off
from dyad._src.autodiff.seeds import reduced_to
from dyad._src.autodiff.structures import map_leaves, tensors_in, with_tensors
from dyad._src.context.settings import settings


def call_with_backward(owner, forward, backward, args, kwargs, parameters=(), used=None):
    """`forward(*args, **kwargs)`, recorded as one step whose gradient is `backward(*inputs, out, dout)`.

    `backward` also returns gradients for the Parameters in `parameters`. `used` lists the inputs (and, after them,
    the output) that `backward` reads; the others are released and passed as None.
    """
    if not any(map(is_recorded, [*tensors_in((args, kwargs)), *parameters])):
        note_unrecorded_gradient()
        return forward(*args, **kwargs)
    inputs = inputs_of(owner, forward, backward, args, kwargs)
    given = UnwrittenInputs(inputs)
    with recording_off():
        output = forward(*args, **kwargs)
    given.require_unwritten(owner)
    step = OwnBackwardStep(owner, backward, inputs, output, parameters, used)
    tensors = [*tensors_in(inputs), *parameters]
    return with_tensors(output, record(owner, tensors, tensors_in(output), step, pass_outputs=True))


class OwnBackwardStep:
    """The backward side of one call; the tape calls it with the outputs and their gradients."""

    __slots__ = ("backward", "inputs", "kept", "output", "owner", "parameters", "reads_output", "specs")

    def __init__(self, owner, backward, inputs, output, parameters, used):
        self.owner, self.backward, self.inputs, self.output = owner, backward, inputs, output
        self.parameters = tuple(parameters)
        self.specs = [[(tensor.shape, tensor.dtype) for tensor in tensors_in(value)] for value in inputs]
        self.reads_output = used is None or len(inputs) in used
        if used is not None:
            self.inputs = tuple(value if number in used else None for number, value in enumerate(inputs))
        self.kept = KeptTensors(self.inputs)

    def __call__(self, outputs, *gradients):
        self.kept.require_unchanged(self.owner, "input")
        # These outputs have a history if the backward is recorded itself; `self.output` only lends its structure.
        out = with_tensors(self.output, outputs) if self.reads_output else None
        dout = _in_place_of_tensors(self.output, iter(gradients))
        return self._gradients(self.backward(*self.inputs, out, dout))

    def _gradients(self, result):
        by_parameter: list = []
        if self.parameters:
            if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
                raise TypeError(
                    f"{self.owner}: bprop with internal_params returned {_shown(result)}; "
                    "need (gradients of the inputs, {Parameter: gradient})"
                )
            result, named = result
            by_parameter = [
                self._fitted(named.get(parameter), parameter.shape, parameter.dtype)
                for parameter in self.parameters
            ]
        entries = self._require_entries(result)
        by_input = [
            gradient for number, entry in enumerate(entries) for gradient in self._entry(number, entry)
        ]
        return [*by_input, *by_parameter]

    def _require_entries(self, result):
        if isinstance(result, Tensor) and len(self.specs) == 1:
            return (result,)
        if not isinstance(result, (tuple, list)):
            raise TypeError(
                f"{self.owner}: bprop returned {_shown(result)}; need a tuple of {len(self.specs)} gradients"
            )
        if len(result) != len(self.specs):
            error = TypeError if settings.read("check_bprop") else RuntimeError
            raise error(
                f"{self.owner}: bprop returned {len(result)} gradients for {len(self.specs)} inputs; need one for "
                f"each. For user defined method 'bprop' of net {self.owner!r} that is the wrong number"
            )
        return result

    def _entry(self, number, entry):
        """The gradients for the Tensors of one input."""
        specs = self.specs[number]
        if entry is None or not specs:
            return [None] * len(specs)
        if isinstance(entry, (int, float)):
            entry = Tensor(entry, specs[0][1])
        gradients = tensors_in(entry)
        if not gradients:
            raise TypeError(
                f"{self.owner}: bprop returned {_shown(entry)} as gradient {number}; need a Tensor or None"
            )
        if len(gradients) != len(specs):
            raise RuntimeError(
                f"{self.owner}: bprop returned {len(gradients)} Tensors as gradient {number}; "
                f"need {len(specs)}, as many as the input has"
            )
        if settings.read("check_bprop"):
            self._require_same(number, gradients, specs)
        return [self._fitted(gradient, *spec) for gradient, spec in zip(gradients, specs, strict=True)]

    def _fitted(self, gradient, shape, dtype):
        return reduced_to(gradient, shape, dtype) if isinstance(gradient, Tensor) else gradient

    def _require_same(self, number, gradients, specs):
        for gradient, (shape, dtype) in zip(gradients, specs, strict=True):
            if gradient.shape != shape:
                raise ValueError(
                    f"{self.owner}: bprop returned gradient {number} of shape {gradient.shape}; "
                    f"need that of the input, {shape}"
                )
            if gradient.dtype != dtype:
                raise TypeError(
                    f"{self.owner}: bprop returned gradient {number} of dtype {gradient.dtype}; "
                    f"need that of the input, {dtype}"
                )


def _in_place_of_tensors(output, gradients):
    """The structure of the output with gradients for its Tensors and None for everything else."""
    return map_leaves(lambda leaf: next(gradients) if isinstance(leaf, Tensor) else None, output)


def inputs_of(owner, forward, backward, args, kwargs):
    """Arguments of `backward` before `out` and `dout`: the inputs in order, with defaults if it has parameters for
    them.
    """
    if not kwargs and _takes(backward, len(args) + 2):
        return tuple(args)
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    inputs = (*bound.args, *bound.kwargs.values())
    if not _takes(backward, len(inputs) + 2):
        raise TypeError(
            f"{owner}: bprop takes {inspect.signature(backward)} for a call with {len(inputs)} inputs; "
            "need each input, then out and dout"
        )
    return inputs


def _takes(function, count):
    try:
        inspect.signature(function).bind(*(None,) * count)
    except TypeError:
        return False
    return True


def _shown(value):
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, Tensor):
        return "a Tensor"
    return "None" if value is None else f"{value!r:.40} of type {type(value).__name__}"


class custom_vjp:
    """A function with a user-defined gradient: decorate it, then `defbwd(bwd)`.

    `bwd(*inputs, out, dout)` returns one gradient, or None, per input.
    """

    def __init__(self, fn: Callable) -> None:
        if not callable(fn):
            raise TypeError(f"custom_vjp: fn is of type {type(fn).__name__}; need a function")
        functools.update_wrapper(self, fn)
        self._forward = fn
        self._backward: Any = None

    def defbwd(self, bwd: Callable):
        """Sets the backward function, and returns it so that this can be a decorator."""
        if not callable(bwd):
            raise TypeError(f"custom_vjp: bwd is of type {type(bwd).__name__}; need a function")
        self._backward = bwd
        return bwd

    def __call__(self, *args, **kwargs):
        name = getattr(self._forward, "__name__", "custom_vjp")
        backward = self._backward or functools.partial(missing_backward, name)
        return call_with_backward(name, self._forward, backward, args, kwargs)


def missing_backward(name, *_):
    raise TypeError(f"custom_vjp: {name} has no backward function; give one with defbwd")
