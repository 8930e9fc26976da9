"""`Function`: a differentiable operation as a class with `forward` and `backward`."""

from dyad._core import Tensor, is_recorded, note_unrecorded_gradient, rebase_history, record
from dyad._src.autodiff.overwrite_checks import KeptTensors, UnwrittenInputs
from dyad._src.autodiff.recording import recording_off
from dyad._src.autodiff.seeds import broadcasts, reduced_to
from dyad._src.autodiff.structures import tensors_in
from dyad._src.base.argument_checks import a_value
from dyad._src.operators import zeros_like


class FunctionContext:
    """State that `forward` saves for `backward`; attributes of any other name may be set freely."""

    def __init__(self):
        self.needs_input_grad = ()
        self.materialize_grads = True
        self.dirty_tensors = self.non_differentiable = ()
        self.saved_tensors = ()

    def save_for_backward(self, *tensors):
        """Keep Tensors (or None) for `saved_tensors`; outputs may be among them."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward: got {a_value(tensor)}; need Tensors, and attributes for the rest"
                )
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors):
        """Names the inputs that `forward` changed in place; each must be an output too."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Names outputs that no gradient flows through."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """With False, `backward` receives None and not zeros for an output without a gradient."""
        if not isinstance(value, bool):
            raise TypeError(f"set_materialize_grads: value is {value!r}; need a bool")
        self.materialize_grads = value


class Function:
    """Base class of operations with a user-defined gradient: write `forward(ctx, *args)` and `backward(ctx, *douts)`.

    `apply(*args)` calls the operation. `backward` returns one gradient per argument of `forward`, None where there is
    none.
    """

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """The computation. `ctx` keeps what `backward` needs; the other arguments are those of `apply`."""
        raise AttributeError("Function: forward is not defined; define it to make the operation callable")

    @staticmethod
    def backward(ctx, *douts):
        """The gradients of the arguments of `forward`, given those of its outputs, one for each or None."""
        raise AttributeError("Function: backward is not defined; define it to differentiate the operation")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs the operation. `backward` returns gradients for the arguments by position only."""
        return run_function(cls.__name__, cls.forward, cls.backward, FunctionContext(), args, kwargs)


def run_function(owner, forward, backward, context, args, kwargs):
    """`forward(context, *args, **kwargs)` recorded as one step whose gradient is `backward(context, *douts)`."""
    for name, value in kwargs.items():
        if any(map(is_recorded, tensors_in(value))):
            raise TypeError(
                f"{owner}: keyword {name!r} is a Tensor that a gradient flows through; give it by position"
            )
    context.needs_input_grad = tuple(isinstance(value, Tensor) and is_recorded(value) for value in args)
    given = UnwrittenInputs(args)
    with recording_off():
        output = forward(context, *args, **kwargs)
    given.require_unwritten(owner, context.dirty_tensors)
    outputs = require_outputs(owner, context, output)
    if not any(context.needs_input_grad):
        note_unrecorded_gradient()
        return output
    recorded = FunctionStep(owner, backward, context, args, outputs).recorded_outputs()
    if isinstance(output, Tensor):
        return recorded[0]
    return type(output)(*recorded) if hasattr(output, "_fields") else type(output)(recorded)


class FunctionStep:
    """The backward side of one `apply`; the tape calls it with the outputs and their gradients."""

    __slots__ = ("args", "backward", "context", "kept", "outputs", "owner")

    def __init__(self, owner, backward, context, args, outputs):
        self.owner, self.backward, self.context = owner, backward, context
        self.args, self.outputs = args, outputs
        self.kept = KeptTensors(context.saved_tensors)

    def recorded_outputs(self):
        """The outputs, recorded if gradients pass through them; dirty ones stay the same objects."""
        recorded = record(
            self.owner,
            [value for value in self.args if isinstance(value, Tensor)],
            [output for output in self.outputs if self.flows(output)],
            self,
            self.context.materialize_grads,
            pass_outputs=True,
        )
        remaining = iter(recorded)
        results = []
        for output in self.outputs:
            result = next(remaining) if self.flows(output) else output
            if _is_among(output, self.context.dirty_tensors):
                rebase_history(output, result)
                result = output
            results.append(result)
        return results

    def flows(self, output):
        """Returns whether a gradient passes through this output."""
        return isinstance(output, Tensor) and not _is_among(output, self.context.non_differentiable)

    def __call__(self, outputs, *gradients):
        self.kept.require_unchanged(self.owner, "saved tensor")
        remaining = iter(gradients)
        douts = [next(remaining) if self.flows(output) else self._nothing(output) for output in self.outputs]
        context, kept = self.context, self.context.saved_tensors
        # Recorded itself, the backward must see saved outputs with their history.
        context.saved_tensors = self._with_history(kept, iter(outputs))
        try:
            result = self.backward(context, *douts)
        finally:
            context.saved_tensors = kept
        return self._gradients(result if isinstance(result, (tuple, list)) else (result,))

    def _nothing(self, output):
        wanted = self.context.materialize_grads and isinstance(output, Tensor)
        return zeros_like(output) if wanted else None

    def _with_history(self, saved, outputs):
        known = [(old, next(outputs)) for old in self.outputs if self.flows(old)]
        return tuple(next((new for old, new in known if old is tensor), tensor) for tensor in saved)

    def _gradients(self, result):
        name = self.owner
        if len(result) != len(self.args):
            raise RuntimeError(
                f"{name}: Function backward return a wrong number of gradients: {len(result)} for "
                f"{len(self.args)} inputs; need one for each"
            )
        return [
            self._fitted(number, value, gradient)
            for number, (value, gradient) in enumerate(zip(self.args, result, strict=True))
            if self._belongs(number, value, gradient)
        ]

    def _belongs(self, number, value, gradient):
        """Returns whether the argument is a Tensor; others have no gradient."""
        if gradient is not None and not isinstance(gradient, Tensor):
            raise RuntimeError(
                f"{self.owner}: backward returned {gradient!r:.40} of type {type(gradient).__name__} as gradient "
                f"{number}. Gradient should be none or tensor"
            )
        if isinstance(value, Tensor):
            return True
        if gradient is not None:
            raise RuntimeError(
                f"{self.owner}: backward returned a Tensor as gradient {number}. "
                f"Input is not tensor, but gradient is not none: the input is {a_value(value)}"
            )
        return False

    def _fitted(self, number, value, gradient):
        """The gradient of a result that the input was broadcast to, in the input's shape and dtype."""
        if gradient is None:
            return None
        if not broadcasts(value.shape, gradient.shape):
            raise RuntimeError(
                f"{self.owner}: backward returned gradient {number} of shape {gradient.shape}. "
                f"For custom function, grad tensor should be broadcast to the input's shape {value.shape}"
            )
        return reduced_to(gradient, value.shape, value.dtype)


def _is_among(tensor, tensors):
    return any(tensor is other for other in tensors)


def require_outputs(name, context, output):
    """The result of `forward`, as a tuple or list."""
    outputs = (output,) if isinstance(output, Tensor) else output
    if not isinstance(outputs, (tuple, list)) or not tensors_in(outputs):
        raise TypeError(
            f"{name}: forward returned {a_value(outputs)} without Tensors; need a Tensor or a tuple of them"
        )
    for marked, what in (
        (context.dirty_tensors, "dirty"),
        (context.non_differentiable, "non differentiable"),
    ):
        if not all(_is_among(tensor, outputs) for tensor in marked):
            raise RuntimeError(f"{name}: The {what} tensors must all be outputs of the forward function.")
    return outputs
