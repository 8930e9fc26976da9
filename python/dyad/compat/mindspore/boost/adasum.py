"""The adaptive sum of what several devices changed."""

from dyad._src.base.argument_checks import a_value, require_int
from dyad.nn import Cell

__all__ = ["AdaSum"]


class AdaSum(Cell):
    """The Parameters after a step: of one device what it made of them itself.

    Several devices, each of which took a step of its own, would have their changes combined by how far they agree.
    That needs several processes, and raises an error here.

    Args:
        rank (int): Number of this device.
        device_number (int): Number of devices.
        group_number (int): Number of groups that the devices form.
        parameter_tuple (tuple(Parameter)): The Parameters.
    """

    def __init__(self, rank, device_number, group_number, parameter_tuple):
        super().__init__(auto_prefix=False)
        owner = "AdaSum"
        require_int(owner, "rank", rank, low=0)
        require_int(owner, "device_number", device_number, low=1)
        require_int(owner, "group_number", group_number, low=1)
        if device_number > 1 or rank > 0:
            raise RuntimeError(
                f"{owner}: rank is {rank} and device_number {device_number}; need 0 and 1, this package computes in "
                "one process"
            )
        if not isinstance(parameter_tuple, (tuple, list)):
            raise TypeError(
                f"{owner}: parameter_tuple is {a_value(parameter_tuple)}; need a tuple of Parameters"
            )
        self.parameter_tuple = parameter_tuple

    def construct(self, delta_weights, parameters, old_parameters):
        """The Parameters as the one device has them."""
        return tuple(parameters)
