"""`dyad.common.parameter`: the module path of Parameter."""

from dyad._src.parameter import Parameter, ParameterTuple

__all__ = ["Parameter", "ParameterTuple"]
