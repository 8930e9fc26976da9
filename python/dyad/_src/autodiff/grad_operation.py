"""`GradOperation`: the older form of `grad`, configured by flags."""

import dataclasses

from dyad._src.autodiff.arguments import require_weights
from dyad._src.autodiff.recording import require_recording_allowed
from dyad._src.autodiff.transform import Transform, Wanted
from dyad._src.autodiff.transformed import GradientFunction
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import require_bool, require_function
from dyad._src.tensor.parameter import Parameter


class GradOperation:
    """`GradOperation(...)(fn)` or `(fn, params)` is a function that computes gradients of `fn`.

    By default by the first argument; with `get_all` by all Tensor arguments, as a tuple; with `get_by_list` by
    `params`; with both as a pair. With `sens_param` the last argument, or keyword `sens`, is the gradient of the
    output to start from.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.GradOperation()(lambda x: x**2)(Tensor(3.0)))
        6.0
    """

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        self.get_all = require_bool("GradOperation", "get_all", get_all)
        self.get_by_list = require_bool("GradOperation", "get_by_list", get_by_list)
        self.sens_param = require_bool("GradOperation", "sens_param", sens_param)

    def __call__(self, fn, weights=None):
        require_recording_allowed("GradOperation")
        require_function("GradOperation", fn)
        parameters = self._parameters(fn, weights) if self.get_by_list else ()
        transform = Transform("GradOperation", fn, self._positions(), parameters, takes_sens=self.sens_param)
        arrange = FlaggedGradients(self.get_all, self.get_by_list, isinstance(weights, Parameter))
        return GradientFunction(transform, arrange)

    def arranged(self, by_position, by_weight, bare_weight):
        """Gradients by arguments and by Parameters in the shape that the flags promise."""
        return FlaggedGradients(self.get_all, self.get_by_list, bare_weight)(None, by_position, by_weight)

    def _positions(self):
        if self.get_all:
            return Wanted.EVERY
        return () if self.get_by_list else Wanted.FIRST

    def _parameters(self, fn, weights):
        if weights is not None:
            return require_weights("GradOperation", weights)
        cell = fn if isinstance(fn, AbstractCell) else getattr(fn, "__self__", None)
        if not isinstance(cell, AbstractCell):
            raise ValueError(
                "GradOperation: get_by_list was asked for a function that is no Cell, without Parameters; "
                "need them as the second argument"
            )
        return tuple(cell.trainable_params())


@dataclasses.dataclass(frozen=True, slots=True)
class FlaggedGradients:
    """Arranges the gradients of a call; with `with_value` they follow the output."""

    get_all: bool
    get_by_list: bool
    bare_weight: bool = False
    with_value: bool = False

    def __call__(self, output, by_position, by_weight):
        gradients = self._gradients(by_position, by_weight)
        return (output, gradients) if self.with_value else gradients

    def _gradients(self, by_position, by_weight):
        inputs_part = tuple(gradient for _, gradient in by_position)
        weights_part = tuple(gradient for _, gradient in by_weight)
        if self.bare_weight and weights_part:
            weights_part = weights_part[0]
        if self.get_by_list:
            return (inputs_part, weights_part) if self.get_all else weights_part
        return inputs_part if self.get_all or not inputs_part else inputs_part[0]
