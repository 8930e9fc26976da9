"""`dyad.ops.functional`, which programs import as `F`: the functions of `dyad.ops` under their older module name."""

from dyad import ops


def __getattr__(name):
    return getattr(ops, name)
