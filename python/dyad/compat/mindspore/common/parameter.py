"""`dyad.common.parameter`: the module path of Parameter."""

from dyad._src.tensor.parameter import Buffer as _Buffer  # noqa: F401
from dyad._src.tensor.parameter import Parameter, ParameterTuple

PARAMETER_NAME_DEFAULT = "Parameter"


def _is_parameter_generated(param_name):
    """True if a name was generated for a Parameter without one: `Parameter#1`, or `Parameter$1` in a tuple."""
    head, mark, number = param_name.rpartition("$" if "$" in param_name else "#")
    return bool(mark) and head.rpartition(".")[2] == "Parameter" and number.isdigit()


__all__ = ["Parameter", "ParameterTuple"]
