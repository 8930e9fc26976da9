"""Convolution layers."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int, require_sizes
from dyad._src.cell.weights import make_bias, make_weight
from dyad.nn.convolution_base import ConvolutionBase, channels_last, shown_settings, with_height
from dyad.nn.initializer import HeUniform

__all__ = ["Conv1d", "Conv2d", "Conv3d"]

_PAD_MODES = ("same", "valid", "pad")


class Convolution(ConvolutionBase):
    """Settings and weights that all convolutions share."""

    _formats: tuple[str, ...] = ("NCHW",)
    _is_transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | list[int] | tuple[int, ...],
        stride: int | list[int] | tuple[int, ...],
        pad_mode: str,
        padding,
        dilation: int | list[int] | tuple[int, ...],
        group: int,
        has_bias: bool,
        weight_init,
        bias_init,
        data_format: str,
        dtype,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self._set_channels(in_channels, out_channels)
        self._set_windows(kernel_size, stride, dilation)
        self.pad_mode = require_choice(owner, "pad_mode", pad_mode, _PAD_MODES)
        self.padding = self._require_padding(owner, padding)
        self._set_groups("group", group)
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        self.data_format = require_choice(owner, "data_format", data_format, self._formats)
        self._inits = weight_init, bias_init
        shape = self._channels_first_shape(self.group, self._is_transposed)
        self.weight = make_weight(owner, weight_init, self._weight_shape(shape), dtype)
        self.bias = make_bias(owner, bias_init, (out_channels,), shape, dtype) if has_bias else None
        self._keep_operators()

    def _keep_operators(self):
        """The operators that `construct` of a user's subclass finds on `self`."""

    def _require_padding(self, owner, padding):
        """Accepts one size for all sides, or one per side: before and after, dimension by dimension."""
        sides = 2 * self._spatial
        if isinstance(padding, (tuple, list)):
            padding = require_sizes(owner, "padding", padding, sides, low=0)
        else:
            padding = require_int(owner, "padding", padding, low=0)
        if self.pad_mode != "pad" and padding not in (0, (0,) * sides):
            raise ValueError(
                f"{owner}: padding is {padding} with pad_mode {self.pad_mode!r}; need pad_mode 'pad' or 0"
            )
        return padding

    def _weight_shape(self, shape):
        """The shape in which the weight is kept: channels last in that format; of a sequence, with the height 1."""
        if self._spatial == 1:
            return (*shape[:2], 1, *shape[2:])
        return channels_last(shape) if self.data_format == "NHWC" else shape

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        weight_init, bias_init = self._inits
        return shown_settings(self, HeUniform(5**0.5) if weight_init is None else weight_init, bias_init)


class Conv1d(Convolution):
    """Convolution of (N, C, L) with a `weight` of (out, in / group, 1, kernel); settings as of `Conv2d`.

    `weight_init` may be a Tensor of (out, in / group, kernel).
    """

    _spatial = 1

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            with_height(weight_init), bias_init, "NCHW", dtype,
        )  # fmt: skip
        # A sequence is an image of height 1.
        self._stride = (1, *self.stride)
        self._dilation = (1, *self.dilation)
        self._padding = (0, 0, *self._sides())

    def _keep_operators(self):
        sides = (0, 0, *self._sides())
        self.conv2d = ops.Conv2D(
            self.out_channels, (1, *self.kernel_size), 1, self.pad_mode, sides, (1, *self.stride), (1, *self.dilation),
            self.group,
        )  # fmt: skip
        self.bias_add = ops.BiasAdd()
        self.expand_dims, self.squeeze, self.shape = ops.ExpandDims(), ops.Squeeze(2), ops.Shape()

    def _sides(self):
        return self.padding if isinstance(self.padding, tuple) else (self.padding,) * 2

    def construct(self, x: Tensor) -> Tensor:
        """(N, C, L) to (N, out_channels, length)."""
        if x.ndim != 3:
            raise ValueError(f"Conv1d: x has shape {x.shape}; need 3 dimensions (N, C, L)")
        y = ops.conv2d(
            x.expand_dims(2), self.weight, self.bias, self._stride, self.pad_mode, self._padding, self._dilation,
            self.group,
        )  # fmt: skip
        return y.squeeze(2)


class Conv2d(Convolution):
    """Convolution of (N, C, H, W) with a `weight` of (out, in / group, height, width).

    Args:
        in_channels (int), out_channels (int): at least 1.
        kernel_size, stride, dilation (int or tuple): one number for all dimensions, or one per dimension. `dilation` is
            the distance between neighbors in the window.
        pad_mode (str): 'same' (the output size is the input size divided by the stride), 'valid' (no padding) or 'pad'
            (`padding` on every side, or given per side).
        group (int): number of groups of channels that are convolved separately. It divides `in_channels` and
            `out_channels`.
        has_bias (bool): whether a bias is added.
        weight_init, bias_init: as in `Dense`. Default: uniform on +-1 / sqrt(number of inputs of a window).
        data_format (str): 'NCHW', or 'NHWC' for channels in the last dimension.
    Raises:
        ValueError: if `group` does not divide both numbers of channels.
    """

    _formats = ("NCHW", "NHWC")

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode: str = "same",
        padding=0,
        dilation=1,
        group: int = 1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        data_format: str = "NCHW",
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, data_format, dtype,
        )  # fmt: skip

    def _keep_operators(self):
        self.conv2d = ops.Conv2D(
            self.out_channels, self.kernel_size, 1, self.pad_mode, self.padding, self.stride, self.dilation, self.group,
            self.data_format,
        )  # fmt: skip
        self.bias_add = ops.BiasAdd(self.data_format)

    def construct(self, x: Tensor):
        """(N, C, H, W) to (N, out_channels, height, width); with 'NHWC' the channels are last in both."""
        if self.data_format == "NHWC":
            weight = self.weight.transpose(0, 3, 1, 2)
            return self._convolve(x.transpose(0, 3, 1, 2), weight).transpose(0, 2, 3, 1)
        return self._convolve(x, self.weight)

    def _convolve(self, x, weight):
        return ops.conv2d(
            x, weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation, self.group
        )


class Conv3d(Convolution):
    """Convolution of (N, C, D, H, W) with a `weight` of (out, in / group, *kernel); settings as of `Conv2d`."""

    _spatial = 3
    _formats = ("NCDHW",)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        data_format="NCDHW",
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, data_format, dtype,
        )  # fmt: skip

    def _keep_operators(self):
        self.conv3d = ops.Conv3D(
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
        )
        self.bias_add = ops.BiasAdd("NCDHW")

    def construct(self, x: Tensor) -> Tensor:
        """(N, C, D, H, W) to (N, out_channels, depth, height, width)."""
        return ops.conv3d(
            x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation, self.group
        )
