import itertools
import re

import numpy as np
import pytest

from dyad import Tensor, nn


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def spread(x, weight, stride, dilation, group):
    """All that the windows reach: each element times the kernel, added where the element's window lies."""
    spatial = x.ndim - 2
    kernel = weight.shape[2:]
    sizes = [(x.shape[2 + i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 for i in range(spatial)]
    out = np.zeros((x.shape[0], weight.shape[1] * group, *sizes), np.float64)
    ins, outs = x.shape[1] // group, weight.shape[1]
    for g, position in itertools.product(range(group), itertools.product(*map(range, kernel))):
        window = tuple(
            slice(
                position[i] * dilation[i],
                position[i] * dilation[i] + (x.shape[2 + i] - 1) * stride[i] + 1,
                stride[i],
            )
            for i in range(spatial)
        )
        filters = weight[(slice(g * ins, (g + 1) * ins), slice(None), *position)]
        part = np.einsum("nc...,co->no...", x[:, g * ins : (g + 1) * ins], filters)
        out[(slice(None), slice(g * outs, (g + 1) * outs), *window)] += part
    return out


def fit(full, starts, sizes):
    """Cut to the range, or fill with zeros behind where it is longer."""
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True), 2):
        missing = max(start + size - full.shape[axis], 0)
        pads = [(0, missing if i == axis else 0) for i in range(full.ndim)]
        full = np.pad(full, pads).take(range(start, start + size), axis)
    return full


@pytest.mark.parametrize(("kernel", "stride"), [(3, 1), (3, 2), (4, 2), (2, 3), ((2, 5), (1, 2))])
@pytest.mark.parametrize("group", [1, 2])
def test_same_and_valid(kernel, stride, group):
    x = random(2, 4, 5, 6)
    for pad_mode in ("same", "valid"):
        layer = nn.Conv2dTranspose(4, 6, kernel, stride, pad_mode=pad_mode, group=group, has_bias=True)
        full = spread(x, layer.weight.asnumpy(), layer.stride, layer.dilation, group)
        overlaps = [max(k - s, 0) for k, s in zip(layer.kernel_size, layer.stride, strict=True)]
        if pad_mode == "same":
            starts, sizes = (
                [o // 2 for o in overlaps],
                [n * s for n, s in zip(x.shape[2:], layer.stride, strict=True)],
            )
        else:
            starts = [0, 0]
            sizes = [n * s + o for n, s, o in zip(x.shape[2:], layer.stride, overlaps, strict=True)]
        expected = fit(full, starts, sizes) + layer.bias.asnumpy()[:, None, None]
        np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-3, atol=1e-4)


def test_padding_output_padding_and_dilation():
    x = random(2, 3, 5, 6)
    layer = nn.Conv2dTranspose(
        3, 4, 3, 2, pad_mode="pad", padding=(1, 0, 2, 1), output_padding=(1, 0), dilation=(1, 2)
    )
    full = spread(x, layer.weight.asnumpy(), layer.stride, layer.dilation, 1)
    sizes = [full.shape[2] - 1 + 1, full.shape[3] - 3]
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), fit(full, [1, 2], sizes), rtol=1e-3, atol=1e-4)


def test_positions_of_same_padding():
    weight = np.array([[[[1, 10, 100, 1000]]]], np.float32)
    x = Tensor(np.arange(1, 4, dtype=np.float32).reshape(1, 1, 1, 3))
    layer = nn.Conv2dTranspose(1, 1, (1, 4), (1, 2), weight_init=Tensor(weight))
    assert layer(x).asnumpy().ravel().tolist() == [10, 102, 1020, 203, 2030, 300]


def test_sequences_and_volumes():
    x = random(2, 3, 5)
    layer = nn.Conv1dTranspose(3, 4, 3, 2)
    assert layer.weight.shape == (3, 4, 1, 3)
    full = spread(x, layer.weight.asnumpy()[:, :, 0], (2,), (1,), 1)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), fit(full, [0], [10]), rtol=1e-3, atol=1e-4)
    x = random(1, 2, 3, 4, 3)
    layer = nn.Conv3dTranspose(2, 3, 3, 2, pad_mode="pad", padding=1, output_padding=1, has_bias=True)
    full = spread(x, layer.weight.asnumpy(), (2,) * 3, (1,) * 3, 1)
    expected = fit(full, [1] * 3, [6, 8, 6]) + layer.bias.asnumpy()[:, None, None, None]
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (
            lambda: nn.Conv2dTranspose(2, 3, 3, 2, output_padding=1),
            ValueError,
            "Conv2dTranspose: output_padding is 1 with pad_mode 'same'; need pad_mode 'pad'",
        ),
        (
            lambda: nn.Conv2dTranspose(2, 3, 3, pad_mode="pad", output_padding=1),
            ValueError,
            "Conv2dTranspose: output_padding is 1 and stride (1, 1); need less than the stride",
        ),
        (
            lambda: nn.Conv2dTranspose(2, 3, 3, pad_mode="pad", padding=5)(Tensor(random(1, 2, 4, 4))),
            ValueError,
            "an input of shape (1, 2, 4, 4) leaves an output of (-4, -4)",
        ),
        (
            lambda: nn.Conv1dTranspose(2, 3, 3)(Tensor([1.0])),
            ValueError,
            "x has shape (1,); need 3 dimensions",
        ),
        (lambda: nn.Conv2dTranspose(2, 3, 3)(Tensor(random(1, 3, 4, 4))), ValueError, "input has 3 channels"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()
