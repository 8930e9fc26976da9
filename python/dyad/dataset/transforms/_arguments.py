"""Checks of the arguments of transforms. `owner` is the public class that the errors speak for."""

import numpy

from dyad import dtype as dtypes

_NAMES = {
    kind.name
    for kind in (
        dtypes.bool_,
        dtypes.int8,
        dtypes.int16,
        dtypes.int32,
        dtypes.int64,
        dtypes.uint8,
        dtypes.uint16,
        dtypes.uint32,
        dtypes.uint64,
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
    )
}


def require_type(owner, name, value, *kinds):
    """The value, which must be an instance of one of the types; a bool counts as bool only."""
    if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
        return value
    wanted = " or ".join(kind.__name__ for kind in kinds)
    raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need {wanted}")


def require_range(owner, name, value, low, high):
    """The value, which must be in [low, high]."""
    if not low <= value <= high:
        raise ValueError(f"{owner}: {name} is {value}; need a value in [{low}, {high}]")
    return value


def require_int(owner, name, value, low=0, high=2147483647):
    """An int in [low, high]."""
    return require_range(owner, name, require_type(owner, name, value, int), low, high)


def dtype_name(owner, name, value):
    """The name of a dtype of the framework, or of one that stands for a NumPy dtype."""
    if isinstance(value, dtypes.Type):
        return value.name
    try:
        found = None if value is None or isinstance(value, int) else numpy.dtype(value).name
    except TypeError:
        found = None
    found = "bool_" if found == "bool" else found
    if found not in _NAMES:
        raise TypeError(f"{owner}: {name} is {value!r}; need a dtype such as float32 or numpy.float32")
    return found


def filling(owner, name, value):
    """Attributes of a constant that fills arrays of numbers or of strings."""
    require_type(owner, name, value, bool, int, float, str, bytes)
    if isinstance(value, (str, bytes)):
        return {"text": decoded(owner, name, value)}
    try:
        return {"number": numpy.array(value, numpy.int64 if isinstance(value, int) else numpy.float64)}
    except OverflowError as error:
        raise ValueError(f"{owner}: {name} is {value}; need a number of at most 64 bits") from error


def decoded(owner, name, value):
    """A str of a str or of bytes in UTF-8."""
    try:
        return value if isinstance(value, str) else value.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{owner}: {name} is {value!r}; need bytes in UTF-8") from error
