"""Base class of convolutions that other packages define."""

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.cell.weights import make_bias, make_weight
from dyad.nn.cell import Cell

__all__: list[str] = []

_FORMATS = ("NCHW", "NHWC", "NCDHW")


class _Conv(Cell):
    """Settings, weight and bias of a convolution; the subclass defines `construct`.

    `kernel_size`, `stride` and `dilation` are tuples and are not checked. The weight is (out, in / group, *kernel).
    For a transposed convolution it is (in, out / group, *kernel). With the format 'NHWC' its channels come last.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group,
        has_bias,
        weight_init,
        bias_init,
        data_format="NCHW",
        transposed=False,
        dtype=_core.float32,
    ):
        super().__init__()
        owner = type(self).__name__
        self.in_channels = require_int(owner, "in_channels", in_channels, low=1)
        self.out_channels = require_int(owner, "out_channels", out_channels, low=1)
        self.group = require_int(owner, "group", group, low=1)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"{owner}: group is {group}, in_channels {in_channels} and out_channels {out_channels}; "
                "need a group that divides both"
            )
        for name, sizes in (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation)):
            setattr(self, name, tuple(require_int(owner, name, size, low=1) for size in sizes))
        for size in padding if isinstance(padding, tuple) else (padding,):
            require_int(owner, "padding", size, low=0)
        self.pad_mode, self.padding = pad_mode, padding
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        self.data_format = require_choice(owner, "data_format", data_format, _FORMATS)
        self.weight_init, self.bias_init = weight_init, bias_init
        shape = self._shape_of_weight(transposed)
        self.weight = make_weight(owner, weight_init, shape, dtype)
        self.bias = make_bias(owner, bias_init, (out_channels,), shape, dtype) if has_bias else None

    def _shape_of_weight(self, transposed):
        if transposed:
            return (self.in_channels, self.out_channels // self.group, *self.kernel_size)
        channels = self.in_channels // self.group
        if self.data_format == "NHWC":
            return (self.out_channels, *self.kernel_size, channels)
        return (self.out_channels, channels, *self.kernel_size)

    def extend_repr(self):
        """The settings, as `repr` shows them."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}, "
            f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.data_format}"
        )


def with_height(weight_init):
    """First values for a convolution of sequences, which are images of height 1: a Tensor may be given without it."""
    is_without = isinstance(weight_init, _core.Tensor) and weight_init.ndim == 3
    return weight_init.expand_dims(2) if is_without else weight_init


def _deconv_output_length(
    is_valid, is_same, is_pad, input_length, filter_size, stride_size, dilation_size, padding
):
    """Output length of a transposed convolution along one dimension, by pad mode."""
    reach = (filter_size - 1) * dilation_size + 1
    if is_valid:
        return input_length * stride_size + max(reach - stride_size, 0)
    if is_same:
        return input_length * stride_size
    return (input_length - 1) * stride_size + reach - padding if is_pad else 0
