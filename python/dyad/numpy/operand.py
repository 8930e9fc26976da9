"""Conversion of the arguments of `dyad.numpy`: Tensors, numbers, and nested lists or tuples of numbers."""

from collections.abc import Iterable

from dyad import _core, ops
from dyad._core import GraphNumber, Tensor
from dyad._src.base import argument_checks
from dyad._src.base.argument_checks import held_number, plain_number
from dyad.dtype import pytype_to_dtype

# Python numbers become 32-bit here, where `Tensor(...)` itself makes int64 of ints.
_NARROW = {_core.int64: _core.int32, _core.float64: _core.float32}


def as_dtype(dtype):
    """A dtype from a dtype, its name, or a Python or NumPy type; None stays None."""
    if dtype is None or isinstance(dtype, _core.DType):
        return dtype
    if dtype is int or dtype is float:
        return _core.int32 if dtype is int else _core.float32
    if isinstance(dtype, str) and isinstance(getattr(_core, dtype, None), _core.DType):
        return getattr(_core, dtype)
    try:
        return pytype_to_dtype(dtype)
    except NotImplementedError as error:
        raise TypeError(f"dtype: {error}") from None


def as_flag(value):
    """A switch: any number is one, as in NumPy; other values are returned unchanged, for the operator to reject."""
    value = held_number(value)
    return bool(value) if isinstance(value, int) else value


# A dynamic number is passed on: operators report what they reject. A NumPy number and an array or Tensor of one
# element are the number that they hold, and a bool is 0 or 1, as in NumPy.


def require_int(caller, name, value, low=None):
    """An int, of at least `low`."""
    number = held_number(value)
    if isinstance(number, GraphNumber):
        return number
    return argument_checks.require_int(caller, name, int(number) if isinstance(number, bool) else number, low)


def require_number(caller, name, value):
    """An int or float, or a Tensor."""
    value = plain_number(value)
    if isinstance(value, (GraphNumber, Tensor, bool)):
        return value
    return argument_checks.require_number(caller, name, value)


def require_flag(caller, name, value) -> bool:
    """A switch that the function reads itself: a bool, or 0 or any other int."""
    number = held_number(value)
    if not isinstance(number, (int, GraphNumber)):
        raise TypeError(f"{caller}: {name} is {value!r}; need a bool")
    return bool(number)


def require_ints(caller, name, value) -> tuple:
    """One int or several, as a tuple."""
    value = plain_number(value)
    if isinstance(value, (tuple, list)):
        return tuple(value)
    if isinstance(value, (int, GraphNumber)):
        return (value,)
    if isinstance(value, (str, dict)) or not isinstance(value, Iterable):
        raise TypeError(f"{caller}: {name} is {value!r}; need an int or a sequence of ints")
    return tuple(value)


def as_tensors(caller, name, value):
    """Several arrays as a list of Tensors; an array is that of its rows."""
    if isinstance(value, Tensor):
        return list(value)
    if isinstance(value, (str, dict)) or not isinstance(value, (tuple, list, Iterable)):
        raise TypeError(f"{caller}: {name} is {value!r}; need a sequence of arrays")
    return [as_tensor(part) for part in value]


def as_tensor(value, dtype=None):
    """The value as a Tensor; a Tensor or array keeps its dtype unless another is requested."""
    dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        return value if dtype is None or value.dtype == dtype else value.astype(dtype)
    if value is None:  # of which Tensor(None) makes a template
        raise TypeError("array: the value is None; need a Tensor, a number or a sequence of them")
    if _holds_tensors(value):
        return _joined(value, dtype)
    try:
        tensor = Tensor(value, dtype)
    except TypeError:
        if _is_ragged(value):
            raise ValueError(f"array: {value!r:.80} has parts of unequal length; need one length") from None
        raise
    if dtype is None and not hasattr(value, "__array_interface__"):
        narrow = _NARROW.get(tensor.dtype)
        return tensor if narrow is None else tensor.astype(narrow)
    return tensor


def _holds_tensors(value):
    """Returns whether nested lists or tuples contain a Tensor."""
    if not isinstance(value, (list, tuple)):
        return False
    return any(isinstance(part, Tensor) or _holds_tensors(part) for part in value)


def _is_ragged(value):
    """Returns whether lists of one level of a nested list have different lengths, or are mixed with numbers."""
    if not isinstance(value, (list, tuple)):
        return False
    lengths = {len(part) if isinstance(part, (list, tuple)) else None for part in value}
    return len(lengths) > 1 or any(map(_is_ragged, value))


def _joined(parts, dtype):
    """Lists, tuples, numbers and Tensors of one shape, joined along a new first dimension."""
    tensors = [as_tensor(part, dtype) for part in parts]
    if len({tensor.shape for tensor in tensors}) > 1:
        shapes = ", ".join(str(tensor.shape) for tensor in tensors)
        raise ValueError(f"array: the parts of a list have the shapes {shapes}; need one shape")
    return ops.stack(tensors)


def axis_from_front(caller, axis, ndim):
    """An axis counted from the first one."""
    axis = held_number(axis)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"{caller}: axis is {axis!r}; need an int")
    if not -ndim <= axis < ndim:
        raise ValueError(f"{caller}: axis is {axis}; need {-ndim} to {ndim - 1}")
    return axis % ndim


def converted(tensor, dtype):
    """The result in the requested dtype."""
    return tensor if dtype is None else tensor.astype(as_dtype(dtype))


def as_float(value):
    """A Tensor of floats or complex numbers; integers and bools become float32."""
    tensor = as_tensor(value)
    return (
        tensor if tensor.dtype.is_floating_point or tensor.dtype.is_complex else tensor.astype(_core.float32)
    )
