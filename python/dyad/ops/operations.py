"""`dyad.ops.operations`, which programs import as `P`: the Primitives of `dyad.ops` under their older module name."""

from dyad import ops

# Paths below this module lead to the same names.
__path__: list[str] = []


def __getattr__(name):
    return getattr(ops, name)
