"""`dyad.ops.functional`, which programs import as `F`: the functions of `dyad.ops` under their older module name."""

from dyad import ops
from dyad.ops import scalar_functions

# Paths below this module lead to the same names.
__path__: list[str] = []


def __getattr__(name):
    function = scalar_functions.functions.get(name)
    return getattr(ops, name) if function is None else function
