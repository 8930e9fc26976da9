"""What schedulers count lies in Parameters: a step is then an ordinary part of a graph, too."""

from dyad import ops
from dyad._core import Tensor, float64, int64
from dyad._src.tensor.parameter import Parameter


def counter(value) -> Parameter:
    """A count that steps change."""
    return Parameter(Tensor(value, int64), requires_grad=False)


def measure(value) -> Parameter:
    """A number that steps change."""
    return Parameter(Tensor(value, float64), requires_grad=False)


def wide(value):
    """The number, or the Tensor of one, with the precision that Python counts in."""
    return value.astype(float64) if isinstance(value, Tensor) else Tensor(value, float64)


def choose(condition, chosen, other) -> Tensor:
    """`chosen` where the condition, a Tensor, holds, else `other`; without a branch."""
    return ops.where(condition, wide(chosen), wide(other))


def write(parameter, value) -> None:
    """Gives the Parameter a new value, with its own dtype."""
    ops.assign(parameter, ops.cast(value, parameter.dtype))


def write_rate(group, rate) -> None:
    """Gives a group a new rate; the Parameter that holds it stays the same object."""
    if isinstance(group["lr"], Tensor):
        write(group["lr"], wide(rate))
    else:
        group["lr"] = float(rate)


def rates_of(groups) -> list:
    """The rates at present, as Tensors of their own."""
    return [wide(group["lr"]).astype("float32") for group in groups]


class KeepsState:
    """An object whose Parameters take numbers that are assigned to them, and that can be saved and restored."""

    def __setattr__(self, name, value):
        held = vars(self).get(name)
        if isinstance(held, Parameter) and not isinstance(value, Parameter):
            write(held, wide(value))
        else:
            object.__setattr__(self, name, value)

    def state_dict(self) -> dict:
        """Everything that `load_state_dict` needs to go on; the rates themselves are the optimiser's state."""
        return {
            name: value.item() if isinstance(value, Parameter) else value
            for name, value in vars(self).items()
            if name != "optimizer"
        }

    def load_state_dict(self, state_dict) -> None:
        """Goes on from a state that `state_dict` gave."""
        for name, value in state_dict.items():
            setattr(self, name, value)
