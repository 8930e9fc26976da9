"""Running the backward hooks of one call of a Cell."""

from dyad._core import Tensor, is_recorded, record
from dyad._src.autodiff.structures import tensors_in, with_tensors
from dyad._src.base.argument_checks import a_value


def _call(function, *args):
    return function(*args)


class BackwardHooks:
    """Wraps one call: marks its inputs and outputs, and runs the hooks when gradients pass.

    Hooks that were removed in the meantime do not run. The gradient of the output arrives first; the backward hooks
    run when that of the inputs is known, at once if no input has one. `call(function, *args)` calls a hook.
    """

    __slots__ = ("_call", "_cell", "_grad_output", "_inputs")

    def __init__(self, cell, call=_call):
        self._cell, self._grad_output, self._inputs = cell, None, []
        self._call = call

    def mark_inputs(self, args):
        """The positional arguments; each Tensor among them has an entry in `grad_input`."""
        tensors = tensors_in(args)
        if not self.expect(tensors, is_recorded):
            return args
        recorded = [tensor for tensor in tensors if is_recorded(tensor)]
        marked = iter(record(self._name, recorded, recorded, self.leave))
        return with_tensors(
            args,
            [next(marked) if known else tensor for tensor, known in zip(tensors, self._inputs, strict=True)],
        )

    def mark_output(self, output):
        """The output; the gradients of its Tensors arrive here first."""
        tensors = tensors_in(output)
        return with_tensors(output, record(self._name, tensors, tensors, self.arrive))

    @property
    def _name(self):
        return type(self._cell).__name__

    def arrive(self, *gradients):
        """Receives the gradients of the outputs; returns those that are passed on into the Cell."""
        for hook in tuple(self._cell._backward_pre_hooks.values()):
            gradients = self._replaced(
                "backward pre-hook", gradients, self._call(hook.function, self._cell, gradients)
            )
        self._grad_output = gradients
        if not any(self._inputs):
            self._run_backward_hooks((None,) * len(self._inputs))
        return gradients

    def expect(self, tensors, recorded):
        """Sets which of the Tensors among the arguments have a gradient, for callers that mark them themselves."""
        self._inputs = [recorded(tensor) for tensor in tensors] if self._cell._backward_hooks else []
        return any(self._inputs)

    def leave(self, *gradients):
        """Receives the gradients of the inputs; returns those that are passed on to their origins."""
        remaining = iter(gradients)
        grad_input = self._run_backward_hooks(
            tuple(next(remaining) if recorded else None for recorded in self._inputs)
        )
        return [gradient for gradient, recorded in zip(grad_input, self._inputs, strict=True) if recorded]

    def _run_backward_hooks(self, grad_input):
        for hook in tuple(self._cell._backward_hooks.values()):
            result = self._call(hook.function, self._cell, grad_input, self._grad_output)
            grad_input = self._replaced("backward hook", grad_input, result)
        return grad_input

    def _replaced(self, kind, gradients, result):
        if result is None:
            return gradients
        replaced = result if isinstance(result, tuple) else (result,)
        if len(replaced) != len(gradients):
            raise TypeError(
                f"{self._name}: a {kind} returned {len(replaced)} gradients; need {len(gradients)} or None"
            )
        for new, old in zip(replaced, gradients, strict=True):
            _require_like(self._name, kind, new, old)
        return replaced


def _require_like(name, kind, new, old):
    if old is None and new is None:
        return
    if not isinstance(new, Tensor):
        raise TypeError(f"{name}: a {kind} returned {a_value(new)} as gradient; need a Tensor")
    if old is not None and (new.shape, new.dtype) != (old.shape, old.dtype):
        raise ValueError(
            f"{name}: a {kind} returned a gradient of shape {new.shape} and dtype {new.dtype}; "
            f"need {old.shape} and {old.dtype}"
        )
