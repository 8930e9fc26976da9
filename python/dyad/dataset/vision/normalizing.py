"""Normalization of values and layout of channels."""

from typing import Any

import numpy

from dyad import _core
from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = ["HWC2CHW", "Normalize", "NormalizePad", "Rescale", "ToTensor"]


class Rescale(ImageOperation):
    """Multiplies each value by `rescale` and adds `shift`; returns float32."""

    def __init__(self, rescale: float, shift: float) -> None:
        self._attributes = {
            "rescale": _arguments.number("Rescale", "rescale", rescale),
            "shift": _arguments.number("Rescale", "shift", shift),
        }

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "rescale", self._attributes


def _statistics(reader, mean, std):
    """Mean and deviation per channel, from lists or tuples of equal length."""
    for name, values in (("mean", mean), ("std", std)):
        _arguments.require_kind(reader, name, values, list, tuple)
    if len(mean) != len(std):
        raise ValueError(f"{reader}: mean has {len(mean)} values and std {len(std)}; need as many in both")
    if not mean:
        raise ValueError(f"{reader}: mean is {mean!r}; need a value for each channel, or one")
    for i, value in enumerate(std):
        if _arguments.number(reader, f"std[{i}]", value, 0, 255) == 0:
            raise ValueError(f"{reader}: std[{i}] is {value}; need a value in (0, 255]")
    return {
        "mean": [_arguments.number(reader, f"mean[{i}]", value, 0, 255) for i, value in enumerate(mean)],
        "std": [float(value) for value in std],
    }


class Normalize(ImageOperation):
    """Subtracts the mean and divides by the standard deviation of each channel; returns float32.

    Channels are the last axis, or the first with `is_hwc=False`. One value applies to all channels.
    """

    def __init__(self, mean, std, is_hwc: bool = True) -> None:
        self._attributes = _statistics("Normalize", mean, std)
        self._attributes["is_hwc"] = _arguments.require_kind("Normalize", "is_hwc", is_hwc, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "normalize", self._attributes


class NormalizePad(ImageOperation):
    """Normalizes an image and adds a channel of zeros; returns float32 or float16."""

    def __init__(self, mean, std, dtype: str = "float32", is_hwc: bool = True) -> None:
        self._attributes = _statistics("NormalizePad", mean, std)
        self._attributes["is_hwc"] = _arguments.require_kind("NormalizePad", "is_hwc", is_hwc, bool)
        _arguments.require_kind("NormalizePad", "dtype", dtype, str)
        if dtype not in ("float32", "float16"):
            raise ValueError(f"NormalizePad: dtype is {dtype!r}; need 'float32' or 'float16'")
        self._attributes["dtype"] = dtype

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "normalize_pad", self._attributes


class HWC2CHW(ImageOperation):
    """Puts the channels of an image (height, width, channels) first."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "hwc2chw", {}


class ToTensor(ImageOperation):
    """An image of values from 0 to 255 as an array (channels, height, width) of values from 0 to 1."""

    def __init__(self, output_type=numpy.float32):
        self.output_type = _arguments.dtype_name("ToTensor", "output_type", output_type)

    def entry(self) -> tuple[str, dict[str, Any]]:
        return "to_tensor", {}

    def for_arrays(self):
        """The native transform, with a conversion if another dtype is requested."""
        floats = super().for_arrays()
        if self.output_type == "float32":
            return floats
        cast = _core.data.make_transform("type_cast", {"dtype": self.output_type})
        return _core.data.make_transform("compose", {"transforms": [floats, cast]})
