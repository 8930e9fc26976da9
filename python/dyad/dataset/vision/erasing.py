"""Parts of images that are erased."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation
from dyad.dataset.vision._array_operation import ArrayOperation
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = ["CutOut", "Erase", "RandomErasing"]


class CutOut(ImageOperation):
    """Sets `num_patches` squares with sides of `length` to 0; their centers are drawn.

    The image is (height, width, channels), or (channels, height, width) if `is_hwc` is False.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self._attributes = {
            "length": _arguments.integer("CutOut", "length", length, 1),
            "patches": _arguments.integer("CutOut", "num_patches", num_patches, 1),
            "is_hwc": _arguments.require_kind("CutOut", "is_hwc", is_hwc, bool),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "cutout", self._attributes


class Erase(ImageOperation):
    """Sets a rectangle of an image (height, width, channels) to `value`, a number or one for each of three channels.

    `inplace` writes into the image that is given where its memory can be written to.
    """

    def __init__(
        self, top: int, left: int, height: int, width: int, value=0.0, inplace: bool = False
    ) -> None:
        values = value if isinstance(value, (list, tuple)) else (value,)
        if len(values) not in (1, 3):
            raise TypeError(f"Erase: value is {value!r}; need a number or three of them")
        self._attributes = {
            "top": _arguments.integer("Erase", "top", top),
            "left": _arguments.integer("Erase", "left", left),
            "height": _arguments.integer("Erase", "height", height, 1),
            "width": _arguments.integer("Erase", "width", width, 1),
            "value": [_arguments.number("Erase", "value", number, 0, 255) for number in values],
            "inplace": _arguments.require_kind("Erase", "inplace", inplace, bool),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "erase", self._attributes


def _erasing_values(value):
    """The values of RandomErasing: one, three, or none for random ones."""
    if isinstance(value, str) and value == "random":
        return []
    values = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, str) or len(values) not in (1, 3):
        raise ValueError(f"RandomErasing: value is {value!r}; need an int, three ints or 'random'")
    return [float(_arguments.integer("RandomErasing", "value", number, 0, 255)) for number in values]


class RandomErasing(ArrayOperation):
    """With probability `prob`, sets a random rectangle of an array (channels, height, width) to `value`.

    Its share of the area is drawn from `scale`, its height over its width from `ratio`; after `max_attempts` draws
    that do not fit, the image is not changed. `value` is an int, one for each of three channels, or 'random' for a
    normal number per element. `inplace` writes into the argument if its memory is writable.
    """

    implementation = Implementation.PY

    def __init__(
        self,
        prob: float = 0.5,
        scale=(0.02, 0.33),
        ratio=(0.3, 3.3),
        value=0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        reader = "RandomErasing"
        ratio = _arguments.ascending_pair(reader, "ratio", ratio)
        if ratio[0] == 0:
            raise ValueError(f"{reader}: ratio is {tuple(ratio)}; need the smallest above 0")
        self._attributes = {
            "prob": _arguments.probability(reader, prob),
            "scale": _arguments.ascending_pair(reader, "scale", scale),
            "ratio": ratio,
            "value": _erasing_values(value),
            "inplace": _arguments.require_kind(reader, "inplace", inplace, bool),
            "attempts": _arguments.integer(reader, "max_attempts", max_attempts, 1),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_erasing", self._attributes
