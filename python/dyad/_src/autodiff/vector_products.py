"""`vjp`: products with the Jacobian from the left."""

from dyad._core import Tensor, differentiate
from dyad._src.autodiff.arguments import require_weights
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.seeds import require_seeds
from dyad._src.autodiff.structures import unwrapped
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import PlainFunction
from dyad._src.base.argument_checks import require_bool, require_function
from dyad._src.tensor.parameter import Parameter


def vjp(fn, *inputs, weights=None, has_aux: bool = False) -> tuple:
    """(output of `fn`, function from output gradients to input gradients); `fn` runs once, here.

    The function accepts one gradient per output, or one tuple of them, and returns a tuple over the inputs; with
    `weights` the pair of that and the gradients by the weights. With `has_aux` only output 0 is differentiated and
    the other outputs are a third result: a single one itself, several as a tuple.

    An input that is not a Tensor raises TypeError.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, pull = ops.vjp(lambda x: x**2, Tensor([3.0]))
        >>> print(value, pull(Tensor([1.0])))
        [9.] (Tensor(shape=[1], dtype=Float32, value= [ 6.00000000e+00]),)
    """
    require_bool("vjp", "has_aux", has_aux)
    require_recording_allowed("vjp")
    require_function("vjp", fn)
    parameters = require_weights("vjp", weights)
    for number, value in enumerate(inputs):
        if not isinstance(value, Tensor):
            raise TypeError(f"vjp: input {number} is of type {type(value).__name__}; need a Tensor")
    transform = Transform("vjp", PlainFunction(fn), Wanted.EVERY, parameters, has_aux)
    with Recording(keep=True) as recording:
        leaves, recorded, outputs = transform.forward(recording, inputs, {})
        output = transform.handed_out(recording, recorded)
    structure = transform.seeded_part(recorded)
    vjp_fn = VectorProduct(
        transform, recording, leaves, (structure, outputs), parameters is not None, weights
    )
    return (output[0], vjp_fn, unwrapped(output[1:])) if has_aux else (output, vjp_fn)


class VectorProduct:
    """From output gradients to input gradients of a call that was recorded; it owns what was recorded."""

    __name__ = "vjp_fn"

    def __init__(self, transform, recording, leaves, outputs, by_weight, weights):
        self._transform, self._recording, self._leaves = transform, recording, leaves
        self._structure, self._outputs = outputs
        self._by_weight, self._bare_weight = by_weight, isinstance(weights, Parameter)

    def __call__(self, *v):
        require_recording_allowed("vjp")
        given = v if isinstance(self._structure, (tuple, list)) or len(v) != 1 else v[0]
        seeds = require_seeds("vjp", given, self._structure, self._outputs)
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
