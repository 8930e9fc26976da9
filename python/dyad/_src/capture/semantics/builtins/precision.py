"""Functions called in another precision."""

from dyad._src.capture.semantics.builtins.registry import model
from dyad._src.tensor.precision import call_with_autocast


@model(call_with_autocast, 4)
def _call_with_autocast(interpreter, rule, function, args, kwargs):
    given = tuple(interpreter.iteration.items_of(args))
    named = interpreter.iteration.known_mapping(kwargs)
    return call_with_autocast(rule, interpreter.calls.call, (function, given, named), {})
