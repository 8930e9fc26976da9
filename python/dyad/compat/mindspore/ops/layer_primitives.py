"""Older Primitives of layers and losses: faces of functions, whose settings the constructor takes."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.autodiff.vector_products import vjp
from dyad._src.base.argument_checks import (
    SettingError,
    require_bool,
    require_choice,
    require_int,
    require_number,
    require_sequence,
    require_shape,
    require_sizes,
)
from dyad._src.operators import (
    avg_pool2d_layer,
    conv3d_layer,
    functions,
    gather,
    gather_elements,
    max_pool2d_layer,
    stop_gradient,
    where,
)
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings

__all__ = [
    "AvgPoolV1",
    "Conv3DTranspose",
    "DropoutDoMask",
    "DropoutGenMask",
    "ExtractVolumePatches",
    "InstanceNormV2",
    "MaxPool3DWithArgmax",
    "MaxPoolV1",
    "MaxUnpool2D",
    "MaxUnpool3D",
    "SparseSoftmaxCrossEntropyWithLogitsV2",
]

_pool = {"avg": avg_pool2d_layer, "max": max_pool2d_layer}
_arange, _cat, _log_softmax, _max_pool3d, _mean, _rand, _rsqrt, _square, _zeros = (
    functions[name]
    for name in ("arange", "cat", "log_softmax", "max_pool3d", "mean", "rand", "rsqrt", "square", "zeros")
)
_ctc_loss = functions["ctc_loss"]


def _require_tensor(owner, name, value, ndim=None):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    if ndim is not None and value.ndim != ndim:
        raise ValueError(f"{owner}: {name} has shape {value.shape}; need {ndim} dimensions")


def _avg_pool(x, *, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """The mean of each window.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.AvgPoolV1(2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[2.5]]]]
    """
    window, step = _spatial(kernel_size, data_format), _spatial(strides, data_format)
    return _pool["avg"](x, window, step, pad_mode, data_format=data_format)


def _max_pool(x, *, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """The largest element of each window.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.MaxPoolV1(2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[4.]]]]
    """
    window, step = _spatial(kernel_size, data_format), _spatial(strides, data_format)
    return _pool["max"](x, window, step, pad_mode, data_format=data_format)


def _spatial(sizes, data_format):
    """Sizes along height and width, from one, two, or one for each dimension of the data format."""
    if not isinstance(sizes, (tuple, list)) or len(sizes) != 4:
        return sizes
    return tuple(sizes[2:] if data_format == "NCHW" else sizes[1:3])


def _check_windows(name, settings):
    data_format = require_choice(name, "data_format", settings["data_format"], ("NCHW", "NHWC"))
    for key in ("kernel_size", "strides"):
        sizes = settings[key]
        require_sizes(name, key, _spatial(sizes, data_format), 2)
        if isinstance(sizes, (tuple, list)) and len(sizes) == 4:
            others = sizes[:2] if data_format == "NCHW" else (sizes[0], sizes[3])
            if tuple(others) != (1, 1):
                accepted = "(1, 1, height, width)" if data_format == "NCHW" else "(1, height, width, 1)"
                raise ValueError(f"{name}: {key} is {tuple(sizes)}; need {accepted} for {data_format}")


def _transposed(
    x,
    weight,
    *,
    in_channel,
    out_channel,
    kernel_size,
    mode=1,
    pad_mode="valid",
    pad=0,
    stride=1,
    dilation=1,
    group=1,
    output_padding=0,
    bias_initializer="zeros",
    data_format="NCDHW",
):
    """Gradient of a 3-D convolution for its input: each element adds its multiple of a filter.

    Example:
        >>> from dyad import Tensor, ops
        >>> x, w = ops.ones((1, 1, 1, 1, 1)), ops.ones((1, 1, 2, 2, 2))
        >>> print(ops.Conv3DTranspose(1, 1, 2)(x, w).shape)
        (1, 1, 2, 2, 2)
    """
    owner = "Conv3DTranspose"
    _require_tensor(owner, "x", x, 5)
    _require_tensor(owner, "weight", weight, 5)
    kernel, step, wide, more = (
        require_sizes(
            owner, name, sizes[2:] if isinstance(sizes, tuple) and len(sizes) == 5 else sizes, 3, low
        )
        for name, sizes, low in (
            ("kernel_size", kernel_size, 1),
            ("stride", stride, 1),
            ("dilation", dilation, 1),
            ("output_padding", output_padding, 0),
        )
    )
    if x.shape[1] != in_channel:
        raise ValueError(f"{owner}: x has {x.shape[1]} channels; need in_channel, {in_channel}")
    require_shape(owner, "weight", weight, (in_channel, out_channel // group, *kernel))
    pads = require_sizes(owner, "pad", pad, 6, 0)
    spans = [d * (k - 1) + 1 for d, k in zip(wide, kernel, strict=True)]
    if pad_mode.lower() == "same":
        sizes = [n * s for n, s in zip(x.shape[2:], step, strict=True)]
    else:
        cut = [pads[2 * i] + pads[2 * i + 1] if pad_mode.lower() == "pad" else 0 for i in range(3)]
        sizes = [
            (n - 1) * s + span - c + o
            for n, s, span, c, o in zip(x.shape[2:], step, spans, cut, more, strict=True)
        ]
    settings = (in_channel, kernel, mode, pad_mode.lower(), pad, step, wide, group, data_format)
    whole = _zeros((x.shape[0], out_channel, *sizes), x.dtype)
    _, product = vjp(lambda volume: conv3d_layer(volume, weight, *settings), whole)
    return product(x)[0]


def _check_transposed(name, settings):
    if settings["data_format"] != "NCDHW":
        raise SettingError(f"{name}: data_format is {settings['data_format']!r}; need 'NCDHW'")
    if settings["bias_initializer"] != "zeros":
        raise ValueError(f"{name}: bias_initializer is {settings['bias_initializer']!r}; need 'zeros'")
    if str(settings["pad_mode"]).lower() not in ("valid", "same", "pad"):
        raise SettingError(f"{name}: pad_mode is {settings['pad_mode']!r}; need 'valid', 'same' or 'pad'")
    inner, outer, group = (
        require_int(name, key, settings[key], 1) for key in ("in_channel", "out_channel", "group")
    )
    if inner % group or outer % group:
        raise ValueError(
            f"{name}: group is {group}; need a divisor of in_channel, {inner}, and out_channel, {outer}"
        )


def _volume_patches(x, *, kernel_size, strides, padding):
    """The elements of each window, as channels: first along depth, rows and columns, then of the channels.

    Example:
        >>> from dyad import ops
        >>> patches = ops.ExtractVolumePatches(2, 2, "VALID")(ops.ones((1, 3, 4, 4, 4)))
        >>> print(patches.shape)
        (1, 24, 2, 2, 2)
    """
    owner = "ExtractVolumePatches"
    _require_tensor(owner, "x", x, 5)
    kernel, step = (
        require_sizes(
            owner, name, sizes[2:] if isinstance(sizes, (tuple, list)) and len(sizes) == 5 else sizes, 3
        )
        for name, sizes in (("kernel_size", kernel_size), ("strides", strides))
    )
    same = padding.lower() == "same"
    margins = []
    for n, k, s in zip(x.shape[:1:-1], kernel[::-1], step[::-1], strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0) if same else 0
        margins += [total // 2, total - total // 2]
    wide = functions["pad"](x, tuple(margins))
    counts = [(n - k) // s + 1 for n, k, s in zip(wide.shape[2:], kernel, step, strict=True)]
    if min(counts) < 1:
        raise ValueError(f"{owner}: x has shape {x.shape}; a window of {kernel} does not fit")
    for axis in range(3):
        places = [c * step[axis] + k for c in range(counts[axis]) for k in range(kernel[axis])]
        taken = gather(wide, Tensor(places, _core.int64), 2 + 2 * axis)
        shape = (*wide.shape[: 2 + 2 * axis], counts[axis], kernel[axis], *wide.shape[3 + 2 * axis :])
        wide = taken.reshape(shape)
    # (N, C, D, kd, H, kh, W, kw) to (N, kd, kh, kw, C, D, H, W)
    turned = functions["permute"](wide, (0, 3, 5, 7, 1, 2, 4, 6))
    channels = kernel[0] * kernel[1] * kernel[2] * x.shape[1]
    return turned.reshape(x.shape[0], channels, *counts)


def _check_patches(name, settings):
    if not isinstance(settings["padding"], str) or settings["padding"].lower() not in ("valid", "same"):
        raise SettingError(f"{name}: padding is {settings['padding']!r}; need 'valid' or 'same'")


def _instance_norm(x, gamma, beta, mean, variance, *, is_training=True, momentum=0.1, epsilon=1e-5):
    """Each plane normalized by its own mean and variance, or by those given, and these with the running ones.

    Example:
        >>> from dyad import Tensor, ops
        >>> one, zero = ops.ones((1, 1, 1, 1)), ops.zeros((1, 1, 1, 1))
        >>> print(ops.InstanceNormV2()(Tensor([[[[1.0, 3.0]]]]), one, zero, zero, one)[1])
        [[[[0.2]]]]
    """
    _require_tensor("InstanceNormV2", "x", x, 4)
    wide = x.astype(_core.float32)
    if is_training:
        own = _mean(wide, (2, 3), True)
        spread = _mean(_square(wide - own), (2, 3), True)
        count = x.shape[2] * x.shape[3]
        kept = (own * momentum + mean * (1 - momentum)) if mean is not None else own
        unbiased = spread * (count / max(count - 1, 1))
        kept_spread = (unbiased * momentum + variance * (1 - momentum)) if variance is not None else spread
    else:
        _require_tensor("InstanceNormV2", "mean", mean)
        _require_tensor("InstanceNormV2", "variance", variance)
        own, spread, kept, kept_spread = mean, variance, mean, variance
    y = (wide - own) * _rsqrt(spread + epsilon) * gamma + beta
    return y.astype(x.dtype), stop_gradient(kept), stop_gradient(kept_spread)


def _pool_3d(
    x, *, ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW", argmax_type=None
):
    """The largest element of each window of a volume, and its place among the elements of the volume.

    Example:
        >>> import numpy as np
        >>> from dyad import Tensor, ops
        >>> x = Tensor(np.arange(8.0, dtype=np.float32).reshape(1, 1, 2, 2, 2))
        >>> y, place = ops.MaxPool3DWithArgmax(2, 2, 0)(x)
        >>> print(y.item(), place.item())
        7.0 7
    """
    y, places = _max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
    return y, places.astype(argmax_type or _core.int64)


def _check_pool(name, settings):
    if settings["data_format"] != "NCDHW":
        raise SettingError(f"{name}: data_format is {settings['data_format']!r}; need 'NCDHW'")
    if settings["argmax_type"] not in (None, _core.int32, _core.int64):
        raise TypeError(f"{name}: argmax_type is {settings['argmax_type']!r}; need int32 or int64")


def _unpooled(name, spatial, last):
    """A Primitive that puts elements back at their places in planes or volumes."""
    unpool = functions[f"max_unpool{spatial}d"]

    def restored(x, argmax, *, ksize, strides=0, pads=0, output_shape=(), data_format=None):
        if data_format not in (None, last[0]):
            order = (0, spatial + 1, *range(1, spatial + 1))
            back = (0, *range(2, spatial + 2), 1)
            x, argmax = functions["permute"](x, order), functions["permute"](argmax, order)
        size = (
            require_sequence(f"MaxUnpool{spatial}D", "output_shape", output_shape, "a tuple of ints") or None
        )
        if size and data_format == last[1]:
            size = (size[0], size[-1], *size[1:-1])
        found = unpool(x, argmax, ksize, strides or None, pads, size)
        return functions["permute"](found, back) if data_format == last[1] else found

    ones = ", ".join(["1"] * (spatial + 2))
    restored.__doc__ = f"""Elements at the places they came from when windows were pooled, and zeros elsewhere.

    Example:
        >>> from dyad import Tensor, ops
        >>> x, place = ops.ones(({ones})), ops.zeros(({ones})).astype("int64")
        >>> print(ops.{name}(2)(x, place).sum())
        1.0
    """

    def check(owner, settings):
        if settings["data_format"] not in (None, *last):
            raise SettingError(
                f"{owner}: data_format is {settings['data_format']!r}; need {' or '.join(last)}"
            )

    return primitive_with_settings(name, restored, check)


def _class_loss(logits, labels):
    """Cross entropies of rows of logits with their class, and the gradients of these by the logits.

    Example:
        >>> from dyad import Tensor, ops
        >>> loss, gradient = ops.SparseSoftmaxCrossEntropyWithLogitsV2()(ops.zeros((1, 2)), Tensor([1]))
        >>> print(loss, gradient)
        [0.6931472] [[ 0.5 -0.5]]
    """
    owner = "SparseSoftmaxCrossEntropyWithLogitsV2"
    _require_tensor(owner, "logits", logits)
    _require_tensor(owner, "labels", labels)
    if labels.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{owner}: labels are of {labels.dtype}; need int32 or int64")
    if logits.ndim < 1 or labels.shape != logits.shape[:-1]:
        raise ValueError(
            f"{owner}: labels has shape {labels.shape} and logits {logits.shape}; need (..,) and (.., classes)"
        )
    if ((labels < 0) | (labels >= logits.shape[-1])).any():
        raise IndexError(f"{owner}: labels are {labels.tolist()}; need classes in [0, {logits.shape[-1]})")

    def losses(values):
        taken = gather_elements(_log_softmax(values, -1), -1, labels.astype(_core.int64).expand_dims(-1))
        return -taken.squeeze(-1)

    loss = losses(logits)
    _, product = vjp(losses, stop_gradient(logits))
    return loss, product(functions["ones_like"](stop_gradient(loss)))[0]


def _require_rate(owner, keep_prob):
    """NaN compares false to everything and is refused too."""
    if not isinstance(keep_prob, Tensor):
        require_number(owner, "keep_prob", keep_prob)
    if not (keep_prob > 0 and keep_prob <= 1):
        raise ValueError(f"{owner}: keep_prob is {keep_prob}; need a number in (0, 1]")


def _mask(shape, keep_prob, *, Seed0=0, Seed1=0):
    """Bits, eight in a byte, that are 1 with a probability: enough for a tensor of the shape, up to 128 at a time.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.DropoutGenMask()((2, 3), Tensor(1.0)))
        [255 255 255 255 255 255 255 255 255 255 255 255 255 255 255 255]
    """
    count = 1
    for size in shape.tolist() if isinstance(shape, Tensor) else shape:
        count *= require_int("DropoutGenMask", "shape", size, 0)
    _require_rate("DropoutGenMask", keep_prob)
    for name, value in (("Seed0", Seed0), ("Seed1", Seed1)):
        require_int("DropoutGenMask", name, value)
    seed = Seed0 * 31 + Seed1 + 1 if Seed0 or Seed1 else None
    bits = _rand(-(-count // 128) * 16, 8, seed=seed) < keep_prob
    powers = Tensor([1 << place for place in range(8)], _core.int32)
    return (bits.astype(_core.int32) * powers).sum(1).astype(_core.uint8)


def _masked(x, mask, keep_prob):
    """`x` over `keep_prob` where the bit of a mask of DropoutGenMask is 1, and 0 elsewhere.

    Example:
        >>> from dyad import Tensor, ops
        >>> mask = Tensor([5] + [0] * 15).astype("uint8")
        >>> print(ops.DropoutDoMask()(ops.ones((4,)), mask, Tensor(0.5)))
        [2. 0. 2. 0.]
    """
    _require_tensor("DropoutDoMask", "x", x)
    _require_tensor("DropoutDoMask", "mask", mask, 1)
    _require_rate("DropoutDoMask", keep_prob)
    if mask.size * 8 < x.size:
        raise ValueError(f"DropoutDoMask: mask has {mask.size * 8} bits; x has {x.size} elements")
    powers = Tensor([1 << place for place in range(8)], _core.int32)
    bits = (mask.astype(_core.int32).reshape(-1, 1) // powers) % 2
    kept = bits.reshape(-1)[: x.size].reshape(x.shape) > 0
    return where(kept, x / keep_prob, 0).astype(x.dtype)


def _check_bools(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


AvgPoolV1 = primitive_with_settings("AvgPoolV1", _avg_pool, _check_windows)
Conv3DTranspose = primitive_with_settings("Conv3DTranspose", _transposed, _check_transposed)
DropoutDoMask = primitive_of("DropoutDoMask", _masked)
DropoutGenMask = primitive_with_settings("DropoutGenMask", _mask)
ExtractVolumePatches = primitive_with_settings("ExtractVolumePatches", _volume_patches, _check_patches)
InstanceNormV2 = primitive_with_settings("InstanceNormV2", _instance_norm)
MaxPool3DWithArgmax = primitive_with_settings("MaxPool3DWithArgmax", _pool_3d, _check_pool)
MaxPoolV1 = primitive_with_settings("MaxPoolV1", _max_pool, _check_windows)
MaxUnpool2D = _unpooled("MaxUnpool2D", 2, ("NCHW", "NHWC"))
MaxUnpool3D = _unpooled("MaxUnpool3D", 3, ("NCDHW", "NDHWC"))
SparseSoftmaxCrossEntropyWithLogitsV2 = primitive_of("SparseSoftmaxCrossEntropyWithLogitsV2", _class_loss)
