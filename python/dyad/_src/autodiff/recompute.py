"""Recomputation: a Cell drops its intermediate results and runs again for its gradient."""

import contextlib
import threading

from dyad._core import (
    as_input,
    call_noting_reads,
    detach,
    differentiate,
    get_generator_state,
    grad_enabled,
    is_recorded,
    is_same_tensor,
    record,
    set_generator_state,
    stand_in,
)
from dyad._src.autodiff.overwrite_checks import KeptTensors
from dyad._src.autodiff.recording import Recording
from dyad._src.autodiff.structures import tensors_in, with_tensors
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.tensor.parameter import Parameter
from dyad._src.tensor.precision import call_in_same_precision, precision_here


class _ThreadState(threading.local):
    replaying = False


_state = _ThreadState()


def is_replaying():
    """Returns whether this thread runs a forward a second time, for its gradient: the first one has updated the
    state.
    """
    return _state.replaying


def recompute(
    block,
    *args,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn=None,
    **kwargs,
):
    """`block(*args, **kwargs)`, keeping only its inputs: what its gradient needs is computed again then.

    The random stream and the precision are those of the first run. `context_fn` returns two context managers, around
    the first and around the second run. `use_reentrant`, `output_recompute` and `early_stop` do not change results.

    A `block` that is not a Cell, and a `context_fn` that cannot be called, raise TypeError.
    """
    require_recomputable(block, context_fn)
    return call_recomputed(type(block).__name__, block.trainable_params(), block, args, kwargs, context_fn)


def require_recomputable(block, context_fn):
    """Checks the arguments of `recompute`: a Cell, and a function or None."""
    if not isinstance(block, AbstractCell):
        raise TypeError(f"recompute: block is of type {type(block).__name__}; need a Cell")
    if context_fn is not None and not callable(context_fn):
        raise TypeError(
            f"recompute: context_fn is of type {type(context_fn).__name__}; need a function or None"
        )


def call_recomputed(owner, parameters, function, args, kwargs, context_fn=None):
    """`function(*args, **kwargs)` recorded as one step that runs it again; `function` uses these Parameters."""
    given = tensors_in((args, kwargs))
    inputs = _distinct(filter(is_recorded, [*given, *parameters]))
    # A Cell inside one that runs again is part of that: going through it a third time would gain nothing.
    if not grad_enabled() or _state.replaying or not inputs:
        return function(*args, **kwargs)
    first, second = context_fn() if context_fn else (contextlib.nullcontext(), contextlib.nullcontext())
    step = _Replay(owner, function, args, kwargs, inputs, second)
    with first:
        output, read = call_noting_reads(function, *args, **kwargs)
    step.capture([tensor for tensor in read if not any(is_same_tensor(tensor, known) for known in inputs)])
    inputs = [*inputs, *step.captured]
    return with_tensors(output, record(step.owner, inputs, tensors_in(output), step, False))


class _Replay:
    """The backward side of one call: runs the function again, recorded, and differentiates that.

    `captured` are recorded Tensors that the function reads without getting them as arguments.
    """

    __slots__ = (
        "args",
        "captured",
        "context",
        "function",
        "generator",
        "inputs",
        "kept",
        "kept_captured",
        "kwargs",
        "owner",
        "precision",
    )

    def __init__(self, owner, function, args, kwargs, inputs, context):
        self.owner, self.function, self.args, self.kwargs = owner, function, args, kwargs
        self.inputs, self.context = inputs, context
        self.kept = KeptTensors([args, kwargs, inputs])
        self.generator = get_generator_state()
        self.precision = precision_here()

    def capture(self, tensors):
        self.captured, self.kept_captured = tensors, KeptTensors(tensors)

    def __call__(self, *gradients):
        self.kept.require_unchanged(self.owner, "input")
        self.kept_captured.require_unchanged(self.owner, "captured Tensor")
        recorded = grad_enabled()
        with Recording() as recording, _as_leaves(self.captured):
            recording.track(tensor for tensor in self.inputs if isinstance(tensor, Parameter))
            leaves = [
                tensor if isinstance(tensor, Parameter) else as_input(tensor if recorded else detach(tensor))
                for tensor in self.inputs
            ]
            outputs = self._run_again(leaves)
            self._require_same_outputs(gradients, outputs)
            reached = [number for number, gradient in enumerate(gradients) if gradient is not None]
            recording.begin_backward()
            return differentiate(
                [outputs[number] for number in reached],
                [gradients[number] for number in reached],
                [*leaves, *self.captured],
                recording.mark,
                False,
            )

    def _require_same_outputs(self, gradients, outputs):
        if len(outputs) != len(gradients):
            raise RuntimeError(
                f"{self.owner}: recomputing gave {len(outputs)} Tensors where the first run gave {len(gradients)}; "
                "need the same outputs in both runs"
            )
        for number, (gradient, output) in enumerate(zip(gradients, outputs, strict=True)):
            if gradient is not None and gradient.shape != output.shape:
                raise RuntimeError(
                    f"{self.owner}: recomputing gave output {number} the shape {output.shape} where the first run gave "
                    f"{gradient.shape}; need the same outputs in both runs"
                )

    def _run_again(self, leaves):
        replaced = {id(tensor): leaf for tensor, leaf in zip(self.inputs, leaves, strict=True)}
        given = (self.args, self.kwargs)
        args, kwargs = with_tensors(given, [replaced.get(id(t), t) for t in tensors_in(given)])
        generator = get_generator_state()
        set_generator_state(*self.generator)
        _state.replaying, outer = True, _state.replaying
        try:
            with self.context:
                return tensors_in(call_in_same_precision(self.precision, self.function, args, kwargs))
        finally:
            _state.replaying = outer
            set_generator_state(*generator)


@contextlib.contextmanager
def _as_leaves(tensors):
    """These Tensors, wherever the function finds them, are what is differentiated by."""
    standing = [stand_in(tensor) for tensor in tensors]
    try:
        yield
    finally:
        for each in standing:
            each.end()


def _distinct(tensors):
    return list({id(tensor): tensor for tensor in tensors}.values())
