"""Changes of what the channels of images mean, and mixtures of channels."""

from typing import Any

import numpy

from dyad.dataset import _arguments
from dyad.dataset._operation import Implementation, PyTensorOperation
from dyad.dataset.vision._array_operation import ArrayOperation
from dyad.dataset.vision._image_operation import ImageOperation
from dyad.dataset.vision.enums import ConvertMode

__all__ = [
    "ConvertColor",
    "Grayscale",
    "HsvToRgb",
    "LinearTransformation",
    "RandomGrayscale",
    "RandomLighting",
    "RgbToHsv",
]


class ConvertColor(ImageOperation):
    """Reorders channels, adds or removes the alpha channel, or converts to gray: `convert_mode`, a ConvertMode."""

    def __init__(self, convert_mode: ConvertMode) -> None:
        self._mode = _arguments.require_kind("ConvertColor", "convert_mode", convert_mode, ConvertMode)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "convert_color", {"mode": int(self._mode)}


class Grayscale(ImageOperation):
    """Converts to gray: the luma of a color image, with 1 channel or 3 equal ones."""

    implementation = Implementation.PY

    gives_pil = True

    def __init__(self, num_output_channels: int = 1) -> None:
        self._channels = _arguments.integer("Grayscale", "num_output_channels", num_output_channels, 1, 3)
        if self._channels == 2:
            raise ValueError("Grayscale: num_output_channels is 2; need 1 or 3")

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "grayscale", {"channels": self._channels}


class RandomGrayscale(ImageOperation):
    """Converts to gray with probability `prob`: the luma of a color image in all three channels."""

    implementation = Implementation.PY

    gives_pil = True

    def __init__(self, prob: float = 0.1) -> None:
        self._prob = _arguments.probability("RandomGrayscale", prob)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_grayscale", {"prob": self._prob}


class RgbToHsv(ArrayOperation):
    """Red, green, blue as hue in [0, 1], saturation in [0, 1] and the largest of them, in float64.

    The image is (channels, height, width), or (height, width, channels) if `is_hwc`; a batch of them does too.
    """

    implementation = Implementation.PY

    def __init__(self, is_hwc: bool = False) -> None:
        self._is_hwc = _arguments.require_kind("RgbToHsv", "is_hwc", is_hwc, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "rgb_to_hsv", {"is_hwc": self._is_hwc}


class HsvToRgb(ArrayOperation):
    """The inverse of `RgbToHsv`."""

    implementation = Implementation.PY

    def __init__(self, is_hwc: bool = False) -> None:
        self._is_hwc = _arguments.require_kind("HsvToRgb", "is_hwc", is_hwc, bool)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "hsv_to_rgb", {"is_hwc": self._is_hwc}


class RandomLighting(ImageOperation):
    """AlexNet's color augmentation: adds ImageNet's principal components of color with normal weights times `alpha`."""

    gives_pil = True

    def __init__(self, alpha: float = 0.05) -> None:
        self._alpha = _arguments.number("RandomLighting", "alpha", alpha, 0, 16777216)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "random_lighting", {"alpha": self._alpha}


class LinearTransformation(PyTensorOperation):
    """(image - mean_vector) @ transformation_matrix, with the image as one vector.

    For an image of D values, the matrix is (D, D) and the vector (D,). It runs in NumPy, whose product it is.
    """

    implementation = Implementation.PY

    def __init__(self, transformation_matrix, mean_vector):
        reader = "LinearTransformation"
        _arguments.require_kind(reader, "transformation_matrix", transformation_matrix, numpy.ndarray)
        _arguments.require_kind(reader, "mean_vector", mean_vector, numpy.ndarray)
        size = transformation_matrix.shape
        if len(size) != 2 or size[0] != size[1]:
            raise ValueError(f"{reader}: transformation_matrix has shape {size}; need a square matrix")
        if mean_vector.shape != size[:1]:
            raise ValueError(f"{reader}: mean_vector has shape {mean_vector.shape}; need {size[:1]}")
        self._matrix, self._mean = transformation_matrix, mean_vector

    def apply(self, columns, random) -> tuple:
        """The columns multiplied with the matrix."""
        return tuple(map(self._transformed, columns))

    def _transformed(self, image):
        if not isinstance(image, numpy.ndarray):
            raise TypeError(
                f"LinearTransformation: the image is of type {type(image).__name__}; need a NumPy array"
            )
        if image.size != self._mean.size:
            raise ValueError(
                f"LinearTransformation: the image has shape {image.shape} and so {image.size} values; "
                f"the matrix of shape {self._matrix.shape} takes {self._mean.size}"
            )
        return ((image.reshape(1, -1) - self._mean) @ self._matrix).reshape(image.shape)
