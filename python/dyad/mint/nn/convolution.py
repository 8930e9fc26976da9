"""Convolutions with the constructors of PyTorch: a bias by default, `padding` a size, 'same' or 'valid'."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_sizes
from dyad._src.cell.weights import make_bias, make_weight
from dyad.mint.nn import functional
from dyad.nn.convolution_base import ConvolutionBase

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(ConvolutionBase):
    """Settings, weight and bias of a convolution over `_spatial` dimensions."""

    _need_groups = "groups that divide both"
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | list[int] | tuple[int, ...],
        stride: int | list[int] | tuple[int, ...],
        padding,
        dilation: int | list[int] | tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        dtype,
    ) -> None:
        super().__init__()
        owner, spatial = type(self).__name__, self._spatial
        self._set_channels(in_channels, out_channels)
        self._set_groups("groups", groups)
        self._set_windows(kernel_size, stride, dilation)
        if isinstance(padding, str):
            self.padding = require_choice(owner, "padding", padding, ("same", "valid"))
        else:
            self.padding = require_sizes(owner, "padding", padding, spatial, low=0)
        self.padding_mode = require_choice(owner, "padding_mode", padding_mode, _PADDING_MODES)
        self._reversed_padding = self._margins()
        self.output_padding = (0,) * spatial
        shape = self._channels_first_shape(self.groups, self.transposed)
        dtype = dtype or _core.float32
        self.weight = make_weight(owner, None, shape, dtype)
        has_bias = require_bool(owner, "bias", bias)
        self.bias = make_bias(owner, None, (out_channels,), shape, dtype) if has_bias else None

    def construct(self, input: Tensor):
        """(N, channels, sizes...) to (N, out_channels, sizes...); without N if the input has none."""
        self._require_dimensions(input)
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = functional.pad(input, self._reversed_padding, mode=self.padding_mode), 0
        return self._convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _require_dimensions(self, input):
        if input.ndim not in (self._spatial + 1, self._spatial + 2):
            raise ValueError(
                f"{type(self).__name__}: input has shape {input.shape}; need {self._spatial + 1} or "
                f"{self._spatial + 2} dimensions"
            )

    def _margins(self):
        """Padding before and after each dimension, from the last one on, in the order of `pad`."""
        margins = []
        for axis in reversed(range(self._spatial)):
            if self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                margins += [total // 2, total - total // 2]
            else:
                margins += [0 if self.padding == "valid" else self.padding[axis]] * 2
        return margins if isinstance(self.padding, str) else tuple(margins)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        margins = "" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}"
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}{margins}"
        )


class Conv1d(_Convolution):
    """Convolution of (N, C, L) with a `weight` of (out, in / groups, kernel); settings as of `Conv2d`."""

    _spatial = 1
    _convolve = conv1d = staticmethod(functional.conv1d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: bool = True,
        padding_mode="zeros", dtype=None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )


class Conv2d(_Convolution):
    """Convolution of (N, C, H, W) with a `weight` of (out, in / groups, *kernel) and a bias unless `bias` is False.

    `padding` is a size, one per dimension, 'same' or 'valid'; `padding_mode` is the fill of the margins: 'zeros',
    'reflect', 'replicate' or 'circular'.
    """

    _spatial = 2
    _convolve = conv2d = staticmethod(functional.conv2d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: bool = True,
        padding_mode="zeros", dtype=None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )


class Conv3d(_Convolution):
    """Convolution of (N, C, D, H, W) with a `weight` of (out, in / groups, *kernel); settings as of `Conv2d`."""

    _spatial = 3
    _convolve = conv3d = staticmethod(functional.conv3d)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias: bool = True,
        padding_mode="zeros", dtype=None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )


class ConvTranspose2d(_Convolution):
    """The transpose of a convolution of (N, C, H, W), with a `weight` of (in, out / groups, *kernel).

    `output_padding` adds rows and columns at the far side. A call may name the size of the output instead.
    """

    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding: int | list[int] | tuple[int, ...] = 0, groups=1, bias: bool = True, dilation=1,
                 padding_mode="zeros", dtype=None) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f"ConvTranspose2d: padding_mode is {padding_mode!r}; need 'zeros'")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            dtype,
        )
        self.output_padding = require_sizes("ConvTranspose2d", "output_padding", output_padding, 2, low=0)

    def construct(self, input: Tensor, output_size=None) -> Tensor:
        """(N, channels, H, W) to (N, out_channels, height, width)."""
        self._require_dimensions(input)
        extra = self.output_padding if output_size is None else self._missing_sizes(input, output_size)
        return ops.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )

    def _missing_sizes(self, input, output_size):
        """Difference of the requested and the computed output size."""
        extra = []
        for axis, wanted in enumerate(tuple(output_size)[-2:]):
            reach = self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
            least = (input.shape[axis - 2] - 1) * self.stride[axis] - 2 * self.padding[axis] + reach
            if not least <= wanted < least + self.stride[axis]:
                raise ValueError(
                    f"ConvTranspose2d: output_size is {tuple(output_size)}; need a size from {least} to "
                    f"{least + self.stride[axis] - 1} along dimension {axis - 2}"
                )
            extra.append(wanted - least)
        return tuple(extra)
