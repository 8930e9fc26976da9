"""Errors of calls of a Cell with wrong arguments."""

import inspect

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value

_SHOWN = (bool, int, float, complex, str, type(None))


def require_bindable(cell, args, kwargs):
    """Raises an error with the parameters of `construct` if the call does not match them."""
    owner = type(cell).__name__
    try:
        signature = inspect.signature(cell.construct)
    except ValueError:  # not even the Cell itself is a parameter
        raise TypeError(f"{owner}: construct takes no parameter; the first is the Cell, self") from None
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{owner}: {error}; construct takes {signature}{_without_self(cell)}") from None


def require_tensors(cell, error, args, kwargs):
    """Name the argument of a layer which is not a Tensor, where the layer failed to read what every Tensor has.

    Only for layers of the framework: in a program's own `construct` the AttributeError is the program's.
    """
    is_layer = (getattr(cell.construct, "__module__", None) or "").startswith("dyad.")
    if not is_layer or error.name is None or not hasattr(Tensor, error.name):
        return
    for name, value in inspect.signature(cell.construct).bind(*args, **kwargs).arguments.items():
        for place, part in _with_parts(name, value):
            if part is error.obj:
                raise TypeError(f"{type(cell).__name__}: {place} is {_shown(part)}; need a Tensor") from None


def _without_self(cell):
    """A hint for a `construct` whose first parameter, which is the Cell, is called something else."""
    function = getattr(cell.construct, "__func__", None)
    parameters = () if function is None else inspect.signature(function).parameters
    first = next(iter(parameters), None)
    return "" if first in (None, "self") else f" after {first}, which is the Cell; is self missing?"


def _with_parts(name, value):
    yield name, value
    if isinstance(value, (tuple, list)):
        for position, part in enumerate(value):
            yield f"{name}[{position}]", part


def _shown(value):
    return repr(value) if isinstance(value, _SHOWN) else a_value(value)
