"""Changes of brightness, contrast, saturation, hue, sharpness and gamma, fixed and random."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "RandomAdjustSharpness",
    "RandomColor",
    "RandomColorAdjust",
    "RandomSharpness",
]

_LARGEST_FACTOR = 16777216


def _factor(owner, name, value):
    return _arguments.number(type(owner).__name__, name, value, 0, _LARGEST_FACTOR)


def _ordered(reader, name, value, low, high):
    """[smallest, largest] of a pair of numbers in [low, high]."""
    pair = _arguments.sequence(reader, name, value, 2)
    pair = [_arguments.number(reader, f"{name}[{i}]", end, low, high) for i, end in enumerate(pair)]
    if pair[0] > pair[1]:
        raise ValueError(f"{reader}: {name} is {value!r}; need (smallest, largest)")
    return pair


def _range_of(name, value, low, high, middle):
    """The range of a factor of RandomColorAdjust: a pair, or a number, which is how far it may be from `middle`."""
    reader = "RandomColorAdjust"
    if isinstance(value, (list, tuple)):
        return _ordered(reader, name, value, low, high)
    spread = _arguments.number(reader, name, value, 0, high)
    return [max(low, middle - spread), middle + spread]


class _Adjustment(ImageOperation):
    """An image changed by one factor, given or drawn."""

    _entry: str
    _attributes: dict[str, Any]

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return self._entry, {"class": type(self).__name__} | self._attributes


class AdjustBrightness(_Adjustment):
    """Multiplies the values by `brightness_factor`: 0 is black, 1 changes nothing. uint8 values are clipped to [0,
    255].
    """

    _entry, gives_pil = "adjust_brightness", True

    def __init__(self, brightness_factor):
        self._attributes = {"factor": _factor(self, "brightness_factor", brightness_factor)}


class AdjustContrast(_Adjustment):
    """Moves the values from the mean of the luma: `contrast_factor` 0 is the mean everywhere, 1 changes nothing."""

    _entry, gives_pil = "adjust_contrast", True

    def __init__(self, contrast_factor):
        self._attributes = {"factor": _factor(self, "contrast_factor", contrast_factor)}


class AdjustSaturation(_Adjustment):
    """Interpolates between the luma and the colors: `saturation_factor` 0 is gray, 1 changes nothing."""

    _entry, gives_pil = "adjust_saturation", True

    def __init__(self, saturation_factor):
        self._attributes = {"factor": _factor(self, "saturation_factor", saturation_factor)}


class AdjustSharpness(_Adjustment):
    """Moves the values from their smoothed ones: `sharpness_factor` 0 is smoothed, 1 changes nothing, 2 is sharper."""

    _entry = "adjust_sharpness"

    def __init__(self, sharpness_factor):
        self._attributes = {"factor": _factor(self, "sharpness_factor", sharpness_factor)}


class AdjustHue(_Adjustment):
    """Rotates the hue of the colors by `hue_factor` of the circle, in [-0.5, 0.5]."""

    _entry, gives_pil = "adjust_hue", True

    def __init__(self, hue_factor: float) -> None:
        self._attributes = {"factor": _arguments.number("AdjustHue", "hue_factor", hue_factor, -0.5, 0.5)}


class AdjustGamma(_Adjustment):
    """Gamma correction, `gain` * value ** `gamma`, where 1 is the largest value. Floats have the range [0, 1]."""

    _entry, gives_pil = "adjust_gamma", True

    def __init__(self, gamma, gain: float = 1) -> None:
        self._attributes = {
            "gamma": _factor(self, "gamma", gamma),
            "gain": _arguments.number("AdjustGamma", "gain", gain, -_LARGEST_FACTOR, _LARGEST_FACTOR),
        }


class RandomColor(_Adjustment):
    """`AdjustSaturation` with a factor drawn from `degrees`, (smallest, largest)."""

    _entry, gives_pil = "random_color", True

    def __init__(self, degrees=(0.1, 1.9)):
        self._attributes = {"range": _ordered("RandomColor", "degrees", degrees, 0, _LARGEST_FACTOR)}


class RandomSharpness(_Adjustment):
    """`AdjustSharpness` with a factor drawn from `degrees`, (smallest, largest)."""

    _entry, gives_pil = "random_sharpness", True

    def __init__(self, degrees=(0.1, 1.9)):
        self._attributes = {"range": _ordered("RandomSharpness", "degrees", degrees, 0, _LARGEST_FACTOR)}


class RandomAdjustSharpness(_Adjustment):
    """`AdjustSharpness(degree)` with probability `prob`."""

    _entry = "random_adjust_sharpness"

    def __init__(self, degree, prob: float = 0.5) -> None:
        self._attributes = {
            "factor": _factor(self, "degree", degree),
            "prob": _arguments.probability("RandomAdjustSharpness", prob),
        }


class RandomColorAdjust(_Adjustment):
    """Brightness, contrast, saturation and hue in an order that is drawn, each with a factor that is drawn.

    A range is a pair (smallest, largest), or a number for how far the factor may be from 1 (of `hue`: from 0).
    """

    _entry, gives_pil = "random_color_adjust", True

    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        self._attributes = {
            "brightness": _range_of("brightness", brightness, 0, _LARGEST_FACTOR, 1),
            "contrast": _range_of("contrast", contrast, 0, _LARGEST_FACTOR, 1),
            "saturation": _range_of("saturation", saturation, 0, _LARGEST_FACTOR, 1),
            "hue": _range_of("hue", hue, -0.5, 0.5, 0),
        }
