import itertools
import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn
from dyad.common.initializer import initializer


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def same_padding(sizes, extents, strides):
    totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, extents, strides, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def convolve(x, weight, stride, pads, dilation, group):
    """The definition, window by window, for any number of spatial dimensions."""
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    spatial = x.ndim - 2
    kernel = weight.shape[2:]
    sizes = [(x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(spatial)]
    out = np.zeros((x.shape[0], weight.shape[0], *sizes), np.float64)
    per_group = weight.shape[0] // group
    channels = weight.shape[1]
    for g, position in itertools.product(range(group), itertools.product(*map(range, kernel))):
        window = tuple(
            slice(
                position[i] * dilation[i],
                position[i] * dilation[i] + (sizes[i] - 1) * stride[i] + 1,
                stride[i],
            )
            for i in range(spatial)
        )
        part = x[(slice(None), slice(g * channels, (g + 1) * channels), *window)]
        filters = weight[(slice(g * per_group, (g + 1) * per_group), slice(None), *position)]
        out[:, g * per_group : (g + 1) * per_group] += np.einsum("nc...,oc->no...", part, filters)
    return out


def check(layer, x, pads, spatial_weight=None):
    weight = layer.weight.asnumpy() if spatial_weight is None else spatial_weight
    expected = convolve(x, weight, layer.stride, pads, layer.dilation, layer.group)
    if layer.bias is not None:
        expected += layer.bias.asnumpy().reshape((1, -1) + (1,) * (x.ndim - 2))
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("stride", [1, 2, (2, 3)])
@pytest.mark.parametrize("kernel", [1, 3, (2, 4)])
def test_same_and_valid(kernel, stride):
    x = random(2, 3, 7, 8)
    same = nn.Conv2d(3, 4, kernel, stride, has_bias=True)
    check(same, x, same_padding(x.shape[2:], same.kernel_size, same.stride))
    assert same(Tensor(x)).shape[2:] == tuple(
        -(-n // s) for n, s in zip(x.shape[2:], same.stride, strict=True)
    )
    check(nn.Conv2d(3, 4, kernel, stride, pad_mode="valid"), x, [(0, 0), (0, 0)])


@pytest.mark.parametrize(("padding", "pads"), [(1, [(1, 1), (1, 1)]), ((1, 2, 3, 0), [(1, 2), (3, 0)])])
@pytest.mark.parametrize("dilation", [1, (2, 1)])
@pytest.mark.parametrize("group", [1, 2])
def test_explicit_padding_dilation_and_groups(padding, pads, dilation, group):
    layer = nn.Conv2d(4, 6, 3, pad_mode="pad", padding=padding, dilation=dilation, group=group)
    check(layer, random(2, 4, 7, 8), pads)


def test_a_depthwise_convolution_agrees_with_numpy():
    check(nn.Conv2d(4, 4, 3, pad_mode="valid", group=4), random(1, 4, 5, 5), [(0, 0), (0, 0)])


def test_same_padding_puts_the_larger_half_behind():
    weight = np.array([[[[1, 10, 100, 1000]]]], np.float32)
    layer = nn.Conv2d(1, 1, (1, 4), weight_init=Tensor(weight))
    x = np.arange(1, 6, dtype=np.float32).reshape(1, 1, 1, 5)
    assert layer(Tensor(x)).asnumpy().ravel().tolist() == [3210, 4321, 5432, 543, 54]


def test_channels_last_gives_the_same_numbers():
    x, weight = random(2, 3, 6, 5), random(4, 3, 3, 3)
    first = nn.Conv2d(3, 4, 3, weight_init=Tensor(weight))
    last = nn.Conv2d(
        3, 4, 3, data_format="NHWC", weight_init=Tensor(np.ascontiguousarray(weight.transpose(0, 2, 3, 1)))
    )
    result = last(Tensor(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))).asnumpy()
    np.testing.assert_allclose(result.transpose(0, 3, 1, 2), first(Tensor(x)).asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stride", [1, 2])
def test_conv1d_agrees_with_numpy(stride):
    x = random(2, 3, 9)
    layer = nn.Conv1d(3, 4, 3, stride, has_bias=True)
    assert layer.weight.shape == (4, 3, 1, 3)
    check(
        layer, x, same_padding(x.shape[2:], layer.kernel_size, layer.stride), layer.weight.asnumpy()[:, :, 0]
    )
    padded = nn.Conv1d(3, 4, 3, stride, pad_mode="pad", padding=2, dilation=2)
    check(padded, x, [(2, 2)], padded.weight.asnumpy()[:, :, 0])


def test_conv3d_agrees_with_numpy():
    x = random(1, 2, 4, 5, 6)
    layer = nn.Conv3d(2, 3, (2, 3, 3), (1, 2, 2))
    check(layer, x, same_padding(x.shape[2:], layer.kernel_size, layer.stride))
    check(nn.Conv3d(2, 3, 2, pad_mode="valid", has_bias=True), x, [(0, 0)] * 3)


def test_no_bias_by_default():
    assert [p.name for p in nn.Conv2d(3, 4, 3).get_parameters()] == ["weight"]


def test_default_weights():
    layer = nn.Conv2d(16, 64, 3, has_bias=True)
    bound = (16 * 9) ** -0.5
    for parameter in layer.get_parameters():
        assert np.abs(parameter.asnumpy()).max() <= bound
        assert np.abs(parameter.asnumpy()).max() > 0.9 * bound


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: nn.Conv2d(3, 4, 3, pad_mode="x"),
            ValueError,
            "Conv2d: pad_mode is 'x'; need one of same, valid, pad",
        ),
        (lambda: nn.Conv2d(3, 4, 3, padding=1), ValueError, "Conv2d: padding is 1 with pad_mode 'same'"),
        (lambda: nn.Conv2d(3, 4, 3, pad_mode="pad", padding=-1), ValueError, "Conv2d: padding is -1"),
        (lambda: nn.Conv2d(3, 4, 0), ValueError, "Conv2d: kernel_size is 0; need an int of at least 1"),
        (
            lambda: nn.Conv2d(3, 4, (1, 2, 3)),
            TypeError,
            "Conv2d: kernel_size is (1, 2, 3); need an int or 2 ints",
        ),
        (lambda: nn.Conv2d(3, 4, 3, stride=0), ValueError, "Conv2d: stride is 0; need an int of at least 1"),
        (
            lambda: nn.Conv2d(3, 4, "a"),
            TypeError,
            "Conv2d: kernel_size is 'a' of type str; need an int or 2 ints",
        ),
        (
            lambda: nn.Conv2d(3, 4, 3, group=2),
            ValueError,
            "Conv2d: group is 2, in_channels 3 and out_channels 4",
        ),
        (
            lambda: nn.Conv2d(3, 4, 3, data_format="X"),
            ValueError,
            "Conv2d: data_format is 'X'; need one of NCHW, NHWC",
        ),
        (
            lambda: nn.Conv1d(3, 4, 3)(Tensor([1.0])),
            ValueError,
            "Conv1d: x has shape (1,); need 3 dimensions",
        ),
        (lambda: nn.Conv2d(3, 4, 3)(Tensor(random(1, 2, 5, 5))), ValueError, "input has 2 channels"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


@pytest.mark.parametrize("layer", [nn.Conv1d, nn.Conv1dTranspose])
def test_first_values_of_a_sequence_need_no_height(layer):
    weight = random(4, 4, 3)
    flat = layer(4, 4, 3, weight_init=Tensor(weight))
    assert flat.weight.shape == (4, 4, 1, 3) and (flat.weight.asnumpy()[:, :, 0] == weight).all()
    x = Tensor(random(2, 4, 9))
    high = layer(4, 4, 3, weight_init=Tensor(weight[:, :, None]))
    assert (flat(x).asnumpy() == high(x).asnumpy()).all()
    drawn = layer(4, 4, 3, weight_init=initializer("xavier_uniform", [4, 4, 3], dyad.float32))
    assert drawn.weight.shape == (4, 4, 1, 3) and drawn.weight.asnumpy().std() > 0
    with pytest.raises(ValueError, match=r"weight_init has shape"):
        layer(4, 4, 3, weight_init=Tensor(random(4, 4)))
