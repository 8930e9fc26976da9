"""Changes of single values: invert, posterize, solarize, and what depends on how often values occur."""

from typing import Any

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = [
    "AutoContrast",
    "Equalize",
    "Invert",
    "Posterize",
    "RandomAutoContrast",
    "RandomEqualize",
    "RandomInvert",
    "RandomPosterize",
    "RandomSolarize",
    "Solarize",
]

_native = _core.data


class _Tones(ImageOperation):
    _entry: str
    _attributes: dict[str, Any]

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return self._entry, {"class": type(self).__name__} | self._attributes


def _contrast(owner, cutoff, ignore, prob):
    reader = type(owner).__name__
    cutoff = _arguments.number(reader, "cutoff", cutoff, 0, 50)
    if cutoff == 50:
        raise ValueError(f"{reader}: cutoff is {cutoff}; need a value in [0, 50)")
    if ignore is None:
        ignore = []
    ignored = ignore if isinstance(ignore, (list, tuple)) else [ignore]
    values = [_arguments.integer(reader, "ignore", value, 0, 255) for value in ignored]
    return {"cutoff": cutoff, "ignore": values, "prob": prob}


class AutoContrast(_Tones):
    """Stretches the values of each channel of a uint8 image to [0, 255].

    `cutoff` is the percentage of the darkest and of the lightest pixels that do not count; nor do the values in
    `ignore`.
    """

    _entry, gives_pil = "auto_contrast", True

    def __init__(self, cutoff=0.0, ignore=None):
        self._attributes = _contrast(self, cutoff, ignore, 1.0)


class RandomAutoContrast(_Tones):
    """`AutoContrast(cutoff, ignore)` with probability `prob`."""

    _entry = "auto_contrast"

    def __init__(self, cutoff=0.0, ignore=None, prob: float = 0.5) -> None:
        self._attributes = _contrast(self, cutoff, ignore, _arguments.probability("RandomAutoContrast", prob))


class Equalize(_Tones):
    """Spreads the values of each channel of a uint8 image so that they are about equally frequent.

    The running count of the values is scaled to [0, 255]. Of a PIL image it is counted in whole steps, as PIL does.
    """

    _entry, gives_pil = "equalize", True

    def __init__(self):
        self._attributes = {"prob": 1.0, "steps": False}

    def for_pil(self, columns, key, arrays):
        """Levels as PIL numbers them."""
        name, attributes = self.entry()
        return super().for_pil(columns, key, _native.make_transform(name, attributes | {"steps": True}))


class RandomEqualize(_Tones):
    """`Equalize` with probability `prob`."""

    _entry = "equalize"

    def __init__(self, prob: float = 0.5) -> None:
        self._attributes = {"prob": _arguments.probability("RandomEqualize", prob), "steps": False}


class Invert(_Tones):
    """255 minus the value."""

    _entry, gives_pil = "invert", True

    def __init__(self):
        self._attributes = {"prob": 1.0}


class RandomInvert(_Tones):
    """`Invert` with probability `prob`."""

    _entry = "invert"

    def __init__(self, prob: float = 0.5) -> None:
        self._attributes = {"prob": _arguments.probability("RandomInvert", prob)}


class Posterize(_Tones):
    """Keeps the `bits` highest bits of the values of a uint8 image."""

    _entry = "posterize"

    def __init__(self, bits: int) -> None:
        bits = _arguments.integer("Posterize", "bits", bits, 0, 8)
        self._attributes = {"bits": [bits, bits]}


class RandomPosterize(_Tones):
    """`Posterize` with a number of bits drawn from `bits`, (smallest, largest) or the number itself, in [1, 8]."""

    _entry = "posterize"

    def __init__(self, bits=(8, 8)):
        reader = "RandomPosterize"
        ends = _arguments.sequence(reader, "bits", bits, 2) if isinstance(bits, (list, tuple)) else [bits] * 2
        ends = [_arguments.integer(reader, "bits", end, 1, 8) for end in ends]
        if ends[0] > ends[1]:
            raise ValueError(f"{reader}: bits is {bits!r}; need (smallest, largest)")
        self._attributes = {"bits": ends}


def _thresholds(reader, threshold, check):
    ends = [
        check(reader, "threshold", end, 0, 255)
        for end in _arguments.sequence(reader, "threshold", threshold, 2)
    ]
    if ends[0] > ends[1]:
        raise ValueError(f"{reader}: threshold is {threshold!r}; need (smallest, largest)")
    return ends


class Solarize(_Tones):
    """Inverts the values from threshold[0] to threshold[1], both included; one number stands for both.

    If both are equal, all values from there on are inverted.
    """

    _entry = "solarize"

    def __init__(self, threshold):
        ends = threshold if isinstance(threshold, (list, tuple)) else (threshold, threshold)
        self._attributes = {"threshold": _thresholds("Solarize", ends, _arguments.number)}


class RandomSolarize(_Tones):
    """`Solarize` between two whole numbers drawn from `threshold`, (smallest, largest)."""

    _entry = "random_solarize"

    def __init__(self, threshold=(0, 255)):
        self._attributes = {"threshold": _thresholds("RandomSolarize", threshold, _arguments.integer)}
