"""Constructs the Parameters of a layer from its constructor arguments."""

import math

from dyad._core import Tensor
from dyad._src.base.argument_checks import require_shape
from dyad._src.tensor.initialization import fan_in_and_out, initializer
from dyad._src.tensor.parameter import Parameter
from dyad.nn.initializer import HeUniform, Uniform


def make_weight(owner, init, shape, dtype, name="weight"):
    """A weight; without an initializer it is He-uniform for a slope of sqrt(5), that is +-1/sqrt(fan_in)."""
    if init is None:
        init = HeUniform(math.sqrt(5))
    return _make(owner, init, shape, dtype, name)


def make_bias(owner, init, shape, weight_shape, dtype, name="bias"):
    """A bias; without an initializer it is uniform on +-1/sqrt(fan_in) of the weight it goes with."""
    if init is None:
        fan_in, _ = fan_in_and_out(weight_shape)
        init = Uniform(1 / math.sqrt(fan_in))
    return _make(owner, init, shape, dtype, name)


def make_parameter(owner, init, shape, dtype, name, requires_grad=True):
    return _make(owner, init, shape, dtype, name, requires_grad)


def _make(owner, init, shape, dtype, name, requires_grad=True):
    if isinstance(init, Tensor):
        require_shape(owner, f"{name}_init", init, shape)
    return Parameter(initializer(init, shape, dtype), name=name, requires_grad=requires_grad)
