"""Operators on images whose channels are the last dimension, by those on images whose channels come first."""

import numpy as np
from reference_neural import (
    average_pool,
    average_pool_gradient,
    convolution,
    convolution_input_gradient,
    convolution_weight_gradient,
    max_pool,
    unpool,
)
from reference_norm import batch_norm_train, batch_norm_train_grad


def channels_first(x):
    return np.moveaxis(x, -1, 1)


def channels_last(x):
    return np.moveaxis(x, 1, -1)


def convolution_last(x, weight, bias, *window):
    return channels_last(convolution(channels_first(x), weight, bias, *window))


def convolution_input_gradient_last(gradient, weight, *window):
    return channels_last(convolution_input_gradient(channels_first(gradient), weight, *window))


def convolution_weight_gradient_last(gradient, x, *window):
    return convolution_weight_gradient(channels_first(gradient), channels_first(x), *window)


def batch_norm_train_last(x, weight, bias, added, eps, rectified):
    out, mean, variance = batch_norm_train(channels_first(x), weight, bias, eps)
    out = channels_last(out) + (0 if added is None else added)
    return np.maximum(out, 0) if rectified else out, mean, variance


def batch_norm_train_grad_last(gradient, x, mean, variance, weight, output, eps):
    passed = gradient if output is None else np.where(output > 0, gradient, 0)
    change, *rest = batch_norm_train_grad(
        channels_first(passed), channels_first(x), mean, variance, weight, eps
    )
    return channels_last(change), *rest


def max_pool_last(x, *window):
    return tuple(channels_last(found) for found in max_pool(channels_first(x), *window))


def average_pool_last(x, *window):
    return channels_last(average_pool(channels_first(x), *window))


def average_pool_gradient_last(gradient, *window):
    return channels_last(average_pool_gradient(channels_first(gradient), *window))


def unpool_last(x, indices, sizes, accumulate):
    return channels_last(unpool(channels_first(x), channels_first(indices), sizes, accumulate))
