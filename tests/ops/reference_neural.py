"""Convolution and pooling in NumPy, written for clarity."""

import itertools
import math

import numpy as np
from channels_last import either_layout


def _padded(x, padding, value=0.0):
    spatial = len(padding) // 2
    widths = [(0, 0)] * (x.ndim - spatial) + [(padding[2 * i], padding[2 * i + 1]) for i in range(spatial)]
    return np.pad(x, widths, constant_values=value)


def _windows(sizes, kernel, stride, dilation):
    """For each position: its index and the slices of its window."""
    counts = [
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)
    ]
    for at in itertools.product(*map(range, counts)):
        yield (
            at,
            tuple(
                slice(i * s, i * s + d * (k - 1) + 1, d)
                for i, k, s, d in zip(at, kernel, stride, dilation, strict=True)
            ),
        )


def _counts(sizes, kernel, stride, dilation):
    return [
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True)
    ]


@either_layout(1)
def convolution(x, weight, bias, stride, padding, dilation, groups):
    x = _padded(x, padding)
    kernel = weight.shape[2:]
    sizes = x.shape[2:]
    out = np.zeros((x.shape[0], weight.shape[0], *_counts(sizes, kernel, stride, dilation)), x.dtype)
    per_in, per_out = weight.shape[1], weight.shape[0] // groups
    for at, window in _windows(sizes, kernel, stride, dilation):
        for g in range(groups):
            patch = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)]
            filters = weight[g * per_out : (g + 1) * per_out]
            axes = list(range(1, x.ndim))
            out[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)] = np.tensordot(
                patch, filters, (axes, axes)
            )
    if bias is not None:
        out = out + bias.reshape(1, -1, *[1] * len(kernel))
    return out


@either_layout(1)
def convolution_input_gradient(gradient, weight, sizes, stride, padding, dilation, groups):
    kernel = weight.shape[2:]
    full = [n + padding[2 * i] + padding[2 * i + 1] for i, n in enumerate(sizes)]
    per_in, per_out = weight.shape[1], weight.shape[0] // groups
    out = np.zeros((gradient.shape[0], per_in * groups, *full), gradient.dtype)
    for at, window in _windows(full, kernel, stride, dilation):
        for g in range(groups):
            value = gradient[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)]
            filters = weight[g * per_out : (g + 1) * per_out]
            out[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)] += np.tensordot(
                value, filters, 1
            )
    inner = tuple(slice(padding[2 * i], padding[2 * i] + n) for i, n in enumerate(sizes))
    return out[(slice(None), slice(None), *inner)]


@either_layout(2, result=np.asarray)
def convolution_weight_gradient(gradient, x, kernel, stride, padding, dilation, groups):
    x = _padded(x, padding)
    per_in, per_out = x.shape[1] // groups, gradient.shape[1] // groups
    out = np.zeros((gradient.shape[1], per_in, *kernel), x.dtype)
    for at, window in _windows(x.shape[2:], kernel, stride, dilation):
        for g in range(groups):
            value = gradient[(slice(None), slice(g * per_out, (g + 1) * per_out), *at)]
            patch = x[(slice(None), slice(g * per_in, (g + 1) * per_in), *window)]
            out[g * per_out : (g + 1) * per_out] += np.tensordot(value, patch, ((0,), (0,)))
    return out


def _per_dimension(value, spatial):
    value = (value,) if isinstance(value, int) else tuple(value)
    return value * spatial if len(value) == 1 else value


def padding_pairs(mode, padding, sizes, kernel, stride, dilation):
    spatial = len(kernel)
    if mode == "valid":
        return (0,) * (2 * spatial)
    if mode == "pad":
        padding = _per_dimension(padding, spatial)
        return padding if len(padding) == 2 * spatial else tuple(p for p in padding for _ in range(2))
    pairs = []
    for n, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        pairs += [total // 2, total - total // 2]
    return tuple(pairs)


def conv(x, weight, bias, stride, pad_mode, padding, dilation, groups):
    spatial = weight.ndim - 2
    single = x.ndim == spatial + 1
    x = x[None] if single else x
    stride, dilation = _per_dimension(stride, spatial), _per_dimension(dilation, spatial)
    pairs = padding_pairs(pad_mode, padding, x.shape[2:], weight.shape[2:], stride, dilation)
    out = convolution(x, weight, bias, stride, pairs, dilation, groups)
    return out[0] if single else out


def _pool_count(n, before, after, k, s, d, ceil):
    count = (n + before + after - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
    return min(count, (n + before - 1) // s + 1) if ceil else count


def _pool_places(sizes, kernel, stride, padding, dilation, ceil):
    """For each position: its index and, per dimension, the places inside the image."""
    spatial = len(kernel)
    counts = [
        _pool_count(sizes[i], padding[2 * i], padding[2 * i + 1], kernel[i], stride[i], dilation[i], ceil)
        for i in range(spatial)
    ]
    for at in itertools.product(*map(range, counts)):
        places = []
        for i in range(spatial):
            start = at[i] * stride[i] - padding[2 * i]
            places.append(
                [p for p in range(start, start + kernel[i] * dilation[i], dilation[i]) if 0 <= p < sizes[i]]
            )
        yield counts, at, places


@either_layout(1)
def max_pool(x, kernel, stride, padding, dilation, ceil_mode):
    spatial = len(kernel)
    planes, sizes = x.shape[:-spatial], x.shape[-spatial:]
    flat = x.reshape(int(np.prod(planes)), *sizes)
    values, indices = None, None
    for counts, at, places in _pool_places(sizes, kernel, stride, padding, dilation, ceil_mode):
        if values is None:
            values = np.zeros((len(flat), *counts), x.dtype)
            indices = np.zeros((len(flat), *counts), np.int64)
        window = flat[np.ix_(range(len(flat)), *places)].reshape(len(flat), math.prod(map(len, places)))
        where = np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), sizes).reshape(-1)
        best = window.argmax(1)
        values[(slice(None), *at)] = window[np.arange(len(flat)), best]
        indices[(slice(None), *at)] = where[best]
    return values.reshape(*planes, *values.shape[1:]), indices.reshape(*planes, *indices.shape[1:])


def _divisor(at, sizes, kernel, stride, padding, count_include_pad, divisor):
    if divisor:
        return divisor
    count = 1
    for i, n in enumerate(sizes):
        start = at[i] * stride[i] - padding[2 * i]
        stop = min(start + kernel[i], n + (padding[2 * i + 1] if count_include_pad else 0))
        count *= stop - max(start, -padding[2 * i] if count_include_pad else 0)
    return count


@either_layout(1)
def average_pool(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor):
    spatial = len(kernel)
    planes, sizes = x.shape[:-spatial], x.shape[-spatial:]
    flat = x.reshape(int(np.prod(planes)), *sizes)
    out = None
    for counts, at, places in _pool_places(sizes, kernel, stride, padding, (1,) * spatial, ceil_mode):
        if out is None:
            out = np.zeros((len(flat), *counts), x.dtype)
        total = flat[np.ix_(range(len(flat)), *places)].reshape(len(flat), -1).sum(1)
        out[(slice(None), *at)] = total / _divisor(
            at, sizes, kernel, stride, padding, count_include_pad, divisor
        )
    return out.reshape(*planes, *out.shape[1:])


@either_layout(1)
def average_pool_gradient(gradient, kernel, stride, padding, ceil_mode, count_include_pad, divisor, sizes):
    spatial = len(kernel)
    planes = gradient.shape[:-spatial]
    flat = gradient.reshape(-1, *gradient.shape[-spatial:])
    out = np.zeros((len(flat), *sizes), gradient.dtype)
    for _, at, places in _pool_places(sizes, kernel, stride, padding, (1,) * spatial, ceil_mode):
        share = flat[(slice(None), *at)] / _divisor(
            at, sizes, kernel, stride, padding, count_include_pad, divisor
        )
        out[np.ix_(range(len(flat)), *places)] += share.reshape(-1, *[1] * spatial)
    return out.reshape(*planes, *sizes)


def _part(i, out, n):
    return range(i * n // out, -(-(i + 1) * n // out))


def _adaptive_places(sizes, output):
    for at in itertools.product(*map(range, output)):
        yield at, [list(_part(i, o, n)) for i, o, n in zip(at, output, sizes, strict=True)]


def adaptive_max_pool(x, output_size):
    spatial = len(output_size)
    planes, sizes = x.shape[:-spatial], x.shape[-spatial:]
    flat = x.reshape(int(np.prod(planes)), *sizes)
    values = np.zeros((len(flat), *output_size), x.dtype)
    indices = np.zeros((len(flat), *output_size), np.int64)
    for at, places in _adaptive_places(sizes, output_size):
        window = flat[np.ix_(range(len(flat)), *places)].reshape(len(flat), -1)
        where = np.ravel_multi_index(np.meshgrid(*places, indexing="ij"), sizes).reshape(-1)
        best = window.argmax(1)
        values[(slice(None), *at)] = window[np.arange(len(flat)), best]
        indices[(slice(None), *at)] = where[best]
    return values.reshape(*planes, *output_size), indices.reshape(*planes, *output_size)


def adaptive_avg_pool(x, output_size):
    output_size = _per_dimension(output_size, 1)
    spatial = len(output_size)
    planes, sizes = x.shape[:-spatial], x.shape[-spatial:]
    flat = x.reshape(int(np.prod(planes)), *sizes)
    out = np.zeros((len(flat), *output_size), x.dtype)
    for at, places in _adaptive_places(sizes, output_size):
        out[(slice(None), *at)] = flat[np.ix_(range(len(flat)), *places)].reshape(len(flat), -1).mean(1)
    return out.reshape(*planes, *output_size)


def adaptive_avg_pool_gradient(gradient, sizes):
    spatial = len(sizes)
    output_size = gradient.shape[-spatial:]
    flat = gradient.reshape(-1, *output_size)
    out = np.zeros((len(flat), *sizes), gradient.dtype)
    for at, places in _adaptive_places(sizes, output_size):
        share = flat[(slice(None), *at)] / np.prod([len(p) for p in places])
        out[np.ix_(range(len(flat)), *places)] += share.reshape(-1, *[1] * spatial)
    return out.reshape(*gradient.shape[:-spatial], *sizes)


@either_layout(2)
def unpool(x, indices, sizes, accumulate):
    planes = x.shape[: x.ndim - len(sizes)]
    out = np.zeros((int(np.prod(planes)), int(np.prod(sizes))), x.dtype)
    flat, where = x.reshape(len(out), -1), indices.reshape(len(out), -1)
    for row in range(len(out)):
        for value, at in zip(flat[row], where[row], strict=True):
            out[row, at] = out[row, at] + value if accumulate else value
    return out.reshape(*planes, *sizes)


def _padding(padding, spatial):
    return padding_pairs("pad", padding, None, (1,) * spatial, None, None)


def max_pool_face(x, kernel, stride, padding, dilation, ceil, return_indices, spatial):
    kernel = _per_dimension(kernel, spatial)
    stride = kernel if stride is None else _per_dimension(stride, spatial)
    found = max_pool(x, kernel, stride, _padding(padding, spatial), _per_dimension(dilation, spatial), ceil)
    return found if return_indices else found[0]


def avg_pool_face(x, kernel, stride, padding, ceil, count_include_pad, divisor, spatial):
    kernel = _per_dimension(kernel, spatial)
    stride = kernel if stride is None else _per_dimension(stride, spatial)
    return average_pool(x, kernel, stride, _padding(padding, spatial), ceil, count_include_pad, divisor)


def adaptive_avg_pool_face(x, output_size, spatial):
    return adaptive_avg_pool(x, _per_dimension(output_size, spatial))


def adaptive_max_pool_face(x, output_size, return_indices, spatial):
    found = adaptive_max_pool(x, _per_dimension(output_size, spatial))
    return found if return_indices else found[0]


def lp_pool(x, norm_type, kernel, stride, ceil, spatial):
    kernel = _per_dimension(kernel, spatial)
    stride = kernel if stride is None else _per_dimension(stride, spatial)
    mean = average_pool(x**norm_type, kernel, stride, (0,) * (2 * spatial), ceil, True, 0)
    return (mean * np.prod(kernel)) ** (1 / norm_type)


def max_unpool(x, indices, kernel, stride, padding, output_size, spatial):
    kernel, padding = _per_dimension(kernel, spatial), _per_dimension(padding, spatial)
    stride = kernel if stride is None else _per_dimension(stride, spatial)
    sizes = output_size or [
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[-spatial:], stride, padding, kernel, strict=True)
    ]
    return unpool(x, indices, tuple(sizes)[-spatial:], False)


def pool_layer(x, kernel, stride, mode, padding, ceil, data_format, count_pad, divisor, spatial, mean):
    last = data_format.endswith("C")
    x = np.moveaxis(x, -1, 1) if last else x
    kernel, stride, ones = _per_dimension(kernel, spatial), _per_dimension(stride, spatial), (1,) * spatial
    pairs = padding_pairs(mode.lower(), padding, x.shape[2:], kernel, stride, ones)
    if mean:
        out = average_pool(
            x,
            kernel,
            stride,
            pairs,
            bool(ceil),
            count_pad and (spatial == 3 or mode.lower() != "same"),
            divisor,
        )
    else:
        out = max_pool(x, kernel, stride, pairs, ones, bool(ceil))[0]
    return np.moveaxis(out, 1, -1) if last else out


def pair(value):
    return _per_dimension(value, 2)


def conv_transpose(x, weight, bias, stride, padding, output_padding, groups, dilation):
    spatial = weight.ndim - 2
    single = x.ndim == spatial + 1
    x = x[None] if single else x
    stride, padding = _per_dimension(stride, spatial), _per_dimension(padding, spatial)
    extra, dilation = _per_dimension(output_padding, spatial), _per_dimension(dilation, spatial)
    sizes = [
        (x.shape[i + 2] - 1) * stride[i]
        - 2 * padding[i]
        + dilation[i] * (weight.shape[i + 2] - 1)
        + 1
        + extra[i]
        for i in range(spatial)
    ]
    pairs = tuple(p for p in padding for _ in range(2))
    out = convolution_input_gradient(x, weight, sizes, stride, pairs, dilation, groups)
    if bias is not None:
        out = out + bias.reshape(1, -1, *[1] * spatial)
    return out[0] if single else out


def attention(query, key, value, mask, dropout_p, causal, scale):
    scale = 1 / np.sqrt(query.shape[-1]) if scale is None else scale
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) * scale
    if causal:
        seen = np.tril(np.ones(scores.shape[-2:], bool))
        scores = np.where(seen, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return np.matmul(weights, value)


def attention_gradient(gradient, query, key, value, mask, causal, scale):
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) * scale
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    by_weight = np.matmul(gradient, np.swapaxes(value, -1, -2))
    by_score = weights * (by_weight - (weights * by_weight).sum(-1, keepdims=True)) * scale
    return (
        np.matmul(by_score, key),
        np.matmul(np.swapaxes(by_score, -1, -2), query),
        np.matmul(np.swapaxes(weights, -1, -2), gradient),
    )


def unfold(x, kernel, dilation, padding, stride):
    kernel, dilation, stride = pair(kernel), pair(dilation), pair(stride)
    x = _padded(x, padding_pairs("pad", padding, None, kernel, None, None))
    columns = [
        x[(slice(None), slice(None), *w)].reshape(len(x), -1)
        for _, w in _windows(x.shape[2:], kernel, stride, dilation)
    ]
    return np.stack(columns, -1)


def fold(columns, output_size, kernel, dilation, padding, stride):
    output_size, kernel, dilation, stride = pair(output_size), pair(kernel), pair(dilation), pair(stride)
    pairs = padding_pairs("pad", padding, None, kernel, None, None)
    full = [n + pairs[2 * i] + pairs[2 * i + 1] for i, n in enumerate(output_size)]
    channels = columns.shape[1] // (kernel[0] * kernel[1])
    out = np.zeros((len(columns), channels, *full), columns.dtype)
    for i, (_, window) in enumerate(_windows(full, kernel, stride, dilation)):
        out[(slice(None), slice(None), *window)] += columns[:, :, i].reshape(len(columns), channels, *kernel)
    inner = tuple(slice(pairs[2 * i], pairs[2 * i] + n) for i, n in enumerate(output_size))
    return out[(slice(None), slice(None), *inner)]
