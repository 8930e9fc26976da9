"""`enable_dynamic`: templates for single arguments, written above a function."""

import inspect
import types

from dyad._core import Tensor
from dyad._src.jit.dynamic_shapes.symbolic_dims import shape_of_template
from dyad._src.jit.dynamic_shapes.templates import ArgumentTemplates

TEMPLATES = "__dynamic_templates__"


def enable_dynamic(**kwargs):
    """A decorator, above or below `@jit`: the named arguments may differ between calls in the sizes left open.

    Each value is a Tensor made with None for sizes that change, or a tuple or list of such Tensors.
    """
    if not kwargs:
        raise ValueError(
            "enable_dynamic: no argument is named; need name=Tensor(shape=(None, ...), dtype=...)"
        )
    for name, template in kwargs.items():
        _require_open(name, template)

    def mark(function):
        target = _written_function(function)
        owner = f"enable_dynamic of {target.__qualname__}"
        setattr(target, TEMPLATES, ArgumentTemplates(owner, dict(kwargs), inspect.signature(target)))
        return function

    return mark


def _require_open(name, template):
    parts = template if isinstance(template, (tuple, list)) and template else (template,)
    for part in parts:
        if not isinstance(part, Tensor):
            raise TypeError(
                f"enable_dynamic: {name} is of type {type(part).__name__}; need a Tensor, or a tuple or list of them"
            )
    if all(isinstance(size, int) for part in parts for size in shape_of_template(part) or (None,)):
        raise TypeError(
            f"enable_dynamic: {name} has shape {[tuple(part.shape) for part in parts]}; need a None in it"
        )


def _written_function(function):
    """The function that was written: every wrapper of it shall see the templates."""
    target = function
    while getattr(target, "__wrapped_by_jit__", False) or isinstance(target, (classmethod, staticmethod)):
        target = target.__wrapped__ if hasattr(target, "__wrapped__") else target.__func__
    if isinstance(target, types.MethodType):
        target = target.__func__
    if not isinstance(target, types.FunctionType):
        raise TypeError(
            f"enable_dynamic: got {function!r} of type {type(function).__name__}; need a function"
        )
    return target
