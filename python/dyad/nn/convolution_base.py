"""Base classes of convolutions: one for those of `nn` and `mint.nn`, and one that other packages derive from."""

from dyad import _core
from dyad._src.base.argument_checks import require_bool, require_choice, require_int, require_sizes
from dyad._src.cell.weights import make_bias, make_weight
from dyad.nn.cell import Cell

__all__: list[str] = []

_FORMATS = ("NCHW", "NHWC", "NCDHW")


class ConvolutionBase(Cell):
    """Checks and keeps the settings that all convolutions have; a subclass checks its own between them."""

    _spatial = 2
    _need_groups = "a group that divides both"

    def _set_channels(self, in_channels, out_channels):
        owner = type(self).__name__
        self.in_channels = require_int(owner, "in_channels", in_channels, low=1)
        self.out_channels = require_int(owner, "out_channels", out_channels, low=1)

    def _set_windows(self, kernel_size, stride, dilation):
        owner, spatial = type(self).__name__, self._spatial
        self.kernel_size = require_sizes(owner, "kernel_size", kernel_size, spatial)
        self.stride = require_sizes(owner, "stride", stride, spatial)
        self.dilation = require_sizes(owner, "dilation", dilation, spatial)

    def _set_groups(self, name, groups):
        owner, inputs, outputs = type(self).__name__, self.in_channels, self.out_channels
        setattr(self, name, require_int(owner, name, groups, low=1))
        if inputs % groups or outputs % groups:
            raise ValueError(
                f"{owner}: {name} is {groups}, in_channels {inputs} and out_channels {outputs}; "
                f"need {self._need_groups}"
            )

    def _channels_first_shape(self, groups, transposed=False):
        """The weight's shape as (outputs, inputs / groups, kernel...); inputs and outputs swapped if transposed."""
        rows, columns = self.out_channels, self.in_channels
        if transposed:
            rows, columns = columns, rows
        return (rows, columns // groups, *self.kernel_size)


def channels_last(shape):
    """The shape (outputs, kernel..., inputs) of the shape (outputs, inputs, kernel...)."""
    outputs, inputs, *kernel = shape
    return (outputs, *kernel, inputs)


def shown_settings(layer, weight_init, bias_init):
    """The settings of a convolution of `nn`, as `repr` shows them."""
    return (
        f"input_channels={layer.in_channels}, output_channels={layer.out_channels}, "
        f"kernel_size={layer.kernel_size}, stride={layer.stride}, pad_mode={layer.pad_mode}, "
        f"padding={layer.padding}, dilation={layer.dilation}, group={layer.group}, has_bias={layer.has_bias}, "
        f"weight_init={weight_init}, bias_init={bias_init}, format={layer.data_format}"
    )


class _Conv(ConvolutionBase):
    """Settings, weight and bias of a convolution; the subclass defines `construct`.

    `kernel_size`, `stride` and `dilation` are tuples and are not checked. The weight is (out, in / group, *kernel).
    For a transposed convolution it is (in, out / group, *kernel). With the format 'NHWC' its channels come last.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group: int,
        has_bias: bool,
        weight_init,
        bias_init,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self._set_channels(in_channels, out_channels)
        self._set_groups("group", group)
        for name, sizes in (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation)):
            setattr(self, name, tuple(require_int(owner, name, size, low=1) for size in sizes))
        for size in padding if isinstance(padding, tuple) else (padding,):
            require_int(owner, "padding", size, low=0)
        self.pad_mode, self.padding = pad_mode, padding
        self.has_bias = require_bool(owner, "has_bias", has_bias)
        self.data_format = require_choice(owner, "data_format", data_format, _FORMATS)
        self.weight_init, self.bias_init = weight_init, bias_init
        shape = self._channels_first_shape(self.group, transposed)
        is_last = self.data_format == "NHWC" and not transposed
        self.weight = make_weight(owner, weight_init, channels_last(shape) if is_last else shape, dtype)
        self.bias = make_bias(owner, bias_init, (out_channels,), shape, dtype) if has_bias else None

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return shown_settings(self, self.weight_init, self.bias_init)


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
