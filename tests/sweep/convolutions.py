"""Convolutions alone and in stacks: channels that fill no vector, skipped positions, padding beyond the image."""

import numpy as np

from dyad import ops

from .case import Case, Draw

_CONVOLVE = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}
_TRANSPOSED = {1: ops.conv_transpose1d, 2: ops.conv_transpose2d, 3: ops.conv_transpose3d}
_LARGEST = {1: 2000, 2: 224, 3: 24}


class Window:
    """The attributes of one convolution of images with `rank` sizes."""

    def __init__(self, draw: Draw, rank: int):
        self.rank = rank
        self.kernel = tuple(draw.one_of(1, 1, 2, 3, 3, 5) for _ in range(rank))
        if draw.chance(0.5):
            self.kernel = (self.kernel[0],) * rank
        self.stride = self._each(draw, 1, 1, 2, 2, 3)
        self.dilation = self._each(draw, 1, 1, 1, 2, 3)
        self.padding = self._each(draw, 0, 0, 1, 2, 3)
        if draw.chance(0.3):
            self.padding = tuple(size // 2 for size in self.kernel)
        elif draw.chance(0.1):
            self.padding = self._each(draw, 0, 7, 20)  # beyond the image

    def _each(self, draw, *choices):
        if draw.chance(0.6):
            return (draw.one_of(*choices),) * self.rank
        return tuple(draw.one_of(*choices) for _ in range(self.rank))

    def least(self):
        """The smallest sizes that the window fits on."""
        spans = zip(self.kernel, self.dilation, self.padding, strict=True)
        return [max(1, (k - 1) * d + 1 - 2 * p) for k, d, p in spans]

    def options(self, groups):
        return {
            "stride": self.stride,
            "pad_mode": "pad",
            "padding": self.padding,
            "dilation": self.dilation,
            "groups": groups,
        }

    def __str__(self):
        return f"k{self.kernel} s{self.stride} p{self.padding} d{self.dilation}"


def _groups(draw, channels, filters):
    common = [g for g in range(1, channels + 1) if channels % g == 0 and filters % g == 0]
    return draw.one_of(*common) if draw.chance(0.35) else 1


def _sizes(draw, window, work_per_element):
    """Sizes of an image; half of them large enough for the library, none too large for a quick case."""
    rank = window.rank
    most = int((2e7 / work_per_element) ** (1 / rank))
    low = window.least()
    if draw.chance(0.5):
        return tuple(n + draw.whole(0, 12) for n in low)
    large = max(1, min(_LARGEST[rank], most))
    return tuple(max(n, draw.whole(max(1, large // 2), large)) for n in low)


def convolution(draw: Draw) -> Case:
    rank = draw.one_of(1, 2, 2, 2, 2, 3)
    window = Window(draw, rank)
    channels, filters, images = draw.channels(), draw.channels(), draw.whole(1, 5)
    groups = _groups(draw, channels, filters)
    elements = int(np.prod(window.kernel)) * channels * filters // groups * images
    sizes = _sizes(draw, window, elements)
    has_bias = draw.chance(0.5)
    weights = [draw.integers((filters, channels // groups, *window.kernel), 1)]
    if has_bias:
        weights.append(draw.integers((filters,)))
    convolve, options = _CONVOLVE[rank], window.options(groups)

    def network(x, weight, *bias):
        return convolve(x, weight, *bias, **options)

    def reference(x, weight, *bias):
        return _by_windows(x, weight, bias, window, groups)

    text = f"convolution ({images}, {channels}, {sizes}) filters {filters} groups {groups} bias {has_bias} {window}"
    return Case(text, network, [draw.integers((images, channels, *sizes))], weights, reference)


def _by_windows(x, weight, bias, window, groups):
    rank = window.rank
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in window.padding)])
    axes = tuple(range(2, 2 + rank))
    spans = tuple((k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True))
    views = np.lib.stride_tricks.sliding_window_view(padded, spans, axes)
    steps = [slice(None)] * 2 + [slice(None, None, s) for s in window.stride]
    views = views[tuple(steps + [slice(None, None, d) for d in window.dilation])]
    parts = []
    for view, part in zip(np.split(views, groups, 1), np.split(weight, groups, 0), strict=True):
        summed = [1, *range(2 + rank, 2 + 2 * rank)]
        parts.append(np.moveaxis(np.tensordot(view, part, (summed, list(range(1, 2 + rank)))), -1, 1))
    out = np.concatenate(parts, 1)
    return out + bias[0].reshape(-1, *[1] * rank) if bias else out


def transposed(draw: Draw) -> Case:
    rank = draw.one_of(1, 2, 2, 3)
    window = Window(draw, rank)
    channels, filters, images = draw.channels(), draw.channels(), draw.whole(1, 3)
    groups = _groups(draw, channels, filters)
    window.padding = tuple(
        min(p, (k - 1) * d // 2)
        for p, k, d in zip(window.padding, window.kernel, window.dilation, strict=True)
    )
    elements = int(np.prod(window.kernel)) * channels * filters // groups * images
    sizes = _sizes(draw, window, elements)
    convolve = _TRANSPOSED[rank]

    def network(x, weight):
        return convolve(
            x, weight, stride=window.stride, padding=window.padding, dilation=window.dilation, groups=groups
        )

    text = f"transposed ({images}, {channels}, {sizes}) filters {filters} groups {groups} {window}"
    weight = draw.integers((channels, filters // groups, *window.kernel), 1)
    return Case(text, network, [draw.integers((images, channels, *sizes))], [weight])


def stack(draw: Draw) -> Case:
    """Two to four layers, which a static graph lays out with channels innermost."""
    images, channels = draw.whole(1, 4), draw.channels()
    size = draw.one_of(draw.whole(5, 20), draw.whole(20, 60), draw.whole(60, 130) if channels < 9 else 17)
    shape = (images, channels, size, max(5, size + draw.whole(-3, 3)))
    layers, weights, words = [], [], []
    spread = min(shape[2:])
    for _ in range(draw.whole(2, 4)):
        kind = draw.one_of("conv", "conv", "conv", "depthwise", "max", "average", "relu", "join")
        made = _layer(draw, kind, channels, spread, len(weights))
        if made is None:
            continue
        layer, filters, weight, word, spread = made
        channels = filters
        layers.append(layer)
        words.append(word)
        if weight is not None:
            weights.append(weight)

    def network(x, *given):
        for layer in layers:
            x = layer(x, given)
        return x

    return Case(f"stack {shape}: {', '.join(words)}", network, [draw.integers(shape, 1)], weights)


def _layer(draw, kind, channels, spread, at):
    kernel = draw.one_of(1, 1, 2, 3, 3)
    stride = draw.one_of(1, 1, 2, 3)
    padding = draw.whole(0, kernel // 2)
    left = (spread + 2 * padding - kernel) // stride + 1
    if kind in ("conv", "depthwise", "max", "average") and (left < 1 or spread < kernel):
        return None
    if kind == "relu":
        return lambda x, _: ops.relu(x), channels, None, "relu", spread
    if kind == "join":
        return lambda x, _: ops.concat((x, x * 2), 1), 2 * channels, None, "join", spread
    if kind == "max":
        word = f"max k{kernel} s{stride} p{padding}"
        return lambda x, _: ops.max_pool2d(x, kernel, stride, padding), channels, None, word, left
    if kind == "average":
        kernel = min(kernel, 2)  # a mean of three is rounded, and then more than a sum is
        word = f"average k{kernel} s{stride}"
        left = (spread - kernel) // stride + 1
        return lambda x, _: ops.avg_pool2d(x, kernel, stride), channels, None, word, left
    groups = channels if kind == "depthwise" else 1
    filters = channels * draw.one_of(1, 1, 2) if groups > 1 else draw.channels()
    options = {"stride": stride, "pad_mode": "pad", "padding": padding, "groups": groups}
    weight = draw.integers((filters, channels // groups, kernel, kernel), 1)
    word = f"{kind} {filters} k{kernel} s{stride} p{padding}"
    return lambda x, given: ops.conv2d(x, given[at], **options), filters, weight, word, left
