"""`jvp` and `linearize`: products with the Jacobian from the right, by pushing tangents along the tape."""

from dyad._core import Tensor, pushforward
from dyad._src.autodiff.recording import Recording, require_recording_allowed
from dyad._src.autodiff.structures import unwrapped, with_tensors
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.base.argument_checks import require_bool, require_function


def jvp(fn, inputs, v, has_aux: bool = False):
    """(output of `fn`, its derivative at `inputs` in the direction `v`), of the same structure.

    `inputs` and `v` are a Tensor each, or tuples or lists of as many: `v` holds the tangent of each input, in its
    dtype and shape. With `has_aux` only output 0 is differentiated and the other outputs come third: a single one
    itself, several as a tuple.

    Inputs or tangents that are not Tensors, or of another dtype than their partner, raise TypeError; another number
    or shape of them raises ValueError.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, tangent = ops.jvp(lambda x: x**2, Tensor([3.0]), Tensor([1.0]))
        >>> print(value, tangent)
        [9.] [6.]
    """
    require_bool("jvp", "has_aux", has_aux)
    require_recording_allowed("jvp")
    require_function("jvp", fn)
    return DirectionalDerivative(Transform("jvp", fn, Wanted.EVERY, None, has_aux))(inputs, v)


class DirectionalDerivative(TransformedFunction):
    """Called with the inputs and their tangents; returns the result of `jvp`."""

    __name__ = "directional_derivative"

    def __init__(self, transform):
        super().__init__(transform.fn, (), transform.request())
        self._transform = transform

    def over(self, fn, parameters):
        return DirectionalDerivative(self._transform.over(fn, parameters))

    def run(self, args, kwargs):
        transform = self._transform
        inputs = require_inputs("jvp", args[0])
        tangents = require_tangents("jvp", args[1], inputs)
        with Recording(pushes=True) as recording:
            leaves, recorded, outputs = transform.forward(recording, inputs, {})
            output = transform.handed_out(recording, recorded)
            recording.begin_backward()
            pushed = pushforward(leaves.tensors, tangents, recording.mark)(outputs)
        if not transform.has_aux:
            return output, with_tensors(recorded, pushed)
        return output[0], with_tensors(recorded[0], pushed), unwrapped(output[1:])


def linearize(fn, inputs):
    """(output of `fn`, function from tangents of `inputs` to the tangent of the output); `fn` runs once, here.

    The function accepts one tangent per input, or one tuple of them, and can be called repeatedly.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, push = ops.linearize(lambda x: x**2, Tensor([3.0]))
        >>> print(value, push(Tensor([0.5])))
        [9.] [3.]
    """
    require_recording_allowed("linearize")
    require_function("linearize", fn)
    inputs = require_inputs("linearize", inputs)
    transform = Transform("linearize", fn, Wanted.EVERY, None)
    with Recording(keep=True, pushes=True) as recording:
        leaves, recorded, outputs = transform.forward(recording, inputs, {})
        output = transform.handed_out(recording, recorded)

    return output, LinearFunction(recording, inputs, leaves, recorded, outputs)


class LinearFunction:
    """From tangents of the inputs to that of the output of a call that was recorded; it owns what was recorded."""

    __name__ = "jvp_fn"

    def __init__(self, recording, inputs, leaves, output, outputs):
        self._recording, self._inputs, self._leaves = recording, inputs, leaves
        self._output, self._outputs = output, outputs

    def __call__(self, *v):
        require_recording_allowed("linearize")
        tangents = require_tangents("linearize", v[0] if len(v) == 1 else v, self._inputs)
        with Recording() as pushing:
            pushing.track(self._leaves.parameters)
            pushing.begin_backward()
            pushed = pushforward(self._leaves.tensors, tangents, self._recording.mark)(self._outputs)
        return with_tensors(self._output, pushed)


def require_inputs(owner, inputs):
    """The inputs as a tuple of Tensors."""
    inputs = _listed(owner, "inputs", inputs)
    for number, value in enumerate(inputs):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: input {number} is of type {type(value).__name__}; need a Tensor")
    return inputs


def require_tangents(owner, v, inputs):
    """One tangent per input, of its dtype and shape."""
    tangents = _listed(owner, "v", v)
    if len(tangents) != len(inputs):
        raise ValueError(
            f"{owner}: v holds {len(tangents)} tangents for {len(inputs)} inputs; need one for each"
        )
    for number, (tangent, value) in enumerate(zip(tangents, inputs, strict=True)):
        if not isinstance(tangent, Tensor):
            raise TypeError(f"{owner}: tangent {number} is of type {type(tangent).__name__}; need a Tensor")
        if tangent.dtype != value.dtype:
            raise TypeError(
                f"{owner}: tangent {number} has dtype {tangent.dtype}; need that of its input, {value.dtype}"
            )
        if tangent.shape != value.shape:
            raise ValueError(
                f"{owner}: tangent {number} has shape {tangent.shape}; need that of its input, {value.shape}"
            )
    return tangents


def _listed(owner, name, given):
    if isinstance(given, Tensor):
        return (given,)
    if not isinstance(given, (tuple, list)):
        raise TypeError(
            f"{owner}: {name} is of type {type(given).__name__}; need a Tensor, or a tuple or list of Tensors"
        )
    return tuple(given)
