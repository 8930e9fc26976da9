"""Primitives that pool or convolve windows and are spelled by pad mode: older faces of the operators of the table."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice, require_sequence
from dyad._src.operators import arange, conv2d, max_pool2d
from dyad._src.operators import pad as _pad
from dyad._src.primitive.primitive import Primitive

__all__ = ["DepthwiseConv2dNative", "MaxPoolWithArgmax"]


def _pair(caller, name, value):
    """Sizes along height and width: one for both, two, or four of which the last two count."""
    sizes = (value, value) if isinstance(value, int) else value
    if not isinstance(sizes, (tuple, list)) or not all(type(size) is int for size in sizes):
        raise TypeError(f"{caller}: {name} is {value!r}; need an int or a tuple of ints")
    sizes = tuple(sizes[2:]) if len(sizes) == 4 else tuple(sizes)
    if len(sizes) != 2 or min(sizes) < 1:
        raise ValueError(f"{caller}: {name} is {value!r}; need 1 or more, along height and width")
    return sizes


def _require_images(caller, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: {name} is of type {type(value).__name__}; need a Tensor")
    if not value.dtype.is_floating_point:
        raise TypeError(f"{caller}: {name} is of {value.dtype}; need a float dtype")
    if value.ndim != 4:
        raise ValueError(f"{caller}: {name} has shape {value.shape}; need 4 dimensions")


def _same_padding(size, window, stride):
    """Before and after, so that every step of the stride has a window; the odd one comes after."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


class MaxPoolWithArgmax(Primitive):
    """The largest element of each window of (N, C, H, W), and where it lies: its number among C * H * W elements.

    Example:
        >>> from dyad import Tensor, ops
        >>> pool = ops.MaxPoolWithArgmax(kernel_size=2, strides=2)
        >>> print(*pool(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]])))
        [[[[4.]]]] [[[[2]]]]
    """

    _parameters = ("kernel_size", "strides", "pad_mode", "data_format")

    def __init__(self, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        super().__init__("MaxPoolWithArgmax")
        self.kernel_size = _pair(self.name, "kernel_size", kernel_size)
        self.strides = _pair(self.name, "strides", strides)
        if not isinstance(pad_mode, str):
            raise TypeError(f"{self.name}: pad_mode is {pad_mode!r}; need 'valid' or 'same'")
        if pad_mode.lower() not in ("valid", "same"):
            raise ValueError(f"{self.name}: pad_mode is {pad_mode!r}; need 'valid' or 'same'")
        if data_format != "NCHW":
            raise ValueError(f"{self.name}: data_format is {data_format!r}; need 'NCHW'")
        self.pad_mode = pad_mode.lower()
        self.data_format = data_format

    def __call__(self, x):
        _require_images(self.name, "x", x)
        for size, window in zip(x.shape[2:], self.kernel_size, strict=True):
            if self.pad_mode == "valid" and size < window:
                raise ValueError(
                    f"{self.name}: x has shape {x.shape} and the kernel {self.kernel_size}; it does not fit"
                )
        if self.pad_mode == "valid":
            values, places = max_pool2d(x, self.kernel_size, self.strides, return_indices=True)
        else:
            values, places = self._pooled_same(x)
        planes = arange(x.shape[1]).reshape(1, -1, 1, 1) * (x.shape[2] * x.shape[3])
        return values, (places + planes).astype(_core.int32)

    def _pooled_same(self, x):
        top, bottom, left, right = (
            size
            for axis in (0, 1)
            for size in _same_padding(x.shape[axis + 2], self.kernel_size[axis], self.strides[axis])
        )
        padded = _pad(x, (left, right, top, bottom), "constant", float("-inf"))
        values, places = max_pool2d(padded, self.kernel_size, self.strides, return_indices=True)
        width = padded.shape[3]
        return values, (places // width - top) * x.shape[3] + places % width - left

    def __reduce__(self):
        return type(self), (self.kernel_size, self.strides, self.pad_mode, self.data_format)


class DepthwiseConv2dNative(Primitive):
    """Convolution of each channel of (N, C, H, W) with filters of its own: a weight of (multiplier, C, height, width).

    The results of one channel follow each other.

    Example:
        >>> from dyad import ops
        >>> conv = ops.DepthwiseConv2dNative(channel_multiplier=1, kernel_size=(2, 2))
        >>> print(conv(ops.ones((1, 3, 4, 4)), ops.ones((1, 3, 2, 2))).shape)
        (1, 3, 3, 3)
    """

    _parameters = (
        "channel_multiplier", "kernel_size", "mode", "pad_mode", "pad", "stride", "dilation", "group",
    )  # fmt: skip

    def __init__(
        self, channel_multiplier, kernel_size, mode=3, pad_mode="valid", pad=0, stride=1, dilation=1, group=1
    ):
        super().__init__("DepthwiseConv2dNative")
        if type(channel_multiplier) is not int:
            raise TypeError(f"{self.name}: channel_multiplier is {channel_multiplier!r}; need an int")
        if channel_multiplier < 1:
            raise ValueError(f"{self.name}: channel_multiplier is {channel_multiplier}; need 1 or more")
        require_choice(self.name, "pad_mode", pad_mode, ("valid", "same", "pad"))
        require_sequence(self.name, "pad", pad)
        if mode != 3:
            raise ValueError(f"{self.name}: mode is {mode!r}; need 3, the one of a convolution by channel")
        self.channel_multiplier = channel_multiplier
        self.kernel_size = _pair(self.name, "kernel_size", kernel_size)
        self.stride = _pair(self.name, "stride", stride)
        self.dilation = _pair(self.name, "dilation", dilation)
        self.mode, self.pad_mode, self.pad, self.group = mode, pad_mode, pad, group

    def __call__(self, x, weight):
        _require_images(self.name, "x", x)
        _require_images(self.name, "weight", weight)
        if x.dtype != weight.dtype:
            raise TypeError(f"{self.name}: x is of {x.dtype} and weight of {weight.dtype}; need one dtype")
        channels = x.shape[1]
        expected = (self.channel_multiplier, channels, *self.kernel_size)
        if weight.shape != expected:
            raise ValueError(f"{self.name}: weight has shape {weight.shape}; need {expected}")
        filters = weight.swapaxes(0, 1).reshape(channels * self.channel_multiplier, 1, *self.kernel_size)
        return conv2d(x, filters, None, self.stride, self.pad_mode, self.pad, self.dilation, channels)

    def __reduce__(self):
        return type(self), tuple(getattr(self, name) for name in self._parameters)
