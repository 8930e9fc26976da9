import itertools
import re
from functools import partial

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn

IMAGE = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def windows(x, kernel, stride, pads, dilation, ceil_mode=False):
    """For each output position: the part of the input that its window covers, and the window's size with padding."""
    spatial = len(kernel)
    counts = []
    for i in range(spatial):
        room = x.shape[2 + i] + sum(pads[i]) - dilation[i] * (kernel[i] - 1) - 1
        count = -(-room // stride[i]) + 1 if ceil_mode else room // stride[i] + 1
        if ceil_mode and (count - 1) * stride[i] >= x.shape[2 + i] + pads[i][0]:
            count -= 1
        counts.append(count)
    for position in itertools.product(*map(range, counts)):
        indices, padded_sizes = [], []
        for i in range(spatial):
            start = position[i] * stride[i] - pads[i][0]
            reach = [start + k * dilation[i] for k in range(kernel[i])]
            indices.append([j for j in reach if 0 <= j < x.shape[2 + i]])
            padded_sizes.append(sum(j < x.shape[2 + i] + pads[i][1] for j in reach))
        yield position, np.ix_(range(x.shape[0]), range(x.shape[1]), *indices), int(np.prod(padded_sizes))
    yield tuple(counts), None, 0


def pool(x, reduce, kernel, stride, pads, dilation=None, ceil_mode=False):
    spatial = x.ndim - 2
    dilation = dilation or (1,) * spatial
    found = list(windows(x, kernel, stride, pads, dilation, ceil_mode))
    out = np.zeros((*x.shape[:2], *found[-1][0]), np.float64)
    for position, index, padded_size in found[:-1]:
        out[(slice(None), slice(None), *position)] = reduce(x[index].reshape(*x.shape[:2], -1), padded_size)
    return out


def largest(values, padded_size):
    return values.max(-1)


def mean_with_padding(values, padded_size):
    return values.sum(-1) / padded_size


def mean_without_padding(values, padded_size):
    return values.mean(-1)


def same(sizes, kernel, stride):
    totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, stride, strict=True)]
    return [(t // 2, t - t // 2) for t in totals]


@pytest.mark.parametrize(("kernel", "stride"), [((2, 2), (2, 2)), ((3, 2), (1, 2)), ((3, 3), (2, 2))])
def test_pooling_of_images_agrees_with_numpy(kernel, stride):
    x = random(2, 3, 7, 6)
    none = [(0, 0), (0, 0)]
    around = same(x.shape[2:], kernel, stride)
    for layer, reduce, pads in (
        (nn.MaxPool2d(kernel, stride), largest, none),
        (nn.MaxPool2d(kernel, stride, pad_mode="same"), largest, around),
        (nn.MaxPool2d(kernel, stride, pad_mode="pad", padding=1), largest, [(1, 1)] * 2),
        (nn.AvgPool2d(kernel, stride), mean_with_padding, none),
        (nn.AvgPool2d(kernel, stride, pad_mode="same"), mean_without_padding, around),
        (nn.AvgPool2d(kernel, stride, pad_mode="pad", padding=1), mean_with_padding, [(1, 1)] * 2),
        (
            nn.AvgPool2d(kernel, stride, pad_mode="pad", padding=1, count_include_pad=False),
            mean_without_padding,
            [(1, 1)] * 2,
        ),
    ):
        expected = pool(x, reduce, kernel, stride, pads)
        np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_ceil_mode_dilation_and_divisor():
    x = random(2, 3, 7, 6)
    layer = nn.MaxPool2d(2, 2, pad_mode="pad", ceil_mode=True)
    expected = pool(x, largest, (2, 2), (2, 2), [(0, 0)] * 2, ceil_mode=True)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected)
    layer = nn.MaxPool2d(2, 1, pad_mode="pad", dilation=2)
    np.testing.assert_allclose(
        layer(Tensor(x)).asnumpy(), pool(x, largest, (2, 2), (1, 1), [(0, 0)] * 2, (2, 2))
    )
    layer = nn.AvgPool2d(2, 2, pad_mode="pad", divisor_override=3)
    expected = pool(x, lambda values, _: values.sum(-1) / 3, (2, 2), (2, 2), [(0, 0)] * 2)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-5)


def test_means_take_their_settings_in_every_pad_mode():
    x = random(2, 3, 5, 5)
    last = Tensor(x[:, :, 4:, 4:])  # what the window at the far corner holds

    def corner(**settings):
        return nn.AvgPool2d(2, 2, **settings)(Tensor(x))[:, :, 2:, 2:]

    np.testing.assert_allclose(corner(ceil_mode=True), last, rtol=1e-6)
    np.testing.assert_allclose(corner(pad_mode="same"), last, rtol=1e-6)
    np.testing.assert_allclose(corner(pad_mode="same", count_include_pad=False), last, rtol=1e-6)
    np.testing.assert_allclose(corner(pad_mode="same", ceil_mode=True), last / 4, rtol=1e-6)
    np.testing.assert_allclose(corner(pad_mode="same", divisor_override=3), last / 3, rtol=1e-6)
    assert nn.AvgPool1d(2, 2, ceil_mode=True)(Tensor(x[0])).shape == (3, 5, 3)
    assert nn.AvgPool3d(2, 2, ceil_mode=True)(Tensor(x)).shape == (2, 2, 3, 3)


def test_indices_count_within_the_channel():
    values, indices = nn.MaxPool2d(2, 2, pad_mode="pad", return_indices=True)(Tensor(IMAGE))
    assert values.asnumpy().tolist() == [[[[6, 8], [16, 18]]]]
    assert indices.asnumpy().tolist() == [[[[6, 8], [16, 18]]]]


def test_default_stride_is_one():
    assert nn.MaxPool2d(2)(Tensor(IMAGE)).shape == (1, 1, 4, 4)
    assert nn.AvgPool2d(2)(Tensor(IMAGE)).shape == (1, 1, 4, 4)


def test_a_batch_dimension_is_optional():
    assert nn.MaxPool2d(2, 2)(Tensor(IMAGE[0])).asnumpy().tolist() == [[[6, 8], [16, 18]]]
    assert nn.AvgPool2d(2, 2)(Tensor(IMAGE[0])).shape == (1, 2, 2)


def test_channels_last():
    x = random(2, 3, 6, 6)
    for kind in (nn.MaxPool2d, nn.AvgPool2d):
        last = kind(2, 2, data_format="NHWC")(Tensor(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))).asnumpy()
        np.testing.assert_allclose(last.transpose(0, 3, 1, 2), kind(2, 2)(Tensor(x)).asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("pad_mode", ["valid", "same"])
def test_pooling_of_sequences_agrees_with_numpy(pad_mode):
    x = random(2, 3, 9)
    pads = [(0, 0)] if pad_mode == "valid" else same(x.shape[2:], (2,), (2,))
    for kind, reduce in ((nn.MaxPool1d, largest), (nn.AvgPool1d, mean_without_padding)):
        expected = pool(x, reduce, (2,), (2,), pads)
        np.testing.assert_allclose(kind(2, 2, pad_mode=pad_mode)(Tensor(x)).asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("pad_mode", ["valid", "same"])
def test_pooling_of_volumes_agrees_with_numpy(pad_mode):
    x = random(1, 2, 5, 4, 3)
    pads = [(0, 0)] * 3 if pad_mode == "valid" else same(x.shape[2:], (2,) * 3, (2,) * 3)
    whole = partial(nn.AvgPool3d, count_include_pad=True)
    inner = partial(nn.AvgPool3d, count_include_pad=False)
    for kind, reduce in (
        (nn.MaxPool3d, largest),
        (inner, mean_without_padding),
        (nn.AvgPool3d, mean_with_padding),
        (whole, mean_with_padding),
    ):
        expected = pool(x, reduce, (2,) * 3, (2,) * 3, pads)
        for layer in (kind(2, 2, pad_mode=pad_mode), dyad.jit(kind(2, 2, pad_mode=pad_mode))):
            np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_power_averages():
    x = np.abs(random(1, 2, 6, 6))
    expected = pool(x, lambda values, _: (values**3).sum(-1) ** (1 / 3), (2, 2), (2, 2), [(0, 0)] * 2)
    np.testing.assert_allclose(nn.LPPool2d(3, 2)(Tensor(x)).asnumpy(), expected, rtol=1e-4)
    expected = pool(x[0], lambda values, _: (values**2).sum(-1) ** 0.5, (2,), (1,), [(0, 0)])
    np.testing.assert_allclose(nn.LPPool1d(2, 2, 1)(Tensor(x[0])).asnumpy(), expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("pool_kind", "unpool_kind", "shape"),
    [
        (nn.MaxPool1d, nn.MaxUnpool1d, (2, 3, 8)),
        (nn.MaxPool2d, nn.MaxUnpool2d, (2, 3, 8, 6)),
        (nn.MaxPool3d, nn.MaxUnpool3d, (2, 3, 4, 6, 2)),
    ],
)
def test_unpooling_puts_the_largest_back(pool_kind, unpool_kind, shape):
    x = random(*shape)
    values, indices = pool_kind(2, 2, pad_mode="pad", return_indices=True)(Tensor(x))
    result = unpool_kind(2)(values, indices).asnumpy()
    assert result.shape == shape
    assert (result[result != 0] == x[result != 0]).all()
    assert np.count_nonzero(result) == values.size
    larger = unpool_kind(2)(values, indices, output_size=shape)
    assert (larger.asnumpy() == result).all()


def adaptive(x, sizes, reduce):
    out = np.zeros((*x.shape[: -len(sizes)], *sizes), np.float32)
    spatial = x.shape[-len(sizes) :]
    for position in itertools.product(*map(range, sizes)):
        window = tuple(
            slice(p * n // size, -(-(p + 1) * n // size))
            for p, n, size in zip(position, spatial, sizes, strict=True)
        )
        out[(..., *position)] = reduce(x[(..., *window)], axis=tuple(range(-len(sizes), 0)))
    return out


@pytest.mark.parametrize(
    ("average", "maximum", "sizes"),
    [
        (nn.AdaptiveAvgPool1d, nn.AdaptiveMaxPool1d, (3,)),
        (nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d, (2, 3)),
        (nn.AdaptiveAvgPool3d, nn.AdaptiveMaxPool3d, (2, 3, 2)),
    ],
)
def test_adaptive_pooling_agrees_with_numpy(average, maximum, sizes):
    x = random(2, 3, *(6,) * len(sizes))
    size = sizes[0] if len(sizes) == 1 else sizes
    np.testing.assert_allclose(
        average(size)(Tensor(x)).asnumpy(), adaptive(x, sizes, np.mean), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(maximum(size)(Tensor(x)).asnumpy(), adaptive(x, sizes, np.max))


def test_adaptive_windows_may_overlap_and_none_keeps_a_size():
    x = random(1, 2, 7, 5)
    result = nn.AdaptiveAvgPool2d((4, 3))(Tensor(x)).asnumpy()
    np.testing.assert_allclose(result, adaptive(x, (4, 3), np.mean), rtol=1e-4, atol=1e-6)
    assert nn.AdaptiveAvgPool2d((None, 3))(Tensor(x)).shape == (1, 2, 7, 3)
    assert nn.AdaptiveAvgPool2d(1)(Tensor(x)).shape == (1, 2, 1, 1)


def test_adaptive_indices():
    values, indices = nn.AdaptiveMaxPool2d(2, return_indices=True)(Tensor(IMAGE[:, :, :4, :4].copy()))
    assert values.asnumpy().tolist() == [[[[6, 8], [16, 18]]]]
    assert indices.asnumpy().tolist() == [[[[5, 7], [13, 15]]]]


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.MaxPool2d(0), ValueError, "MaxPool2d: kernel_size is 0; need an int of at least 1"),
        (
            lambda: nn.MaxPool2d("a"),
            TypeError,
            "MaxPool2d: kernel_size is 'a' of type str; need an int or 2 ints",
        ),
        (
            lambda: nn.MaxPool2d(2, pad_mode="q"),
            ValueError,
            "MaxPool2d: pad_mode is 'q'; need one of same, valid, pad",
        ),
        (lambda: nn.MaxPool2d(2, padding=1), ValueError, "MaxPool2d: padding is 1 with pad_mode 'valid'"),
        (
            lambda: nn.MaxPool2d(2, return_indices=True),
            ValueError,
            "MaxPool2d: return_indices is True with pad_mode",
        ),
        (
            lambda: nn.AvgPool2d(2, padding=1),
            ValueError,
            "AvgPool2d: padding is 1 with pad_mode 'valid'; need pad_mode 'pad'",
        ),
        (lambda: nn.AvgPool2d(2, 0), ValueError, "AvgPool2d: stride is 0; need an int of at least 1"),
        (
            lambda: nn.MaxPool2d(2)(Tensor([1.0])),
            ValueError,
            "MaxPool2d: x has shape (1,); need 3 or 4 dimensions",
        ),
        (
            lambda: nn.AdaptiveAvgPool2d(0),
            ValueError,
            "AdaptiveAvgPool2d: output_size is 0; need an int of at least 1",
        ),
        (lambda: nn.AdaptiveAvgPool2d((1, 2, 3)), ValueError, "need an int or 2 ints"),
        (lambda: nn.LPPool2d(0, 2), ValueError, "LPPool2d: norm_type is 0; need a number that is not 0"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()
