"""The backward of one call on other Tensors than those it was captured with: called as (inputs, outputs, gradients)."""

from dyad._core import Tensor
from dyad._src.autodiff.backward_hooks import BackwardHooks
from dyad._src.autodiff.custom import OwnBackwardStep
from dyad._src.autodiff.function import FunctionContext, FunctionStep
from dyad._src.autodiff.structures import map_tensors, tensors_in, with_tensors

_SOME = Tensor(0.0)  # holds the place of a Tensor in a structure
_INPUT, _OUTPUT = "input", "output"


def _structure(value):
    return map_tensors(lambda _: _SOME, value)


class CustomStep:
    """`backward(*inputs, out, dout)`, as `bprop` and `custom_vjp` have it."""

    def __init__(self, name, backward, inputs, parameters, used):
        self._name, self._backward, self._used = name, backward, used
        self._inputs = _structure(inputs)
        self._parameters = parameters
        self._output = None

    def note_output(self, output):
        self._output = _structure(output)

    def __call__(self, inputs, outputs, gradients):
        own = len(inputs) - len(self._parameters)
        given = with_tensors(self._inputs, inputs[:own])
        step = OwnBackwardStep(self._name, self._backward, given, self._output, self._parameters, self._used)
        return step(outputs, *gradients)


class FunctionOutside:
    """`backward(ctx, *douts)` of a class derived from `Function`."""

    def __init__(self, name, backward, args):
        self._name, self._backward = name, backward
        self._args = _structure(tuple(value if isinstance(value, Tensor) else None for value in args))
        self._output = self._kept = None
        # of each Tensor that the context keeps: (the list that it is in too, its place there), or None
        self._same: list = []

    def note(self, context, output, inputs):
        """Returns the result and the saved values of the forward for these inputs."""
        kept = dict(context.__dict__)
        known = {id(tensor): (_INPUT, place) for place, tensor in enumerate(inputs)}
        known |= {id(tensor): (_OUTPUT, place) for place, tensor in enumerate(tensors_in(output))}
        self._same = [known.get(id(tensor)) for tensor in tensors_in(kept)]
        self._output, self._kept = _structure(output), _structure(kept)

    def __call__(self, inputs, outputs, gradients):
        # What is kept of the inputs and results is them: their gradient passes on when this is differentiated.
        own = outputs[: len(outputs) - len(self._same)]
        lists = {_INPUT: inputs, _OUTPUT: own}
        saved = [
            tensor if same is None else lists[same[0]][same[1]]
            for tensor, same in zip(outputs[len(own) :], self._same, strict=True)
        ]
        output, kept = with_tensors((self._output, self._kept), [*own, *saved])
        context = FunctionContext()
        context.__dict__.update(kept)
        results = (output,) if isinstance(output, Tensor) else output
        step = FunctionStep(self._name, self._backward, context, with_tensors(self._args, inputs), results)
        own = [result for result in results if isinstance(result, Tensor)]
        flowing = [(out, grad) for out, grad in zip(own, gradients, strict=False) if step.flows(out)]
        return step(tuple(out for out, _ in flowing), *(grad for _, grad in flowing))


class MarkerStep:
    """Applies `HookBackward` or `InsertGradientOf` to the gradients."""

    def __init__(self, marker):
        self._marker = marker

    def __call__(self, inputs, outputs, gradients):
        return self._marker.replaced(*gradients)


class HookStep:
    """Applies a hook of a Tensor to its gradient."""

    def __init__(self, function):
        self._function = function

    def __call__(self, inputs, outputs, gradients):
        replaced = self._function(gradients[0])
        if replaced is not None and not isinstance(replaced, Tensor):
            raise TypeError(
                f"register_hook: the hook returned a {type(replaced).__name__}; need a Tensor or None"
            )
        return (gradients[0] if replaced is None else replaced,)


class HooksOutside:
    """The backward hooks of one call of a Cell, run by Python when the graph runs."""

    def __init__(self, interpreter, cell):
        self._interpreter, self._name = interpreter, type(cell).__name__
        self._hooks = BackwardHooks(cell)

    def mark_inputs(self, args):
        expected = self._hooks.expect(tensors_in(args), Tensor.is_floating_point)
        return self._marked(args, self._hooks.leave) if expected else args

    def mark_output(self, output):
        return self._marked(output, self._hooks.arrive)

    def _marked(self, value, pass_gradients):
        tensors = [tensor for tensor in tensors_in(value) if tensor.is_floating_point()]
        step = _Passing(pass_gradients)
        marked = iter(self._interpreter.custom_functions.call_custom(self._name, tensors, tuple, None, step))
        return map_tensors(lambda tensor: next(marked) if tensor.is_floating_point() else tensor, value)


class _Passing:
    def __init__(self, pass_gradients):
        self._pass_gradients = pass_gradients

    def __call__(self, inputs, outputs, gradients):
        return self._pass_gradients(*gradients)
