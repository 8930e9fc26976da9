"""Transposed convolution layers."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_sizes
from dyad._src.operators import convolution_input_gradient
from dyad.nn.convolution import Convolution
from dyad.nn.convolution_base import with_height

__all__ = ["Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose"]


class _TransposedConvolution(Convolution):
    """Each element adds its multiple of the kernel to the output; the pad mode decides which part is kept."""

    _is_transposed = True

    def _set_output_padding(self, output_padding):
        owner = type(self).__name__
        self.output_padding = require_sizes(owner, "output_padding", output_padding, self._spatial, low=0)
        if any(self.output_padding) and self.pad_mode != "pad":
            raise ValueError(
                f"{owner}: output_padding is {output_padding} with pad_mode {self.pad_mode!r}; need pad_mode 'pad'"
            )
        for extra, stride in zip(self.output_padding, self.stride, strict=True):
            if extra >= stride:
                raise ValueError(
                    f"{owner}: output_padding is {output_padding} and stride {self.stride}; need less than the stride"
                )

    def _extents(self):
        """Extent of one window along each dimension, with dilation."""
        return [rate * (size - 1) + 1 for rate, size in zip(self.dilation, self.kernel_size, strict=True)]

    def _output(self, sizes):
        """Sizes of the output and the padding (before, after, ...) it is cut by, for an input of these sizes."""
        out, pads = [], []
        for axis, (size, extent) in enumerate(zip(sizes, self._extents(), strict=True)):
            stride = self.stride[axis]
            overlap = max(extent - stride, 0)
            if self.pad_mode == "same":
                out.append(size * stride)
                pads += [overlap // 2, overlap - overlap // 2]
            elif self.pad_mode == "valid":
                out.append(size * stride + overlap)
                pads += [0, 0]
            else:
                sides = (
                    self.padding if isinstance(self.padding, tuple) else (self.padding,) * (2 * self._spatial)
                )
                before, after = sides[2 * axis : 2 * axis + 2]
                out.append((size - 1) * stride + extent - before - after + self.output_padding[axis])
                pads += [before, after]
        return tuple(out), tuple(pads)

    def construct(self, x: Tensor):
        if x.ndim != self._spatial + 2:
            raise ValueError(
                f"{type(self).__name__}: x has shape {x.shape}; need {self._spatial + 2} dimensions"
            )
        sizes, pads = self._output(x.shape[2:])
        if min(sizes) < 1:
            raise ValueError(
                f"{type(self).__name__}: an input of shape {x.shape} leaves an output of {sizes}"
            )
        y = convolution_input_gradient(x, self._kernel(), sizes, self.stride, pads, self.dilation, self.group)
        return y if self.bias is None else y + self.bias.reshape((-1,) + (1,) * self._spatial)

    def _kernel(self):
        return self.weight


class Conv1dTranspose(_TransposedConvolution):
    """The transpose of a convolution of (N, C, L), with a `weight` of (in, out / group, 1, kernel).

    The arguments are those of `Conv2dTranspose` without `output_padding`.
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
        self._set_output_padding(0)

    def _kernel(self):
        return self.weight.squeeze(2)


class Conv2dTranspose(_TransposedConvolution):
    """The transpose of a convolution of (N, C, H, W), with a `weight` of (in, out / group, *kernel).

    `pad_mode` is 'same' (the output is the input's size times the stride), 'valid' (all that the windows reach) or
    'pad' (`padding` is cut from each side and `output_padding` added at the end). The other settings are those of
    `Conv2d`.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        output_padding=0,
        dilation=1,
        group=1,
        has_bias: bool = False,
        weight_init=None,
        bias_init=None,
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
            weight_init, bias_init, "NCHW", dtype,
        )  # fmt: skip
        self._set_output_padding(output_padding)


class Conv3dTranspose(_TransposedConvolution):
    """The transpose of a convolution of (N, C, D, H, W), with a `weight` of (in, out / group, *kernel).

    Settings as of `Conv2dTranspose`.
    """

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
        output_padding=0,
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
        self._set_output_padding(output_padding)
