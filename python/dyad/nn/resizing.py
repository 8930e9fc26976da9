"""Layers that change the resolution of images."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import SettingError, require_bool, require_int
from dyad.nn.cell import Cell

__all__ = ["ChannelShuffle", "PixelShuffle", "PixelUnshuffle", "ResizeBilinear", "Unfold", "Upsample"]


class Upsample(Cell):
    """Interpolates to `size`, or by `scale_factor`."""

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
    ):
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        """Batch and channels as they are, the dimensions after them resized."""
        return ops.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class ResizeBilinear(Cell):
    """Bilinear interpolation of images to a size that each call gives. MindSpore 1 name; see `Upsample`.

    With `half_pixel_centers` the centers of the outermost pixels are half a pixel inside the image, otherwise the
    corners of the first pixels coincide.
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = require_bool("ResizeBilinear", "half_pixel_centers", half_pixel_centers)

    def construct(self, x: Tensor, size=None, scale_factor=None, align_corners: bool = False) -> Tensor:
        """(N, C, H, W) at `size`, a pair, or at `scale_factor` times its height and width; one of the two is needed."""
        if (size is None) == (scale_factor is None):
            raise ValueError(
                f"ResizeBilinear: size is {size} and scale_factor is {scale_factor}; need one of the two"
            )
        if size is None:
            require_int("ResizeBilinear", "scale_factor", scale_factor, low=1)
            size = (x.shape[2] * scale_factor, x.shape[3] * scale_factor)
        return ops.ResizeBilinearV2(align_corners, self.half_pixel_centers)(x, size)


class PixelShuffle(Cell):
    """(..., C * r * r, H, W) to (..., C, H * r, W * r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = require_int("PixelShuffle", "upscale_factor", upscale_factor, low=1)

    def construct(self, input: Tensor) -> Tensor:
        """Needs a number of channels that `upscale_factor` squared divides."""
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """(..., C, H * r, W * r) to (..., C * r * r, H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = require_int("PixelUnshuffle", "downscale_factor", downscale_factor, low=1)

    def construct(self, input: Tensor) -> Tensor:
        """Needs heights and widths that `downscale_factor` divides."""
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Interleaves the channels of `groups` groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = require_int("ChannelShuffle", "groups", groups, low=1)

    def construct(self, x: Tensor) -> Tensor:
        """Returns a tensor of the shape and dtype of `x`. `groups` must divide dimension 1."""
        if x.ndim < 3 or x.shape[1] % self.groups:
            raise ValueError(
                f"ChannelShuffle: x has shape {x.shape}; need at least 3 dimensions and a second size that is a "
                f"multiple of {self.groups}"
            )
        batch, channels, *spatial = x.shape
        grouped = x.reshape((batch, self.groups, channels // self.groups, *spatial))
        return grouped.swapaxes(1, 2).reshape(x.shape)


class Unfold(Cell):
    """The patches of an image, one per position, laid out along the channels.

    `ksizes`, `strides` and `rates` are (1, rows, columns, 1). The channel of a result is
    (row * columns + column) * depth + channel.
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        self.ksizes = _rows_and_columns("ksizes", ksizes)
        self.strides = _rows_and_columns("strides", strides)
        self.rates = _rows_and_columns("rates", rates)
        if not isinstance(padding, str) or padding.lower() not in ("same", "valid"):
            raise SettingError(f"Unfold: padding is {padding!r}; need same or valid")
        self.padding = padding.lower()

    def construct(self, input_x: Tensor) -> Tensor:
        """(N, C, H, W) to (N, rows * columns * C, patches down, patches across)."""
        if input_x.ndim != 4:
            raise ValueError(f"Unfold: input_x has shape {input_x.shape}; need 4 dimensions (N, C, H, W)")
        extents = [(size - 1) * rate + 1 for size, rate in zip(self.ksizes, self.rates, strict=True)]
        if self.padding == "same":
            input_x = ops.pad(input_x, self._same_padding(input_x.shape[2:], extents))
        counts = [
            (size - extent) // stride + 1
            for size, extent, stride in zip(input_x.shape[2:], extents, self.strides, strict=True)
        ]
        if min(counts) < 1:
            raise ValueError(
                f"Unfold: input_x has shape {input_x.shape}; need at least {tuple(extents)} at the end"
            )
        return ops.cat([self._shifted(input_x, offset, counts) for offset in self._offsets()], axis=1)

    def _offsets(self):
        rows, columns = self.ksizes
        return [
            (row * self.rates[0], column * self.rates[1]) for row in range(rows) for column in range(columns)
        ]

    def _shifted(self, x, offset, counts):
        """The element at one offset of every patch."""
        row, column = (
            slice(start, start + (count - 1) * stride + 1, stride)
            for start, count, stride in zip(offset, counts, self.strides, strict=True)
        )
        return x[:, :, row, column]

    def _same_padding(self, sizes, extents):
        """Sizes for `ops.pad`, last dimension first, that make one patch per stride."""
        padding = []
        for size, extent, stride in reversed(list(zip(sizes, extents, self.strides, strict=True))):
            total = max((-(-size // stride) - 1) * stride + extent - size, 0)
            padding += [total // 2, total - total // 2]
        return padding


def _rows_and_columns(name, sizes):
    if not isinstance(sizes, (tuple, list)) or len(sizes) != 4 or sizes[0] != 1 or sizes[3] != 1:
        raise SettingError(f"Unfold: {name} is {sizes!r}; need (1, rows, columns, 1)")
    return tuple(require_int("Unfold", name, size, low=1) for size in sizes[1:3])
