"""Max pooling with indexes, fractional pooling, and depthwise convolution."""

import itertools
import math
import random

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    SettingError,
    require_bool,
    require_choice,
    require_int,
    require_sequence,
)
from dyad._src.operators import arange, conv2d, fractional_max_pool, functions, gather, max_pool2d, rand
from dyad._src.operators import pad as _pad
from dyad._src.primitive.primitive import Primitive, primitive_with_settings

__all__ = [
    "DepthwiseConv2dNative",
    "FractionalAvgPool",
    "FractionalMaxPool",
    "MaxPoolWithArgmax",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
]


def _pair(caller, name, value):
    """Sizes along height and width, from one number for both, two, or the last two of four."""
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
    """Padding before and after, so that every step of the stride has a window; an odd one is added after."""
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


class MaxPoolWithArgmax(Primitive):
    """Max pooling of (N, C, H, W) with the index of each maximum among the C * H * W elements of its image.

    Example:
        >>> from dyad import Tensor, ops
        >>> pool = ops.MaxPoolWithArgmax(kernel_size=2, strides=2)
        >>> print(*pool(Tensor([[[[1.0, 2.0], [4.0, 3.0]]]])))
        [[[[4.]]]] [[[[2]]]]
    """

    _parameters = ("kernel_size", "strides", "pad_mode", "data_format")

    def __init__(self, kernel_size=1, strides=1, pad_mode: str = "valid", data_format="NCHW") -> None:
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
    """Depthwise convolution of (N, C, H, W): each channel has its own filters, (multiplier, C, height, width).

    The results of one channel are neighbors.

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
        self,
        channel_multiplier,
        kernel_size,
        mode=3,
        pad_mode: str = "valid",
        pad=0,
        stride=1,
        dilation=1,
        group=1,
    ) -> None:
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


_amax = functions["amax"]


def _numbers(count, seed):
    """Random numbers in [0, 1): from the seed if there is one, else from the global generator."""
    if seed is None:
        return rand((count,)).tolist()
    generator = random.Random(seed)
    return [generator.random() for _ in range(count)]


def _shuffled(size, count, seed):
    """Bounds of `count` windows whose lengths, in random order, are the two nearest to size / count."""
    length = size // count
    longer = size - length * count
    drawn = _numbers(count, seed)
    order = sorted(range(count), key=drawn.__getitem__)
    bounds = [0]
    for place in order:
        bounds.append(bounds[-1] + length + (place < longer))
    return bounds


def _regular(size, count, seed):
    """Bounds at the multiples of size / count after one random shift, which keeps the lengths next to each other."""
    ratio = size / count
    length = int(ratio)
    most = min((length + 2) / ratio - 1, (size + 1 - length) / ratio - (count - 1))
    shift = _numbers(1, seed)[0] * most
    inner = [math.ceil(ratio * (place + shift)) - 1 for place in range(1, count)]
    return [0, *inner, size]


def _bounds(size, ratio, pseudo_random, seed):
    count = int(size / ratio)
    if count < 1:
        raise ValueError(f"a dimension of size {size} has no window at the ratio {ratio}")
    return (_regular if pseudo_random else _shuffled)(size, count, seed)


def _windows(bounds, size, overlapping):
    """Places (windows, longest) of the elements of each window, the last one again where it is shorter, and lengths."""
    pairs = itertools.pairwise(bounds)
    ends = [(start, min(end + overlapping, size)) for start, end in pairs]
    longest = max(end - start for start, end in ends)
    places = [[min(start + step, end - 1) for step in range(longest)] for start, end in ends]
    return places, [end - start for start, end in ends]


def _taken(x, axis, bounds, overlapping):
    places, lengths = _windows(bounds, x.shape[axis], overlapping)
    shape = (*x.shape[:axis], len(places), len(places[0]), *x.shape[axis + 1 :])
    flat = [place for window in places for place in window]
    return gather(x, Tensor(flat, _core.int64), axis).reshape(shape), lengths


def largest(x, rows, columns, overlapping):
    """Maximum of each window between the given bounds."""
    for axis, bounds in ((1, rows), (2, columns)):
        x = _amax(_taken(x, axis, bounds, overlapping)[0], axis + 1)
    return x


def mean(x, rows, columns, overlapping):
    """Mean of each window between the given bounds; rounded toward zero for integers."""
    wide = x if x.dtype.is_floating_point else x.astype(_core.float64)
    for axis, bounds in ((1, rows), (2, columns)):
        windows, lengths = _taken(wide, axis, bounds, overlapping)
        longest = windows.shape[axis + 1]
        weights = [[1 / n if step < n else 0.0 for step in range(longest)] for n in lengths]
        shape = (len(lengths), longest, *[1] * (x.ndim - axis - 1))
        wide = (windows * Tensor(weights, wide.dtype).reshape(shape)).sum(axis + 1)
    return wide.astype(x.dtype)


def _pool(owner, combine, x, pooling_ratio, pseudo_random, overlapping, seed):
    if not isinstance(x, Tensor):
        raise TypeError(f"{owner}: x is of type {type(x).__name__}; need a Tensor")
    if x.ndim != 4:
        raise ValueError(f"{owner}: x has shape {x.shape}; need (N, H, W, C)")
    rows, columns = (_bounds(x.shape[axis], pooling_ratio[axis], pseudo_random, seed) for axis in (1, 2))
    whole = combine(x, rows, columns, overlapping)
    return whole, Tensor(rows, _core.int64), Tensor(columns, _core.int64)


def _check(name, settings):
    ratio = settings["pooling_ratio"]
    if not isinstance(ratio, (list, tuple)) or not all(isinstance(r, float) for r in ratio):
        raise TypeError(f"{name}: pooling_ratio is {ratio!r}; need a list of floats")
    if len(ratio) != 4 or ratio[0] != 1 or ratio[3] != 1 or min(ratio) < 1:
        raise ValueError(f"{name}: pooling_ratio is {ratio}; need [1.0, r, r, 1.0] with r of at least 1")
    for key in ("pseudo_random", "overlapping", "deterministic"):
        require_bool(name, key, settings[key])
    for key in ("seed", "seed2"):
        require_int(name, key, settings[key])


def _seed(deterministic, seed, seed2):
    """The given seed, a fixed one for deterministic results, or None."""
    return seed * 31 + seed2 + 1 if deterministic or seed or seed2 else None


def _max_pool(
    x, *, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0
):
    """Fractional max pooling of rows and columns; returns the maxima and the bounds of the windows.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1))
        >>> y, rows, columns = ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x)
        >>> print(y.reshape(2, 2), rows)
        [[ 5.  7.]
         [13. 15.]] [0 2 4]
    """
    drawn = _seed(deterministic, seed, seed2)
    return _pool("FractionalMaxPool", largest, x, pooling_ratio, pseudo_random, overlapping, drawn)


def _avg_pool(
    x, *, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0
):
    """Fractional average pooling of rows and columns; returns the means and the bounds of the windows.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1))
        >>> y, rows, columns = ops.FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x)
        >>> print(y.reshape(2, 2), rows)
        [[ 2.5  4.5]
         [10.5 12.5]] [0 2 4]
    """
    drawn = _seed(deterministic, seed, seed2)
    return _pool("FractionalAvgPool", mean, x, pooling_ratio, pseudo_random, overlapping, drawn)


FractionalAvgPool = primitive_with_settings("FractionalAvgPool", _avg_pool, _check)
FractionalMaxPool = primitive_with_settings("FractionalMaxPool", _max_pool, _check)


def _per_dimension(name, what, value, count, kinds):
    """A setting for each dimension, from one number for all or one for each."""
    values = (value,) * count if isinstance(value, kinds) else value
    if not isinstance(values, tuple) or len(values) != count or not all(isinstance(v, kinds) for v in values):
        raise SettingError(f"{name}: {what} is {value!r}; need a number or a tuple of {count}")
    return values


def _window_counts(name, input, output_size, output_ratio, spatial):
    """Number of windows along each of the last dimensions."""
    if (output_size is None) == (output_ratio is None):
        raise ValueError(
            f"{name}: output_size is {output_size} and output_ratio is {output_ratio}; need one of them"
        )
    if output_size is not None:
        return _per_dimension(name, "output_size", output_size, spatial, int)
    ratios = _per_dimension(name, "output_ratio", output_ratio, spatial, float)
    if not all(0 < ratio < 1 for ratio in ratios):
        raise ValueError(f"{name}: output_ratio is {output_ratio}; need numbers between 0 and 1")
    return tuple(int(size * ratio) for size, ratio in zip(input.shape[-spatial:], ratios, strict=True))


def _pool_fractions(name, spatial, input, kernel_size, output_size, output_ratio, return_indices, samples):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}: input is of type {type(input).__name__}; need a Tensor")
    if input.ndim not in (spatial + 1, spatial + 2):
        raise ValueError(
            f"{name}: input has shape {input.shape}; need {spatial + 1} or {spatial + 2} dimensions"
        )
    if not isinstance(return_indices, bool):
        raise TypeError(f"{name}: return_indices is {return_indices!r}; need a bool")
    kernel = _per_dimension(name, "kernel_size", kernel_size, spatial, int)
    windows = _window_counts(name, input, output_size, output_ratio, spatial)
    if samples is None:
        planes = input.shape[:-spatial]
        samples = rand((*((1, *planes) if len(planes) == 1 else planes), spatial))
    found = fractional_max_pool(input, kernel, windows, samples)
    return found if return_indices else found[0]


def fractional_max_pool2d(
    input,
    kernel_size,
    output_size=None,
    output_ratio=None,
    return_indices: bool = False,
    _random_samples=None,
):
    """Fractional max pooling over the last two dimensions: the maxima of windows at random positions.

    Args:
        input (Tensor): images of shape (C, H, W) or (N, C, H, W).
        kernel_size (int or pair): size of the windows.
        output_size (int, pair or None): sizes of the result. Default: None.
        output_ratio (float, pair or None): sizes of the result relative to `input`, between 0 and 1; need either
            `output_size` or `output_ratio`. Default: None.
        return_indices (bool): True returns the indexes of the maxima in their planes too. Default: False.
        _random_samples (Tensor or None): numbers in [0, 1) of shape (N, C, 2) that set the positions. Default: random.

    Returns:
        Tensor of shape (..., *output_size), or a tuple (maxima, indexes).

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(25.0, dtype=np.float32).reshape(1, 1, 5, 5))
        >>> where = Tensor(np.full((1, 1, 2), 0.8, np.float32))
        >>> print(ops.fractional_max_pool2d(x, 2, (2, 2), _random_samples=where))
        [[[[ 6.  9.]
           [21. 24.]]]]
    """
    return _pool_fractions(
        "fractional_max_pool2d",
        2,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )


def fractional_max_pool3d(
    input,
    kernel_size,
    output_size=None,
    output_ratio=None,
    return_indices: bool = False,
    _random_samples=None,
):
    """Fractional max pooling over the last three dimensions; see `fractional_max_pool2d`.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(16.0, dtype=np.float32).reshape(1, 1, 2, 2, 4))
        >>> where = Tensor(np.full((1, 1, 3), 0.7, np.float32))
        >>> print(ops.fractional_max_pool3d(x, 1, (1, 1, 3), _random_samples=where))
        [[[[[12. 13. 15.]]]]]
    """
    return _pool_fractions(
        "fractional_max_pool3d",
        3,
        input,
        kernel_size,
        output_size,
        output_ratio,
        return_indices,
        _random_samples,
    )
