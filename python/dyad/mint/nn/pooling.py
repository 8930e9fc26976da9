"""Pooling, padding and resizing layers with the constructors of PyTorch."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_sequence
from dyad.mint.nn import functional
from dyad.mint.nn.applied import Applied

__all__ = [
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Fold",
    "MaxPool2d",
    "MaxUnpool2d",
    "Unfold",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class AvgPool1d(Applied):
    """Average pooling of (N, C, L)."""

    _function = staticmethod(functional.avg_pool1d)

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )


class AvgPool2d(Applied):
    """Average pooling of (N, C, H, W): the mean of each window, or its sum over `divisor_override`."""

    _function = staticmethod(functional.avg_pool2d)

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override=None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class AvgPool3d(Applied):
    """Average pooling of (N, C, D, H, W): the mean of each window, or its sum over `divisor_override`."""

    _function = staticmethod(functional.avg_pool3d)

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override=None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class MaxPool2d(Applied):
    """Max pooling of (N, C, H, W); with `return_indices` also the indices of the maxima."""

    _function = staticmethod(functional.max_pool2d)

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        dilation=1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
            return_indices=return_indices,
        )


class AdaptiveMaxPool1d(Applied):
    """Adaptive max pooling to `output_size` windows; with `return_indices` also the indices of the maxima."""

    _function = staticmethod(functional.adaptive_max_pool1d)

    def __init__(self, output_size, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool2d(Applied):
    """Adaptive max pooling to `output_size` windows; with `return_indices` also the indices of the maxima."""

    _function = staticmethod(functional.adaptive_max_pool2d)

    def __init__(self, output_size, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class MaxUnpool2d(Applied):
    """Max unpooling: the maxima at their indices, zeros elsewhere."""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__(kernel_size=kernel_size, stride=stride, padding=padding)

    def construct(self, input: Tensor, indices, output_size=None):
        """(N, C, H, W), with the indices of a max pooling, to the size before it."""
        return functional.max_unpool2d(input, indices, *(*self._settings(), output_size))


class Fold(Applied):
    """Sums overlapping patches into images (col2im), the adjoint of `Unfold`."""

    _function = staticmethod(functional.fold)

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(
            output_size=output_size,
            kernel_size=kernel_size,
            dilation=dilation,
            padding=padding,
            stride=stride,
        )


class Unfold(Applied):
    """Extracts patches of images as columns (im2col)."""

    _function = staticmethod(functional.unfold)

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class _ZeroPad(Applied):
    _spatial = 1

    def __init__(self, padding):
        owner, count = type(self).__name__, 2 * self._spatial
        margins = require_sequence(owner, "padding", padding, f"an int or {count} ints")
        margins = margins * count if isinstance(padding, int) else margins
        if len(margins) != count:
            raise SettingError(f"{owner}: padding is {padding}; need an int or {count} ints")
        super().__init__(padding=margins, value=0)

    def construct(self, input: Tensor):
        """Returns the padded input."""
        return functional.pad(input, self.padding, value=self.value)


class ZeroPad1d(_ZeroPad):
    """Pads the last dimension with zeros."""

    _spatial = 1


class ZeroPad2d(_ZeroPad):
    """Pads the last two dimensions with zeros: (left, right, top, bottom)."""

    _spatial = 2


class ZeroPad3d(_ZeroPad):
    """Pads the last three dimensions with zeros: (left, right, top, bottom, front, back)."""

    _spatial = 3


class _Upsampling(Applied):
    _mode = "nearest"
    _align_corners: bool | None = None

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size=size, scale_factor=scale_factor)

    def construct(self, input: Tensor) -> Tensor:
        """(N, C, H, W) resized to the requested size."""
        size, factor = self.size, self.scale_factor
        size = (size, size) if isinstance(size, int) else size
        factor = (float(factor),) * 2 if isinstance(factor, (int, float)) else factor
        return ops.interpolate(input, size, factor, self._mode, self._align_corners)


class UpsamplingNearest2d(_Upsampling):
    """Nearest-neighbor upsampling of images."""


class UpsamplingBilinear2d(_Upsampling):
    """Bilinear upsampling of images with aligned corners."""

    _mode = "bilinear"
    _align_corners = True
