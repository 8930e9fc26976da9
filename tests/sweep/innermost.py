"""The operators that a static graph uses where channels lie innermost, called by themselves, so that each operand has
memory of its own and whoever leaves it is caught."""

import numpy as np

from dyad import _core, ops

from .case import Case, Draw
from .convolutions import Window

_OF = _core.named_op


def convolution(draw: Draw) -> Case:
    """The three convolutions of one layer, with packed and with plain filters, side by side in one result."""
    rank = draw.one_of(1, 2, 2, 2, 3)
    window = Window(draw, rank)
    channels, filters, images = draw.channels(), draw.channels(), draw.whole(1, 4)
    groups = draw.one_of(*(g for g in range(1, channels + 1) if channels % g == 0 and filters % g == 0))
    groups = groups if draw.chance(0.4) else 1
    most = (1000, 90, 10)[rank - 1]
    sizes = tuple(low + draw.one_of(draw.whole(0, 9), draw.whole(0, most)) for low in window.least())
    packed = draw.chance(0.7)
    x = draw.integers((images, *sizes, channels))
    weight = draw.integers((filters, channels // groups, *window.kernel), 1)
    attributes = (window.stride, tuple(p for p in window.padding for _ in range(2)), window.dilation, groups)
    out = _out_shape(images, filters, sizes, window)
    gradient = draw.integers(out)
    text = f"innermost {x.shape} filters {filters} groups {groups} packed {packed} {window}"
    network = _both(attributes, packed, x.shape, weight.shape, out)
    return Case(text, network, [x, weight, gradient], has_gradient=False)


def _out_shape(images, filters, sizes, window):
    spans = zip(sizes, window.kernel, window.stride, window.padding, window.dilation, strict=True)
    return (images, *((n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, p, d in spans), filters)


def _room(weight):
    """More than enough for any format: both kinds of channels filled up to four vectors."""
    filled = [-(-size // 64) * 64 for size in weight[:2]]
    return int(np.prod([*filled, *weight[2:]]))


def _both(attributes, packed, image, weight, out):
    """float64 has kernels for channels that come second only; the result is laid out alike."""
    last = (0, *range(2, len(image)), 1)
    first = (0, len(image) - 1, *range(1, len(image) - 1))

    def filters(given, backward):
        if not packed:
            return given
        return _OF("pack_filters")(given, _room(weight), image, out, *attributes, backward)

    def network(x, given, gradient):
        if str(x.dtype).endswith("64"):
            x, gradient = x.permute(first), gradient.permute(first)
            image_sizes = image[1:-1]
            found = [
                _OF("convolution")(x, given, None, *attributes).permute(last),
                _OF("convolution_input_gradient")(gradient, given, image_sizes, *attributes).permute(last),
                _OF("convolution_weight_gradient")(gradient, x, weight[2:], *attributes),
            ]
        else:
            found = [
                _OF("convolution")(x, filters(given, False), None, *attributes, True, weight),
                _OF("convolution_input_gradient")(
                    gradient, filters(given, True), image[1:-1], *attributes, True, weight
                ),
                _OF("convolution_weight_gradient")(gradient, x, weight[2:], *attributes, True),
            ]
        return ops.concat([part.reshape(-1) for part in found])

    return network
