"""Lowerings of gradients of operators, and of losses, to the Primitives of files."""

from dyad import _core
from dyad._src.interchange.mindir.writer import Written


def _binary(e, primitive, a, b):
    return e.call(primitive, a, b, dtype=a.dtype, shape=a.shape)


def _mul(e, a, b):
    return _binary(e, "Mul", a, b)


def _one(e, like):
    return e.tensor(1.0, like.dtype)


def _total(e, x, axis):
    kept = tuple(1 if place == axis % len(x.shape) else size for place, size in enumerate(x.shape))
    return e.call("ReduceSum", x, (axis,), True, False, dtype=x.dtype, shape=kept)


def relu_grad(e, results, gradient, output):
    positive = e.call("Greater", output, e.tensor(0, output.dtype), dtype=_core.bool_, shape=output.shape)
    zeros = e.broadcast(e.tensor(0, gradient.dtype), gradient.shape)
    return e.call("Select", positive, gradient, zeros, dtype=gradient.dtype, shape=gradient.shape)


def sigmoid_grad(e, results, gradient, output):
    rest = e.call("Sub", _one(e, output), output, dtype=output.dtype, shape=output.shape)
    return _mul(e, gradient, _mul(e, output, rest))


def tanh_grad(e, results, gradient, output):
    rest = e.call("Sub", _one(e, output), _mul(e, output, output), dtype=output.dtype, shape=output.shape)
    return _mul(e, gradient, rest)


def silu_grad(e, results, gradient, x):
    sigmoid = e.call("Sigmoid", x, dtype=x.dtype, shape=x.shape)
    rest = e.call("Sub", _one(e, x), sigmoid, dtype=x.dtype, shape=x.shape)
    return _mul(e, gradient, _mul(e, sigmoid, _binary(e, "Add", _mul(e, x, rest), _one(e, x))))


def softmax_grad(e, results, gradient, result, axis):
    total = _total(e, _mul(e, gradient, result), axis)
    return _mul(e, result, _binary(e, "Sub", gradient, total))


def log_softmax_grad(e, results, gradient, result, axis):
    shares = e.call("Exp", result, dtype=result.dtype, shape=result.shape)
    return _binary(e, "Sub", gradient, _mul(e, shares, _total(e, gradient, axis)))


def log_sum_exp_line(e, results, x, axis):
    """Log-sum-exp with the largest element subtracted first, so that no exponential is infinite."""
    kept = tuple(1 if place == axis % len(x.shape) else size for place, size in enumerate(x.shape))
    largest = e.call("ReduceMax", x, (axis,), True, dtype=x.dtype, shape=kept)
    powers = e.call("Exp", _binary(e, "Sub", x, largest), dtype=x.dtype, shape=x.shape)
    logarithm = e.call("Log", _total(e, powers, axis), dtype=x.dtype, shape=kept)
    return e.reshape(_binary(e, "Add", logarithm, largest), results[0][1])


def _plain_classes(x, target, weight, ignore_index, reduction, label_smoothing, normalize):
    """Returns whether it is the mean over a batch of scores, with nothing left out: files have an operator for that."""
    plain = (
        weight is None and label_smoothing == 0.0 and normalize and reduction == "mean" and ignore_index < 0
    )
    return (
        plain
        and len(x.shape) == 2
        and isinstance(x.shape[0], int)
        and target.dtype in (_core.int32, _core.int64)
    )


def _class_loss(e, x, target, is_grad, dtype, shape):
    attributes = {"is_grad": is_grad, "sens": 1.0}
    return e.with_attributes("SparseSoftmaxCrossEntropyWithLogits", [x, target], attributes, dtype, shape)


def class_loss(
    e,
    results,
    x,
    target,
    weight=None,
    ignore_index=-100,
    reduction="mean",
    label_smoothing=0.0,
    normalize=True,
):
    if not _plain_classes(x, target, weight, ignore_index, reduction, label_smoothing, normalize):
        return None
    dtype, shape = results[0]
    loss = _class_loss(e, x, target, False, dtype, shape)
    line = log_sum_exp_line(e, [results[1]], x, 1)
    return [loss, line, e.broadcast(e.tensor(x.shape[0], results[2][0]), results[2][1])]


def class_loss_grad(
    e, results, gradient, x, target, weight, log_sum, total, ignore_index=-100, reduction="mean", label_smoothing=0.0,
    normalize=True,
):  # fmt: skip
    if not _plain_classes(x, target, weight, ignore_index, reduction, label_smoothing, normalize):
        return None
    return _mul(e, _class_loss(e, x, target, True, x.dtype, x.shape), gradient)


def batch_norm_train_grad(
    e, results, gradient, x, mean, variance, weight, eps, channels_last=False, output=None
):
    if channels_last or output is not None or any(not isinstance(size, int) for size in x.shape):
        return None
    rank = len(x.shape)
    axes = (0, *range(2, rank))
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    wide = (1, x.shape[1], *(1,) * (rank - 2))
    spread = _binary(e, "Add", e.reshape(variance, wide), e.tensor(eps, variance.dtype))
    inverse = e.call("Rsqrt", spread, dtype=x.dtype, shape=wide)
    apart = _mul(e, _binary(e, "Sub", x, e.reshape(mean, wide)), inverse)
    along = e.call("ReduceSum", _mul(e, gradient, apart), axes, True, False, dtype=x.dtype, shape=wide)
    total = e.call("ReduceSum", gradient, axes, True, False, dtype=x.dtype, shape=wide)
    share = e.tensor(1.0 / count, x.dtype)
    rest = _binary(e, "Add", _mul(e, total, share), e.tensor(0, x.dtype))
    moved = _binary(e, "Sub", _binary(e, "Sub", gradient, rest), _mul(e, apart, _mul(e, along, share)))
    factor = inverse if weight is None else _mul(e, inverse, e.reshape(weight, wide))
    return [_mul(e, moved, factor), e.reshape(along, results[1][1]), e.reshape(total, results[2][1])]


def normalize_rows_grad(e, results, gradient, x, mean, scale, weight, begin_axis):
    """Of layers whose last axis is normalized."""
    if weight is None or begin_axis % len(x.shape) != len(x.shape) - 1 or not isinstance(x.shape[-1], int):
        return None
    share = e.tensor(1.0 / x.shape[-1], x.dtype)
    apart = _mul(e, _binary(e, "Sub", x, mean), scale)
    scaled = _mul(e, gradient, weight)
    level = _mul(e, _total(e, scaled, -1), share)
    slope = _mul(e, _total(e, _mul(e, scaled, apart), -1), share)
    moved = _binary(e, "Sub", _binary(e, "Sub", scaled, level), _mul(e, apart, slope))
    axes = tuple(range(len(x.shape) - 1))
    sums = [
        e.call("ReduceSum", value, axes, False, False, dtype=x.dtype, shape=results[1][1])
        for value in (_mul(e, gradient, apart), gradient)
    ]
    return [_mul(e, moved, scale), *sums]


def _conv_attributes(weight_shape, stride, padding, dilation, groups):
    return {
        "out_channel": weight_shape[0], "kernel_size": tuple(weight_shape[2:]), "mode": 1, "pad_mode": "PAD",
        "pad": tuple(padding), "pad_list": tuple(padding), "stride": tuple(stride), "dilation": (1, 1, *dilation),
        "group": groups, "groups": groups, "format": "NCHW", "data_format": "NCHW",
    }  # fmt: skip


def convolution_input_gradient(
    e, results, gradient, weight, sizes, stride, padding, dilation, groups, channels_last=False, filters=None
):
    dtype, shape = results[0]
    known = (*padding, *shape, *weight.shape)
    if channels_last or len(stride) != 2 or any(not isinstance(size, int) for size in known):
        return None
    attributes = _conv_attributes(weight.shape, (1, 1, *stride), padding, dilation, groups)
    names = {"input_names": ["out_backprop", "filter", "input_sizes"], "output_names": ["output"]}
    return e.with_attributes(
        "Conv2DBackpropInput", [gradient, weight, tuple(shape)], {**attributes, **names}, dtype, shape
    )


def convolution_weight_gradient(
    e, results, gradient, x, kernel, stride, padding, dilation, groups, channels_last=False
):
    dtype, shape = results[0]
    if channels_last or len(stride) != 2 or any(not isinstance(size, int) for size in (*padding, *shape)):
        return None
    attributes = _conv_attributes(shape, (1, 1, *stride), padding, dilation, groups)
    names = {"input_names": ["out_backprop", "input", "filter_sizes"], "output_names": ["output"]}
    return e.with_attributes(
        "Conv2DBackpropFilter", [gradient, x, tuple(shape)], {**attributes, **names}, dtype, shape
    )


def max_pool_with_places(e, results, x, kernel, stride, padding, dilation, ceil_mode, channels_last=False):
    """The indexes are only for the gradient, which in files depends on the pooled Tensor."""
    if channels_last or len(kernel) != 2 or any(padding) or ceil_mode or set(dilation) != {1}:
        return None
    settings = {
        "kernel_size": (1, 1, *kernel), "strides": (1, 1, *stride), "pad_mode": "VALID", "format": "NCHW",
        "data_format": "NCHW",
    }  # fmt: skip
    names = {"input_names": ["x"], "output_names": ["output"]}
    pooled = e.with_attributes("MaxPool", [x], {**settings, **names}, *results[0])
    places = Written(f"{pooled.name}:places", *results[1])
    e.pools[places.name] = x, pooled, settings
    return [pooled, places]


def unpool(e, results, gradient, places, sizes, accumulate, channels_last=False):
    """The gradient of a pooling with these indexes."""
    if places.name not in e.pools:
        return None
    x, pooled, settings = e.pools[places.name]
    names = {"input_names": ["x_origin", "out_origin", "grad"], "output_names": ["output"]}
    return e.with_attributes("MaxPoolGrad", [x, pooled, gradient], {**settings, **names}, *results[0])


def average_pool_gradient(
    e,
    results,
    gradient,
    kernel,
    stride,
    padding,
    ceil_mode,
    count_include_pad,
    divisor,
    sizes,
    channels_last=False,
):
    """Only the shape of what was pooled counts."""
    dtype, shape = results[0]
    if any(padding) or ceil_mode or divisor or channels_last or len(kernel) != 2:
        return None
    x = e.broadcast(e.tensor(0, dtype), shape)
    valid, channels_second = 2, 0
    settings = tuple(kernel), tuple(stride), valid, channels_second
    return e.call("AvgPoolGrad", x, gradient, gradient, *settings, dtype=dtype, shape=shape)


def gelu_tanh_grad(e, results, gradient, x):
    result = e.call("GeLU", x, dtype=x.dtype, shape=x.shape)
    return e.call("GeLUGrad", gradient, x, result, dtype=x.dtype, shape=x.shape)


LOWERINGS = {
    "average_pool_gradient": average_pool_gradient,
    "batch_norm_train_grad": batch_norm_train_grad,
    "class_loss": class_loss,
    "class_loss_grad": class_loss_grad,
    "convolution_input_gradient": convolution_input_gradient,
    "convolution_weight_gradient": convolution_weight_gradient,
    "gelu_tanh_grad": gelu_tanh_grad,
    "log_softmax_grad": log_softmax_grad,
    "log_sum_exp_line": log_sum_exp_line,
    "max_pool_with_places": max_pool_with_places,
    "normalize_rows_grad": normalize_rows_grad,
    "relu_grad": relu_grad,
    "sigmoid_grad": sigmoid_grad,
    "silu_grad": silu_grad,
    "softmax_grad": softmax_grad,
    "tanh_grad": tanh_grad,
    "unpool": unpool,
}
