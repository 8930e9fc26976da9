"""Checks of a layer's settings; each message has the layer, the setting, its value and what is needed."""

import math
import numbers

from dyad._core import GraphNumber, Tensor


def with_article(noun):
    """ "an int", "a float"."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def a_value(value):
    """The type of a value with its article, for messages: "an int", "a Tensor"."""
    return with_article(type(value).__name__)


# A captured program reports the type of values that it has only as symbols.
for _function in (with_article, a_value):
    _function.__dict__["_is_program"] = True


class SettingError(TypeError, ValueError):
    """A setting that is of the wrong kind and none of the accepted values.

    MindSpore calls it a TypeError for some layers and a ValueError for others; programs written for either catch it.
    """


def plain_number(value):
    """The Python number that a number of NumPy or an array without dimensions holds; anything else as it is."""
    if isinstance(value, (bool, int, float, Tensor, GraphNumber)) and type(value).__module__ != "numpy":
        return value
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def held_number(value):
    """`plain_number`, also of a Tensor of one element; while a graph is captured, a dynamic number."""
    return value.item() if isinstance(value, Tensor) and value.size == 1 else plain_number(value)


def require_int(owner, name, value, low=None):
    value = plain_number(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need an int")
    if low is not None and value < low:
        raise ValueError(f"{owner}: {name} is {value}; need an int of at least {low}")
    return int(value)


def require_bool(owner, name, value):
    value = plain_number(value)
    if not isinstance(value, bool):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a bool")
    return value


def require_flag(owner, name, value):
    """A bool, or 0 or 1 in its place, as operators accept them."""
    value = held_number(value)
    if isinstance(value, GraphNumber):
        return bool(value)
    if not isinstance(value, numbers.Integral) or value not in (0, 1):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a bool")
    return bool(value)


def require_number(owner, name, value):
    value = plain_number(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a number")
    return value


def require_float(owner, name, value):
    """A float; an int is refused where it is most likely a mistake, as for a learning rate of 1."""
    value = plain_number(value)
    if not isinstance(value, float):
        raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need a float")
    return value


def require_positive(owner, name, value):
    """A float above 0."""
    value = require_float(owner, name, value)
    if not value > 0:
        raise ValueError(f"{owner}: {name} is {value}; need a float above 0")
    return value


def require_at_least_zero(owner, name, value):
    """A float of 0 or more."""
    value = require_float(owner, name, value)
    if not value >= 0:
        raise ValueError(f"{owner}: {name} is {value}; need a float of 0 or more")
    return value


def require_fraction(owner, name, value, ends="[0, 1]"):
    """A number between 0 and 1; `ends` states in interval notation whether the ends belong."""
    value = require_number(owner, name, value)
    above = value > 0 or (value == 0 and ends[0] == "[")
    below = value < 1 or (value == 1 and ends[-1] == "]")
    if not (above and below):
        # An int where a fraction is meant is of the wrong kind too.
        wrong = ValueError if isinstance(value, float) else SettingError
        raise wrong(f"{owner}: {name} is {value}; need a number in {ends}")
    return value


def require_choice(owner, name, value, accepted):
    if not isinstance(value, str):
        shown = f"{value!r} of type {type(value).__name__}"
        raise SettingError(f"{owner}: {name} is {shown}; need a str, one of {', '.join(accepted)}")
    if value not in accepted:
        raise ValueError(f"{owner}: {name} is {value!r}; need one of {', '.join(accepted)}")
    return value


def require_sizes(owner, name, value, count, low=1):
    """An int, repeated `count` times, or a sequence of `count` ints; returned as a tuple."""
    value = plain_number(value)
    if isinstance(value, (tuple, list)):
        if len(value) != count:
            raise SettingError(f"{owner}: {name} is {tuple(value)}; need an int or {count} ints")
        return tuple(require_int(owner, name, size, low) for size in value)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(
            f"{owner}: {name} is {value!r} of type {type(value).__name__}; need an int or {count} ints"
        )
    return (require_int(owner, name, value, low),) * count


def require_sequence(owner, name, value, wanted="an int or a sequence of ints"):
    """The members of a tuple or list, or the one int, as a tuple; what kind they are of is not looked at."""
    if getattr(value, "ndim", None) == 1 and not isinstance(value, Tensor):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return tuple(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return (value,)
    raise TypeError(f"{owner}: {name} is {value!r} of type {type(value).__name__}; need {wanted}")


def require_tensors(owner, **tensors):
    """Checks that all values are Tensors."""
    for name, value in tensors.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")


def require_function(owner, fn):
    if not callable(fn):
        raise TypeError(f"{owner}: fn is {fn!r} of type {type(fn).__name__}; need a function or a Cell")
    return fn


def require_shape(owner, name, tensor, shape):
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"{owner}: {name} has shape {tuple(tensor.shape)}; need {tuple(shape)}")


def require_at_least(owner, name, value, low):
    """A number that is not below `low`; NaN is."""
    value = require_number(owner, name, value)
    if not value >= low:
        raise ValueError(f"{owner}: {name} is {value}; need a number of at least {low}")
    return float(value)


def require_finite(owner, name, value):
    """A number that was checked otherwise and must not be infinite either."""
    if math.isinf(value):
        raise ValueError(f"{owner}: {name} is {value}; need a finite number")
    return value


def require_above(owner, name, value, low):
    value = require_number(owner, name, value)
    if not value > low:
        raise ValueError(f"{owner}: {name} is {value}; need a number above {low}")
    return float(value)
