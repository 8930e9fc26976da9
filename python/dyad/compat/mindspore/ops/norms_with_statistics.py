"""Operators that give what their gradient needs besides the result; the functions of the same name give the result."""

from dyad import _core, ops
from dyad._src.primitive.primitive import primitive_of
from dyad.mint.nn import functional


def _wide(x):
    """Halves as float32, in which statistics are kept."""
    return x.astype(_core.float32) if x.dtype.itemsize == 2 else x


def _statistics(x, axes, eps):
    """The mean and 1 over the deviation along axes, which stay with size 1."""
    wide = _wide(x)
    mean = wide.mean(axes, keep_dims=True)
    return mean, ops.rsqrt(ops.square(wide - mean).mean(axes, keep_dims=True) + eps)


def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The norm over the last dimensions, its mean and 1 over its deviation."""
    axes = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    return (
        functional.layer_norm(input, normalized_shape, weight, bias, eps),
        *_statistics(input, axes, eps),
    )


def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """The norm over groups of channels, and for each sample and group its mean and 1 over its deviation."""
    batch = input.shape[0]
    statistics = _statistics(input.reshape(batch, num_groups, -1), (2,), eps)
    return (
        functional.group_norm(input, num_groups, weight, bias, eps),
        *[part.reshape(batch, num_groups) for part in statistics],
    )


def _batch_norm(
    input,
    weight=None,
    bias=None,
    running_mean=None,
    runnning_var=None,
    training=False,
    momentum=0.1,
    epsilon=1e-5,
):
    """The norm over samples, and for each channel the mean and 1 over the deviation that it was taken with."""
    if training:
        axes = (0, *range(2, input.ndim))
        statistics = [part.reshape(input.shape[1]) for part in _statistics(input, axes, epsilon)]
    else:
        statistics = [_wide(running_mean), ops.rsqrt(_wide(runnning_var) + epsilon)]
    normed = functional.batch_norm(
        input, running_mean, runnning_var, weight, bias, training, momentum, epsilon
    )
    return normed, *statistics


def _log_sigmoid(input):
    """The logarithm of the sigmoid, and the exponential of which it was taken."""
    return functional.logsigmoid(input), ops.exp(-ops.abs(input))


classes = {
    name: primitive_of(name, function)
    for name, function in {
        "BatchNormExt": _batch_norm,
        "GroupNorm": _group_norm,
        "LayerNormExt": _layer_norm,
        "LogSigmoid": _log_sigmoid,
    }.items()
}
