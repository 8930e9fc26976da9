"""Parts of functions of `dyad.numpy` that packages borrow; found in `dyad.numpy.utils` and `dyad.numpy.utils_const`."""

from dyad.numpy.operand import as_tensor

__all__: list[str] = []


def _to_tensor(*args):
    """The value as a Tensor; a tuple of Tensors for several."""
    if len(args) == 1:
        return as_tensor(args[0])
    return tuple(as_tensor(value) for value in args)


def _raise_type_error(info, param=None):
    """Raises a TypeError with `info`, then the parameter."""
    raise TypeError(info if param is None else f"{info}{param}")


def _raise_value_error(info, param=None):
    """Raises a ValueError with `info`, then the parameter."""
    raise ValueError(info if param is None else f"{info}{param}")
