"""Measures of images and cutting them."""

import math

from dyad import ops
from dyad._core import Tensor, float16, float32
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_above, require_fraction, require_int, require_number
from dyad.nn.cell import Cell

__all__ = ["MSSSIM", "PSNR", "SSIM", "CentralCrop", "ImageGradients"]


class CentralCrop(Cell):
    """The center of (C, H, W) or (N, C, H, W), `central_fraction` of each side."""

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        self.central_fraction = require_fraction(
            "CentralCrop", "central_fraction", central_fraction, ends="(0, 1]"
        )

    def construct(self, image):
        """A view of the center; ValueError unless the image has 3 or 4 dimensions."""
        if image.ndim not in (3, 4):
            raise ValueError(f"CentralCrop: image has shape {image.shape}; need 3 or 4 dimensions")
        margins = [int((size - size * self.central_fraction) / 2) for size in image.shape[-2:]]
        rows, columns = (
            slice(margin, size - margin) for margin, size in zip(margins, image.shape[-2:], strict=True)
        )
        return image[..., rows, columns]


class ImageGradients(Cell):
    """Differences to the next row and to the next column of (N, C, H, W); the last ones are 0."""

    def construct(self, images):
        """(differences down, differences to the right), each of the shape of `images`."""
        if images.ndim != 4:
            raise ValueError(f"ImageGradients: images has shape {images.shape}; need 4 dimensions")
        down = ops.pad(images[:, :, 1:, :] - images[:, :, :-1, :], [0, 0, 0, 1])
        right = ops.pad(images[:, :, :, 1:] - images[:, :, :, :-1], [0, 1])
        return down, right


def _float_pair(owner, first, second):
    """Two batches of images of one shape and dtype, as floats."""
    if first.dtype != second.dtype:
        raise TypeError(
            f"{owner}: the images have dtypes {first.dtype} and {second.dtype}; need one dtype for both"
        )
    if first.shape != second.shape or first.ndim != 4:
        raise ValueError(
            f"{owner}: the images have shapes {first.shape} and {second.shape}; need one shape (N, C, H, W)"
        )
    return (first, second) if first.is_floating_point() else (first.astype(float32), second.astype(float32))


def _require_max_val(owner, value):
    if require_number(owner, "max_val", value) <= 0:
        raise ValueError(f"{owner}: max_val is {value}; need a positive number")
    return value


class PSNR(Cell):
    """Peak signal-to-noise ratio of two batches of images, in decibels, one number per image."""

    def __init__(self, max_val=1.0):
        super().__init__()
        self.max_val = _require_max_val("PSNR", max_val)

    def construct(self, img1, img2) -> Tensor:
        """(N, C, H, W) twice, of one shape and dtype, to (N,)."""
        img1, img2 = _float_pair("PSNR", img1, img2)
        error = ops.square(img1 - img2).mean((-3, -2, -1))
        return ops.log(self.max_val**2 / error) * (10 / math.log(10))


class _StructuralSimilarity(Cell):
    """Local means and variances under a Gaussian window."""

    def __init__(self, max_val, filter_size: int, filter_sigma: float, k1, k2) -> None:
        super().__init__()
        owner = type(self).__name__
        self.max_val = _require_max_val(owner, max_val)
        self.filter_size = require_int(owner, "filter_size", filter_size, low=1)
        self.filter_sigma = require_above(owner, "filter_sigma", filter_sigma, 0)
        self._stabilizers = (k1 * max_val) ** 2, (k2 * max_val) ** 2
        offsets = numpy.arange(filter_size) - (filter_size - 1) / 2
        line = numpy.exp(-(offsets**2) / (2 * filter_sigma**2))
        window = numpy.outer(line, line)
        self._window = Tensor((window / window.sum()).astype(numpy.float32)[None, None])

    def _similarity(self, first, second):
        """Means over positions and channels of the whole measure and of its contrast part, one per image."""
        if min(first.shape[-2:]) < self.filter_size:
            raise ValueError(
                f"{type(self).__name__}: the images have shape {first.shape}; need at least "
                f"{self.filter_size} rows and columns"
            )
        mean1, mean2 = self._blur(first), self._blur(second)
        product = self._blur(first * second) - mean1 * mean2
        squares = self._blur(first * first + second * second) - mean1 * mean1 - mean2 * mean2
        for_means, for_contrast = self._stabilizers
        contrast = (2 * product + for_contrast) / (squares + for_contrast)
        luminance = (2 * mean1 * mean2 + for_means) / (mean1 * mean1 + mean2 * mean2 + for_means)
        return (luminance * contrast).mean((-3, -2, -1)), contrast.mean((-3, -2, -1))

    def _blur(self, x):
        batch, channels, height, width = x.shape
        blurred = ops.conv2d(x.reshape(batch * channels, 1, height, width), self._window.astype(x.dtype))
        return blurred.reshape(batch, channels, *blurred.shape[-2:])


class SSIM(_StructuralSimilarity):
    """Structural similarity of two batches of images, one number per image."""

    def __init__(self, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)

    def construct(self, img1, img2):
        """(N, C, H, W) twice, of one shape and dtype, to (N,)."""
        for image in (img1, img2):
            if image.is_floating_point() and image.dtype not in (float16, float32):
                raise TypeError(
                    f"SSIM: an image has dtype {image.dtype}; need float16, float32 or an integer dtype"
                )
        img1, img2 = _float_pair("SSIM", img1, img2)
        return self._similarity(img1, img2)[0]


class MSSSIM(_StructuralSimilarity):
    """Structural similarity over several scales, each half the size of the one before."""

    def __init__(
        self,
        max_val=1.0,
        power_factors: tuple | list = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size=11,
        filter_sigma=1.5,
        k1=0.01,
        k2=0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, (tuple, list)):
            raise TypeError(
                f"MSSSIM: power_factors is of type {type(power_factors).__name__}; need a tuple or list of numbers"
            )
        self.power_factors = tuple(
            require_number("MSSSIM", "power_factors", factor) for factor in power_factors
        )

    def construct(self, img1, img2):
        """(N, C, H, W) twice, of one shape and dtype, to (N,)."""
        img1, img2 = _float_pair("MSSSIM", img1, img2)
        result = None
        for scale, factor in enumerate(self.power_factors):
            if scale:
                img1, img2 = (ops.avg_pool2d(image, 2, 2) for image in (img1, img2))
            whole, contrast = self._similarity(img1, img2)
            last = scale == len(self.power_factors) - 1
            part = ops.relu(whole if last else contrast) ** factor
            result = part if result is None else result * part
        return result
