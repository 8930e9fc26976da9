"""Rprop."""

from dyad._src.base.argument_checks import require_above, require_fraction, require_number
from dyad._src.operators import rprop_step
from dyad.nn.optim.optimizer import Optimizer

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Rprop: moves each element by a step size of its own, against the sign of its gradient.

    The size starts at the learning rate, grows by the factor `etas[1]` while the sign stays the same, shrinks by
    `etas[0]` when it changes, and is clipped to `step_sizes`. An element whose sign changed is not moved in that
    step.
    """

    def __init__(self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.etas, self.step_sizes = read_rprop_settings(self.cls_name, etas, step_sizes)
        self.prev = self._state("prev")
        self.step_size = self._state("step_size")

    def construct(self, gradients):
        """One step with one gradient per Parameter, in their order."""
        return self._fused_step(
            rprop_step,
            gradients,
            (self.prev, self.step_size, self.global_step),
            self.etas,
            self.step_sizes,
        )


def read_rprop_settings(owner, etas, step_sizes):
    """Both pairs as floats, checked."""
    for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
        if not isinstance(pair, tuple):
            raise TypeError(f"{owner}: {name} is of type {type(pair).__name__}; need a tuple of two numbers")
        if len(pair) != 2:
            raise ValueError(f"{owner}: {name} has {len(pair)} entries; need two")
    require_fraction(owner, "etas[0]", etas[0], "(0, 1)")
    require_above(owner, "etas[1]", etas[1], 1)
    smallest, largest = (require_number(owner, "an entry of step_sizes", size) for size in step_sizes)
    if smallest > largest:
        raise ValueError(f"{owner}: step_sizes is {step_sizes}; need the smaller size first")
    return (float(etas[0]), float(etas[1])), (float(smallest), float(largest))
