"""`dyad.ops.operations`, which programs import as `P`: the Primitives of `dyad.ops` under their older module name."""

from dyad import ops
from dyad._src.base.lazy_import import load

# Paths below this module lead to the same names.
__path__: list[str] = []


def _path_below(name):
    """The path of that name below this module, such as `_inner_ops`; None if there is none."""
    try:
        return load(f"dyad.ops.operations.{name}")
    except ModuleNotFoundError:
        return None


def __getattr__(name):
    below = _path_below(name) if name.endswith("_ops") else None
    return getattr(ops.auto_generate, name) if below is None else below
