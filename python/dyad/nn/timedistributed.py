"""Applying a layer to every time step."""

from collections.abc import Callable

from dyad import ops
from dyad._src.base.argument_checks import require_int
from dyad.nn.cell import Cell

__all__ = ["TimeDistributed"]


class TimeDistributed(Cell):
    """Calls `layer` on each slice along `time_axis` and stacks the results along the same axis.

    With `reshape_with_axis` the time axis is joined to that axis instead, so that the layer is called once.
    """

    def __init__(self, layer: Callable, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not callable(layer):
            raise TypeError(
                f"TimeDistributed: layer is of type {type(layer).__name__}; need a Cell or an operator"
            )
        self.layer = layer
        self.time_axis = require_int("TimeDistributed", "time_axis", time_axis)
        if reshape_with_axis is not None:
            require_int("TimeDistributed", "reshape_with_axis", reshape_with_axis)
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs):
        """The results of `layer` with `time_axis` put back, of the size that it has in `inputs`."""
        time_axis = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            slices = ops.unbind(inputs, time_axis)
            return ops.stack([self.layer(step) for step in slices], axis=time_axis)
        partner = self.reshape_with_axis % inputs.ndim
        if abs(partner - time_axis) != 1:
            raise ValueError(
                f"TimeDistributed: reshape_with_axis is {partner} and time_axis {time_axis}; need neighbouring axes"
            )
        first = min(partner, time_axis)
        sizes = inputs.shape[first : first + 2]
        joined = inputs.reshape(inputs.shape[:first] + (sizes[0] * sizes[1],) + inputs.shape[first + 2 :])
        output = self.layer(joined)
        return output.reshape(output.shape[:first] + sizes + output.shape[first + 1 :])
