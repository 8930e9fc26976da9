"""NumPy references of the normalisations."""

import numpy as np
from channels_last import first, last


def _moments(input, axes):
    mean = np.mean(input, axis=axes, keepdims=True)
    return mean, np.mean((input - mean) ** 2, axis=axes, keepdims=True)


def _affine(values, weight, bias):
    values = values if weight is None else values * weight
    return values if bias is None else values + bias


def _per_channel(values, input):
    return None if values is None else np.reshape(values, (1, -1) + (1,) * (input.ndim - 2))


def normalize_rows(input, begin_axis, weight=None, bias=None, eps=1e-5):
    mean, variance = _moments(input, tuple(range(begin_axis, input.ndim)))
    scale = 1 / np.sqrt(variance + eps)
    return _affine((input - mean) * scale, weight, bias), mean, scale


def layer_norm_moments(input, begin_axis, weight, bias, eps):
    out, mean, _ = normalize_rows(input, begin_axis, weight, bias, eps)
    return out, mean, _moments(input, tuple(range(begin_axis, input.ndim)))[1]


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    count = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    return normalize_rows(input, input.ndim - count, weight, bias, eps)[0]


def normalize_rows_grad(gradient, input, mean, scale, weight, begin_axis):
    rows = tuple(range(begin_axis, input.ndim))
    unit = (input - mean) * scale
    weighted = gradient if weight is None else gradient * weight
    change = (
        weighted
        - np.mean(weighted, rows, keepdims=True)
        - unit * np.mean(weighted * unit, rows, keepdims=True)
    )
    outer = tuple(range(begin_axis))
    return change * scale, np.sum(gradient * unit, outer), np.sum(gradient, outer)


def normalize_rms(input, weight, epsilon=1e-6):
    rows = tuple(range(input.ndim - weight.ndim, input.ndim))
    scale = 1 / np.sqrt(np.mean(input**2, axis=rows, keepdims=True) + epsilon)
    return input * scale * weight, scale


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    grouped = input.reshape(input.shape[0], num_groups, -1)
    mean, variance = _moments(grouped, (2,))
    unit = ((grouped - mean) / np.sqrt(variance + eps)).reshape(input.shape)
    return _affine(unit, _per_channel(weight, input), _per_channel(bias, input))


def _other_axes(input):
    return tuple(i for i in range(input.ndim) if i != 1)


def batch_norm_train(
    input, weight=None, bias=None, eps=1e-5, channels_last=False, added=None, rectified=False
):
    if channels_last:
        out, *moments = batch_norm_train(first(input), weight, bias, eps)
        out = last(out) + (0 if added is None else added)
        return np.maximum(out, 0) if rectified else out, *moments
    mean, variance = _moments(input, _other_axes(input))
    unit = (input - mean) / np.sqrt(variance + eps)
    return (
        _affine(unit, _per_channel(weight, input), _per_channel(bias, input)),
        mean.ravel(),
        variance.ravel(),
    )


def batch_norm(input, mean, variance, weight=None, bias=None, training=False, eps=1e-5):
    if training:
        return batch_norm_train(input, weight, bias, eps)[0]
    unit = (input - _per_channel(mean, input)) / np.sqrt(_per_channel(variance, input) + eps)
    return _affine(unit, _per_channel(weight, input), _per_channel(bias, input))


def batch_norm_primitive(input, scale, bias, mean, variance, is_training, epsilon):
    if is_training:
        output, mean, variance = batch_norm_train(input, scale, bias, epsilon)
    else:
        output = batch_norm(input, mean, variance, scale, bias, False, epsilon)
    return output, mean, variance, mean, variance


def batch_norm_train_grad(gradient, input, mean, variance, weight, eps, channels_last=False, output=None):
    if channels_last:
        passed = gradient if output is None else np.where(output > 0, gradient, 0)
        change, *rest = batch_norm_train_grad(first(passed), first(input), mean, variance, weight, eps)
        return last(change), *rest
    axes = _other_axes(input)
    scale = 1 / np.sqrt(_per_channel(variance, input) + eps)
    unit = (input - _per_channel(mean, input)) * scale
    change = (
        gradient
        - np.mean(gradient, axes, keepdims=True)
        - unit * np.mean(gradient * unit, axes, keepdims=True)
    )
    change = _affine(change * scale, _per_channel(weight, input), None)
    return change, np.sum(gradient * unit, axes), np.sum(gradient, axes)


def lrn(input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    out = np.empty_like(input)
    for channel in range(input.shape[1]):
        near = input[:, max(0, channel - depth_radius) : channel + depth_radius + 1]
        out[:, channel] = input[:, channel] / (bias + alpha * np.sum(near**2, axis=1)) ** beta
    return out


def scale_all(x, factor):
    return tuple(part * factor for part in x)


def clip_by_global_norm(x, clip_norm=1.0):
    norm = np.sqrt(sum(np.sum(np.square(part)) for part in x))
    return tuple(part * (clip_norm / max(norm, clip_norm)) for part in x)


def clip_all_by_norm(x, max_norm, norm_type=2.0):
    norm = sum(np.sum(np.abs(part) ** norm_type) for part in x) ** (1 / norm_type)
    return tuple(part * min(max_norm / (norm + 1e-6), 1) for part in x)
