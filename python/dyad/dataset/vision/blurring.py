"""Blurred images."""

from typing import Any

from dyad.dataset import _arguments
from dyad.dataset.vision._image_operation import ImageOperation

__all__ = ["GaussianBlur"]

_LARGEST = 16777216


def _odd_sizes(kernel_size):
    sizes = kernel_size
    if not isinstance(kernel_size, (list, tuple)):
        sizes = [kernel_size, kernel_size]
    if len(sizes) != 2:
        raise TypeError(
            f"GaussianBlur: kernel_size is {kernel_size!r}; need an int or a pair (width, height)"
        )
    for size in sizes:
        if _arguments.integer("GaussianBlur", "kernel_size", size, 1, _LARGEST) % 2 == 0:
            raise ValueError(f"GaussianBlur: kernel_size is {kernel_size!r}; need an odd number")
    return list(sizes)


def _deviations(sigma, sizes):
    """The deviations along x and y; one of 0 follows from the size of the kernel, y's from x's."""
    given = sigma if isinstance(sigma, (list, tuple)) else [sigma if sigma is not None else 0] * 2
    if len(given) != 2:
        raise TypeError(f"GaussianBlur: sigma is {sigma!r}; need a number or a pair (x, y)")
    across, down = (_arguments.number("GaussianBlur", "sigma", number, 0, _LARGEST) for number in given)
    across = across or ((sizes[0] - 1) * 0.5 - 1) * 0.3 + 0.8
    return [across, down or across]


class GaussianBlur(ImageOperation):
    """Gaussian blur: a mean of neighboring values with the weights of a Gaussian.

    `kernel_size` is the number of neighbors along x and y, odd; `sigma` the standard deviations, by default ((size -
    1) * 0.5 - 1) * 0.3 + 0.8 for the size along x. Beyond an edge the image is mirrored without the edge.
    """

    def __init__(self, kernel_size, sigma=None):
        sizes = _odd_sizes(kernel_size)
        self._attributes = {"sizes": sizes, "sigmas": _deviations(sigma, sizes)}

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "gaussian_blur", self._attributes
