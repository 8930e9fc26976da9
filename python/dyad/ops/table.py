"""The functions of the operator table, for the operators beside it that are written in Python."""

from dyad._src.operators import functions

globals().update(functions)
