"""`dyad.ops.functional`, which programs import as `F`: the functions of `dyad.ops` under their older module name."""

import functools

from dyad import ops
from dyad.compat.mindspore.ops import scalar_functions

# Paths below this module lead to the same names.
__path__: list[str] = []


@functools.cache
def _operator_of(primitive):
    """The operator object of a Primitive that takes no settings; one is enough."""
    return primitive()


def __getattr__(name):
    function = scalar_functions.functions.get(name)
    if function is not None:
        return function
    found = getattr(ops, name)
    # What is spelled as a function is called as one; its class is found in `operations`.
    spelled_as_function = name[:1].islower() and isinstance(found, type) and issubclass(found, ops.Primitive)
    return _operator_of(found) if spelled_as_function else found
