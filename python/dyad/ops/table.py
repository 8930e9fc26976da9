"""The functions of the operator table, for the operators beside it that are written in Python."""

from dyad import _core

functions = _core.op_functions()
globals().update(functions)
