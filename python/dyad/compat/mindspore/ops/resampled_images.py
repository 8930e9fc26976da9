"""Primitives of MindSpore 1 that move, scale and dilate images, defined in Python."""

import math

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool
from dyad._src.primitive.primitive import primitive_with_settings

# How far a kernel reaches, in pixels.
_RADII = {"lanczos1": 1.0, "lanczos3": 3.0, "lanczos5": 5.0, "gaussian": 1.5, "box": 0.5, "triangle": 1.0}
_RADII |= {"keyscubic": 2.0, "mitchellcubic": 2.0}


def _cubic(x, near, far):
    """A cubic polynomial up to 1 and another one up to 2; coefficients from the highest power on."""

    def polynomial(coefficients):
        value = ops.zeros_like(x)
        for coefficient in coefficients:
            value = value * x + coefficient
        return value

    return ops.where(x < 1, polynomial(near), polynomial(far))


def _weights(kind, x):
    """The kernel at distances `x` of its center, that are not further than its radius."""
    if kind.startswith("lanczos"):
        turns = x * math.pi
        near = x <= 1e-3
        safe = ops.where(near, 1.0, turns)
        radius = _RADII[kind]
        return ops.where(near, 1.0, radius * ops.sin(safe) * ops.sin(safe / radius) / (safe * safe))
    if kind == "gaussian":
        # A third of the radius is the deviation; the end is left out, as the other kernels are zero there.
        return ops.where(x < _RADII[kind], ops.exp(x * x * -2.0), 0.0)
    if kind == "box":
        return ops.where(x == 0.5, 0.5, ops.ones_like(x))
    if kind == "triangle":
        return 1.0 - x
    if kind == "keyscubic":
        return _cubic(x, (1.5, -2.5, 0.0, 1.0), (-0.5, 2.5, -4.0, 2.0))
    return _cubic(x, (7 / 6, -2.0, 0.0, 8 / 9), (-7 / 18, 2.0, -10 / 3, 16 / 9))


def _rows_of(size, count, scale, shift, kernel_type, antialias):
    """A matrix that takes `size` pixels to `count`, pixel i from where (i + 0.5 - shift) / scale lies."""
    at = ((ops.arange(count).astype(_core.float32) + 0.5 - shift) / scale).expand_dims(1)
    wide = ops.maximum(1.0 / scale, 1.0) if antialias else ops.ones_like(scale)
    reach = _RADII[kernel_type] * wide
    first = ops.clamp(ops.ceil(at - reach - 0.5), 0, size - 1)
    last = ops.clamp(ops.floor(at + reach - 0.5), 0, size - 1)
    pixels = ops.arange(size).astype(_core.float32)
    distance = ops.abs(pixels + 0.5 - at) / wide
    within = (pixels >= first) & (pixels <= last) & (distance <= _RADII[kernel_type])
    weights = ops.where(within & (at >= 0) & (at <= size), _weights(kernel_type, distance), 0.0)
    total = weights.sum(1, keepdims=True)
    return weights / ops.where(ops.abs(total) < 1e-35, 1.0, total)


def _check_kernel(name, settings):
    kind = settings["kernel_type"]
    if not isinstance(kind, str):
        raise TypeError(f"{name}: kernel_type is {kind!r}; need a str")
    if kind not in _RADII:
        raise ValueError(f"{name}: kernel_type is {kind!r}; need one of {', '.join(_RADII)}")
    require_bool(name, "antialias", settings["antialias"])


def placed(images, size, scale, translation, *, kernel_type="lanczos3", antialias=True):
    """Pictures (count, height, width, channels) scaled and moved: pixel p goes to p * scale + translation."""
    owner = "ScaleAndTranslate"
    for name, value, shape in (("scale", scale, (2,)), ("translation", translation, (2,))):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
        if value.shape != shape:
            raise ValueError(f"{owner}: {name} has shape {value.shape}; need {shape}")
    if not isinstance(images, Tensor):
        raise TypeError(f"{owner}: images is of type {type(images).__name__}; need a Tensor")
    if images.ndim != 4:
        raise ValueError(f"{owner}: images has shape {images.shape}; need (count, height, width, channels)")
    counts = [int(number) for number in (size.tolist() if isinstance(size, Tensor) else size)]
    if len(counts) != 2 or min(counts) < 1:
        raise ValueError(f"{owner}: size is {counts}; need two numbers of at least 1")
    down, across = (
        _rows_of(images.shape[axis + 1], counts[axis], scale[axis], translation[axis], kernel_type, antialias)
        for axis in (0, 1)
    )
    moved = images.astype(_core.float32).transpose(0, 3, 1, 2)
    return ops.matmul(ops.matmul(down, moved), across.T).transpose(0, 2, 3, 1)


def _pair(name, key, value):
    """Height and width of a setting that may be given for all four dimensions."""
    sizes = (value, value) if isinstance(value, int) else tuple(value)
    if len(sizes) == 4:
        sizes = sizes[2:]
    if len(sizes) != 2:
        raise ValueError(f"{name}: {key} is {value!r}; need an int, or two or four of them")
    if min(sizes) < 1:
        raise ValueError(f"{name}: {key} is {value!r}; need numbers of at least 1")
    return sizes


def _check_dilation(name, settings):
    for key in ("stride", "dilation"):
        value = settings[key]
        members = value if isinstance(value, (tuple, list)) else (value,)
        if any(isinstance(member, bool) or not isinstance(member, int) for member in members):
            raise TypeError(f"{name}: {key} is {value!r}; need an int, or two or four of them")
        _pair(name, key, value)
    mode, layout = settings["pad_mode"], settings["data_format"]
    if not isinstance(mode, str) or mode.lower() not in ("same", "valid"):
        raise ValueError(f"{name}: pad_mode is {mode!r}; need 'SAME' or 'VALID'")
    if layout != "NCHW":
        raise ValueError(f"{name}: data_format is {layout!r}; need 'NCHW'")


def dilated(x, filter, *, stride, dilation, pad_mode="SAME", data_format="NCHW"):
    """The largest sum of a window's pixels and the filter: greyscale dilation of (count, channels, height, width)."""
    owner = "Dilation2D"
    for name, value, rank in (("x", x, 4), ("filter", filter, 3)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim != rank:
            raise ValueError(f"{owner}: {name} has shape {value.shape}; need {rank} dimensions")
    if x.dtype != filter.dtype:
        raise TypeError(f"{owner}: x has dtype {x.dtype} and filter {filter.dtype}; both must be the same")
    if x.shape[1] != filter.shape[0]:
        raise ValueError(f"{owner}: x has {x.shape[1]} channels and filter {filter.shape[0]}; need as many")
    steps, gaps = _pair(owner, "stride", stride), _pair(owner, "dilation", dilation)
    reach = [(size - 1) * gap + 1 for size, gap in zip(filter.shape[1:], gaps, strict=True)]
    counts, margins = [], []
    for size, step, wide in zip(x.shape[2:], steps, reach, strict=True):
        count = -(-size // step) if pad_mode.lower() == "same" else (size - wide) // step + 1
        if count < 1:
            raise ValueError(f"{owner}: a filter that reaches over {wide} pixels does not fit into {size}")
        missing = max((count - 1) * step + wide - size, 0) if pad_mode.lower() == "same" else 0
        counts.append(count)
        margins.append((missing // 2, missing - missing // 2))
    # Pixels outside win nowhere: they are less than any inside, also with the filter added.
    lowest = -math.inf if x.dtype.is_floating_point else None
    if lowest is None:
        return dilated(
            x.astype(_core.float64),
            filter.astype(_core.float64),
            stride=stride,
            dilation=dilation,
            pad_mode=pad_mode,
        ).astype(x.dtype)
    padded = ops.pad(x, (*margins[1], *margins[0]), "constant", lowest)
    sums = []
    for i in range(filter.shape[1]):
        for j in range(filter.shape[2]):
            top, left = i * gaps[0], j * gaps[1]
            rows = slice(top, top + (counts[0] - 1) * steps[0] + 1, steps[0])
            columns = slice(left, left + (counts[1] - 1) * steps[1] + 1, steps[1])
            sums.append(padded[:, :, rows, columns] + filter[:, i, j].reshape(1, -1, 1, 1))
    every = ops.stack(sums, -1)
    place = ops.argmax(ops.stop_gradient(every), -1)
    return ops.squeeze(ops.gather_elements(every, -1, place.expand_dims(-1)), -1)


classes = {
    "Dilation2D": primitive_with_settings("Dilation2D", dilated, _check_dilation),
    "ScaleAndTranslate": primitive_with_settings("ScaleAndTranslate", placed, _check_kernel),
}
