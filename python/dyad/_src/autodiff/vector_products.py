"""`vjp` and `jacrev`: products with the Jacobian from the left, one by one or all of them."""

from dyad import _core
from dyad._core import Tensor, differentiate
from dyad._src.argument_checks import require_bool
from dyad._src.autodiff.arguments import require_function, require_positions, require_weights
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.seeds import require_seeds
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.parameter import Parameter

_eye = _core.named_op("eye")
_stack = _core.named_op("stack")
_zeros = _core.named_op("zeros")


def vjp(fn, *inputs, weights=None, has_aux=False):
    """(output of `fn`, function from output gradients to input gradients); `fn` runs once, here.

    The function takes one gradient per output, or one tuple of them, and returns a tuple over the inputs; with
    `weights` the pair of that and the gradients by the weights. With `has_aux` only output 0 is differentiated and
    the other outputs come third: a single one itself, several as a tuple.
    """
    require_bool("vjp", "has_aux", has_aux)
    require_recording_allowed("vjp")
    require_function("vjp", fn)
    parameters = require_weights("vjp", weights)
    for number, value in enumerate(inputs):
        if not isinstance(value, Tensor):
            raise TypeError(f"vjp: input {number} is of type {type(value).__name__}; need a Tensor")
    transform = Transform("vjp", fn, Wanted.EVERY, parameters, has_aux)
    with Recording(keep=True) as recording:
        leaves, recorded, outputs = transform.forward(recording, inputs, {})
        output = transform.handed_out(recording, recorded)
    vjp_fn = VectorProduct(transform, recording, leaves, outputs, parameters is not None, weights)
    return (output[0], vjp_fn, _unwrapped(output[1:])) if has_aux else (output, vjp_fn)


class VectorProduct:
    """From output gradients to input gradients of a call that was recorded; it owns what was recorded."""

    __name__ = "vjp_fn"

    def __init__(self, transform, recording, leaves, outputs, by_weight, weights):
        self._transform, self._recording, self._leaves = transform, recording, leaves
        self._outputs = outputs
        self._by_weight, self._bare_weight = by_weight, isinstance(weights, Parameter)

    def __call__(self, *v):
        require_recording_allowed("vjp")
        seeds = require_seeds("vjp", v, self._outputs)
        leaves, weights = self._leaves, self._transform.weights
        with Recording() as backward:
            backward.track(leaves.parameters)
            backward.track(weights)
            backward.begin_backward()
            gradients = differentiate(
                self._outputs, seeds, [*leaves.tensors, *weights], self._recording.mark, True
            )
        count = len(leaves.tensors)
        by_input, by_weight = tuple(gradients[:count]), gradients[count:]
        if not self._by_weight:
            return by_input
        return by_input, by_weight[0] if self._bare_weight else tuple(by_weight)


def jacrev(fn, grad_position=0, has_aux=False):
    """A function that computes the Jacobian of `fn`, one row at a time: shape of the output, then of the input.

    Several positions give a tuple by position, several outputs a tuple by output, both a tuple of tuples. With
    `has_aux` only output 0 is differentiated and the result is (Jacobian, other outputs).
    """
    require_bool("jacrev", "has_aux", has_aux)
    require_recording_allowed("jacrev")
    require_function("jacrev", fn)
    positions = require_positions("jacrev", grad_position)
    if positions is None:
        raise ValueError("jacrev: grad_position is None; need an int or a tuple of ints")
    return _JacobianFunction(Transform("jacrev", fn, positions, None, has_aux, out_of_range=ValueError))


class _JacobianFunction(TransformedFunction):
    __name__ = "jacobian_function"

    def __init__(self, transform):
        super().__init__(transform.fn, (), transform.request())
        self._transform = transform

    def over(self, fn, parameters):
        return _JacobianFunction(self._transform.over(fn, parameters))

    def run(self, args, kwargs):
        transform = self._transform
        require_recording_allowed("jacrev")
        with Recording() as recording:
            leaves, output, outputs = transform.forward(recording, args, kwargs)
            _require_tensors(leaves, transform.positions, outputs)
            output = transform.handed_out(recording, output)
            recording.begin_backward()
            by_output = tuple(_rows(tensor, leaves.tensors, recording.mark) for tensor in outputs)
        if len(transform.positions) == 1:
            by_output = tuple(by_position[0] for by_position in by_output)
        single = transform.has_aux or isinstance(output, Tensor)
        jacobian = by_output[0] if single and len(by_output) == 1 else by_output
        return (jacobian, _unwrapped(output[1:])) if transform.has_aux else jacobian


def _rows(output, leaves, mark):
    """The Jacobians of one output by every leaf."""
    count = output.size
    if not count:
        return tuple(_zeros((*output.shape, *leaf.shape), leaf.dtype) for leaf in leaves)
    seeds = _eye(count, count, output.dtype)
    rows = [
        differentiate([output], [seeds[number].reshape(output.shape)], leaves, mark, True)
        for number in range(count)
    ]
    return tuple(
        _stack(by_leaf, 0).reshape((*output.shape, *leaf.shape))
        for by_leaf, leaf in zip(zip(*rows, strict=True), leaves, strict=True)
    )


def _require_tensors(leaves, positions, outputs):
    found = [position for position, structure in leaves.entries if structure is None]
    for position in positions:
        if position not in found:
            raise TypeError(f"jacrev: argument {position} is no Tensor; need Tensors at grad_position")
    if not outputs:
        raise TypeError("jacrev: the function returned no Tensor; need one to differentiate")


def _unwrapped(aux):
    return aux[0] if len(aux) == 1 else aux
