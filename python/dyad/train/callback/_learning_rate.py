"""The learning rate of an optimizer, where callbacks may change it."""

from dyad._core import Tensor, float32
from dyad._src.tensor.parameter import Parameter


def fixed_learning_rate(owner, optimizer):
    """The Parameter that holds the rate; ValueError where groups have rates of their own or each step has one."""
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise ValueError(
            f"{owner}: learning_rate of the optimizer is of type {type(rate).__name__}; "
            "need one fixed rate, no schedule and no rates of groups"
        )
    return rate


def set_learning_rate(rate, value):
    """Returns the Parameter of a rate its new value."""
    rate.set_data(Tensor(value, float32))
