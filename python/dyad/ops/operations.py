"""`dyad.ops.operations`, which programs import as `P`: the Primitives of `dyad.ops` under their older module name."""

from dyad import ops


def __getattr__(name):
    return getattr(ops, name)
