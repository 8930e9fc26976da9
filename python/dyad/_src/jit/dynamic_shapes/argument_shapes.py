"""Which sizes of a call's tensors are left open: what templates say, or what `dynamic=1` finds out."""

import inspect
import types

from dyad._src.jit.dynamic_shapes.dynamic_sizes import ShapePolicy, tensors_in_call
from dyad._src.jit.dynamic_shapes.enable_dynamic import TEMPLATES
from dyad._src.jit.dynamic_shapes.templates import ArgumentTemplates


class ArgumentShapes:
    """Decides for the calls of one function."""

    def __init__(self, function, options, templates):
        self._function = function
        self._templates = templates
        self._policy = ShapePolicy(static_attempts_of(options, function))

    def of_call(self, args, kwargs, remember=True):
        """Place -> OpenShape. With `remember` the call counts as one that is compiled."""
        receivers = 1 if is_method_call(self._function, args) else 0
        signature = inspect.signature(self._function, follow_wrapped=False)
        chosen = self._choose(args, receivers)
        if chosen is not None:
            return chosen.shapes(args, kwargs, signature, receivers)
        return self._policy.shapes_for(tensors_in_call(args, kwargs), remember)

    def _choose(self, args, receivers):
        marked = getattr(self._function, TEMPLATES, None)
        cell = args[0] if receivers and self._function.__name__ == "construct" else None
        of_cell = cell_templates(cell)
        if marked is not None and of_cell is not None:
            raise ValueError(
                f"{type(cell).__name__}: construct has templates from enable_dynamic and from set_inputs; "
                "need one of both"
            )
        return next((given for given in (self._templates, marked, of_cell) if given is not None), None)


def static_attempts_of(options, function):
    """Returns the number of shapes of a function that are compiled as they are; None if all are.

    In bytecode sizes are opened by themselves: with `_symbolic` once they change, with `relax_guard_count` after so
    many shapes, else as `dynamic=1` does it.
    """
    if options.capture_mode != "bytecode":
        return options.static_attempts if options.dynamic else None
    keys = options.bytecode
    if keys.relax_guard_count and keys.relaxes(function):
        return keys.relax_guard_count
    return 1 if keys.symbolic else options.static_attempts


def constant_values_of(options, function):
    """Returns the number of values of a number that are compiled as constants; None if all are."""
    if options.capture_mode != "bytecode":
        return None
    keys = options.bytecode
    if not keys.specialize_scalar:
        return 0
    if keys.relax_guard_count and keys.relaxes(function):
        return keys.relax_guard_count
    return options.static_attempts


def cell_templates(cell):
    """Returns the arguments of `set_inputs` of a Cell; None for anything else."""
    given = getattr(cell, "__dict__", {}).get("_input_templates")
    if given is None:
        return None
    return ArgumentTemplates(type(cell).__name__, given, inspect.signature(cell.construct))


def is_method_call(function, args):
    """Returns whether the first argument is the receiver: its class has this very function under that name."""
    if not args:
        return False
    owner = args[0] if inspect.isclass(args[0]) else type(args[0])
    found = inspect.getattr_static(owner, function.__name__, None)
    while found is not None and not isinstance(found, types.FunctionType):
        found = getattr(found, "__wrapped__", None) or getattr(found, "__func__", None)
    return found is not None and found.__code__ is function.__code__
