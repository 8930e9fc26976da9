"""Checks of the arguments of audio transforms. `owner` is the public class that the errors speak for."""

import math
import numbers

from dyad.dataset.transforms._arguments import require_int, require_range, require_type

__all__ = [
    "at_least",
    "fraction",
    "number",
    "optional",
    "positive",
    "require_int",
    "require_range",
    "require_type",
    "sample_rate",
]


def number(owner, name, value):
    """A finite number, as a float."""
    require_type(owner, name, value, numbers.Real)
    if not math.isfinite(value):
        raise ValueError(f"{owner}: {name} is {value}; need a finite number")
    return float(value)


def positive(owner, name, value):
    """A number above 0."""
    if number(owner, name, value) <= 0:
        raise ValueError(f"{owner}: {name} is {value}; need a number above 0")
    return float(value)


def at_least(owner, name, value, low):
    """A number that is not below `low`."""
    if number(owner, name, value) < low:
        raise ValueError(f"{owner}: {name} is {value}; need a number of at least {low}")
    return float(value)


def fraction(owner, name, value, low=0.0, high=1.0):
    """A number in [low, high]."""
    return require_range(owner, name, number(owner, name, value), low, high)


def optional(check, owner, name, value, *rest):
    """None, or what the check makes of the value."""
    return None if value is None else check(owner, name, value, *rest)


def sample_rate(owner, value):
    """Samples per second: an int other than 0."""
    require_type(owner, "sample_rate", value, int)
    if value == 0:
        raise ValueError(f"{owner}: sample_rate is 0; need an int other than 0")
    return value
