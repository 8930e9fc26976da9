"""Checks of the arguments of image transforms. `reader` is the public class that the errors speak for."""

import numbers

from dyad.dataset.vision.enums import Border, Inter

_LARGEST_SIZE = 16777216
_LARGEST_INT = 2147483647


def require_type(reader, name, value, *kinds):
    """A TypeError unless the value is an instance of one of the types; a bool counts as bool only."""
    if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
        return value
    wanted = " or ".join(kind.__name__ for kind in kinds)
    raise TypeError(f"{reader}: {name} is {value!r} of type {type(value).__name__}; need type {wanted}")


def require_range(reader, name, value, low, high):
    """A ValueError unless low <= value <= high."""
    if not low <= value <= high:
        raise ValueError(f"{reader}: {name} is {value}; need a value in [{low}, {high}]")
    return value


def integer(reader, name, value, low=0, high=_LARGEST_INT):
    """An int in [low, high]."""
    return require_range(reader, name, require_type(reader, name, value, int), low, high)


def number(reader, name, value, low=-float("inf"), high=float("inf")):
    """A real number in [low, high], as a float."""
    require_type(reader, name, value, numbers.Real)
    return float(require_range(reader, name, value, low, high))


def probability(reader, value, name="prob"):
    """A number in [0, 1]."""
    return number(reader, name, value, 0.0, 1.0)


def sequence(reader, name, value, *lengths):
    """A list or tuple with one of the lengths, as a list."""
    require_type(reader, name, value, list, tuple)
    if len(value) not in lengths:
        wanted = " or ".join(map(str, lengths))
        raise ValueError(f"{reader}: {name} is {value!r} with {len(value)} values; need {wanted}")
    return list(value)


def size_pair(reader, size, name="size", square=True):
    """[height, width] of an int or a pair; [side] of an int that does not mean a square."""
    if isinstance(size, int):
        side = integer(reader, name, int(size), 1, _LARGEST_SIZE)
        return [side, side] if square else [side]
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise TypeError(f"{reader}: {name} is {size!r}; need an int or a pair (height, width) of them")
    return [integer(reader, f"{name}[{i}]", side, 1, _LARGEST_SIZE) for i, side in enumerate(size)]


def paddings(reader, padding):
    """[left, top, right, bottom] of one int, of (left and right, top and bottom), or of four."""
    if not isinstance(padding, (list, tuple)):
        return [integer(reader, "padding", padding)] * 4
    sides = [
        integer(reader, f"padding[{i}]", side)
        for i, side in enumerate(sequence(reader, "padding", padding, 2, 4))
    ]
    return sides if len(sides) == 4 else sides * 2


def fill_values(reader, fill_value):
    """Three ints in [0, 255] of one int or of a tuple of three."""
    if isinstance(fill_value, int):
        return [integer(reader, "fill_value", fill_value, 0, 255)] * 3
    if not isinstance(fill_value, tuple) or len(fill_value) != 3:
        raise TypeError(f"{reader}: fill_value is {fill_value!r}; need an int or a tuple of three")
    return [integer(reader, f"fill_value[{i}]", value, 0, 255) for i, value in enumerate(fill_value)]


def border(reader, padding_mode):
    """The name of a member of Border."""
    return require_type(reader, "padding_mode", padding_mode, Border).value


def interpolation(reader, value, name="interpolation"):
    """A member of Inter."""
    return require_type(reader, name, value, Inter)


def ascending_pair(reader, name, value):
    """[low, high] with 0 <= low <= high and high > 0."""
    low, high = (
        number(reader, f"{name}[{i}]", x, 0, _LARGEST_SIZE)
        for i, x in enumerate(sequence(reader, name, value, 2))
    )
    if low > high:
        raise ValueError(f"{reader}: {name} is {value!r}; need (smallest, largest)")
    if high == 0:
        raise ValueError(f"{reader}: {name} is {value!r}; need the largest above 0")
    return [low, high]
