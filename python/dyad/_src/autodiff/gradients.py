"""`grad` and `value_and_grad`: gradients of a function by its arguments and by Parameters."""

import dataclasses

from dyad._src.autodiff.arguments import require_positions, require_weights
from dyad._src.autodiff.recording import require_recording_allowed
from dyad._src.autodiff.transform import Transform
from dyad._src.autodiff.transformed import GradientFunction
from dyad._src.base.argument_checks import require_bool, require_function
from dyad._src.tensor.parameter import Parameter


def grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
):
    """A function that computes the gradient of `fn`, with the arguments of `fn`.

    Args:
        fn (callable): a function, method or Cell.
        grad_position (int, tuple or None): the arguments to differentiate by. Default: 0.
        weights (Parameter or list): Parameters to differentiate by. Default: None.
        has_aux (bool): whether only the first output is differentiated; the result is then (gradient, other outputs).
            Otherwise outputs are summed. Default: False.
        return_ids (bool): whether each gradient is returned as (position or Parameter name, gradient). Default: False.
        sens_param (bool): whether the last argument is the gradient of the output to start from. Default: False.
    Returns:
        A function. One position results in the gradient itself, several in a tuple. A single Parameter results in the
        gradient itself, a list in a tuple. Positions and weights together result in a pair.
    Raises:
        ValueError: without positions and weights, and for a position that is negative or given twice.
        TypeError: for an `fn` that is not callable and for weights that are not Parameters.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.grad(lambda x: (x**2).sum())(Tensor([1.0, 2.0])))
        [2. 4.]
    """
    return _prepare("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def value_and_grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
):
    """A function that computes (output of `fn`, gradient of `fn`); see `grad` for the arguments.

    Example:
        >>> from dyad import Tensor, ops
        >>> value, gradient = ops.value_and_grad(lambda x: (x**2).sum())(Tensor([1.0, 2.0]))
        >>> print(value, gradient)
        5.0 [2. 4.]
    """
    return _prepare("value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def get_grad(gradients, identifier: int | Parameter):
    """One gradient from the result of a transform with `return_ids`, by argument position or by Parameter.

    RuntimeError is raised if there is no such gradient.

    Example:
        >>> from dyad import Tensor, ops
        >>> gradients = ops.grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(2.0), Tensor(3.0))
        >>> print(ops.get_grad(gradients, 1))
        2.0
    """
    if not isinstance(identifier, (int, Parameter)):
        raise TypeError(
            f"get_grad: identifier is {identifier!r} of type {type(identifier).__name__}; need an int or a Parameter"
        )
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    found = _find(gradients, wanted)
    if found is None:
        raise RuntimeError(f"get_grad: the gradients have no entry for {wanted!r}")
    return found[1]


def _find(gradients, wanted):
    if not isinstance(gradients, tuple):
        return None
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)):
        return gradients if gradients[0] == wanted else None
    return next((found for part in gradients if (found := _find(part, wanted))), None)


def _prepare(owner, fn, grad_position, weights, has_aux, return_ids, sens_param):
    for name, value in (("has_aux", has_aux), ("return_ids", return_ids), ("sens_param", sens_param)):
        require_bool(owner, name, value)
    require_recording_allowed(owner)
    require_function(owner, fn)
    positions = require_positions(owner, grad_position)
    parameters = require_weights(owner, weights)
    if positions is None and parameters is None:
        raise ValueError(f"{owner}: grad_position and weights are both None; need one of them")
    arrange = _Arrangement(
        with_value=owner == "value_and_grad",
        has_aux=has_aux,
        return_ids=return_ids,
        by_position=positions is not None,
        by_weight=parameters is not None,
        bare_weight=isinstance(weights, Parameter),
    )
    return GradientFunction(Transform(owner, fn, positions, parameters, has_aux, sens_param), arrange)


@dataclasses.dataclass(frozen=True, slots=True)
class _Arrangement:
    """Arranges the gradients of a call."""

    with_value: bool
    has_aux: bool
    return_ids: bool
    by_position: bool
    by_weight: bool
    bare_weight: bool

    def __call__(self, output, by_position, by_weight):
        gradients = self._gradients(by_position, by_weight)
        if self.with_value:
            return output, gradients
        return (gradients, output[1:]) if self.has_aux else gradients

    def _gradients(self, by_position, by_weight):
        if self.return_ids:
            by_weight = [(parameter.name, gradient) for parameter, gradient in by_weight]
        else:
            by_position = [gradient for _, gradient in by_position]
            by_weight = [gradient for _, gradient in by_weight]
        weights_part = by_weight[0] if self.bare_weight else tuple(by_weight)
        if not self.by_position:
            return weights_part
        inputs_part = by_position[0] if len(by_position) == 1 else tuple(by_position)
        return (inputs_part, weights_part) if self.by_weight else inputs_part
