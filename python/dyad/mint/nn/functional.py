"""Layers as functions. With `inplace`, the result is written into the input, which is returned."""

from dyad import ops
from dyad._src.base.argument_checks import require_flag
from dyad._src.operators import flatten_dims as _flatten
from dyad._src.operators import upsample_bicubic2d as _upsample_bicubic
from dyad.ops import adaptive_avg_pool1d as adaptive_avg_pool1d
from dyad.ops import adaptive_avg_pool2d as adaptive_avg_pool2d
from dyad.ops import adaptive_avg_pool3d as adaptive_avg_pool3d
from dyad.ops import adaptive_max_pool1d as adaptive_max_pool1d
from dyad.ops import adaptive_max_pool2d as adaptive_max_pool2d
from dyad.ops import conv_transpose2d as conv_transpose2d
from dyad.ops import cosine_embedding_loss as cosine_embedding_loss
from dyad.ops import cross_entropy as cross_entropy
from dyad.ops import embedding as embedding
from dyad.ops import fold as fold
from dyad.ops import gelu as gelu
from dyad.ops import glu as glu
from dyad.ops import grid_sample as grid_sample
from dyad.ops import group_norm as group_norm
from dyad.ops import hardshrink as hardshrink
from dyad.ops import hardsigmoid as hardsigmoid
from dyad.ops import hardswish as hardswish
from dyad.ops import l1_loss as l1_loss
from dyad.ops import layer_norm as layer_norm
from dyad.ops import linear as linear
from dyad.ops import logsigmoid as logsigmoid
from dyad.ops import mish as mish
from dyad.ops import mse_loss as mse_loss
from dyad.ops import normalize as normalize
from dyad.ops import pixel_shuffle as pixel_shuffle
from dyad.ops import prelu as prelu
from dyad.ops import selu as selu
from dyad.ops import sigmoid as sigmoid
from dyad.ops import soft_margin_loss as soft_margin_loss
from dyad.ops import softplus as softplus
from dyad.ops import softshrink as softshrink
from dyad.ops import tanh as tanh
from dyad.ops import unfold as unfold


def _delivered(owner, result, input, inplace):
    return ops.assign(input, result) if require_flag(owner, "inplace", inplace) else result


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
):
    """`ops.interpolate` with PyTorch's bicubic mode."""
    if mode != "bicubic":
        return ops.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    if recompute_scale_factor and scale_factor is not None:
        factors = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * 2
        size = tuple(int(length * factor) for length, factor in zip(input.shape[2:], factors, strict=True))
        scale_factor = None
    return _upsample_bicubic(input, size, scale_factor, bool(align_corners))


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """`interpolate` under its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def relu(input, inplace: bool = False):
    """Rectified linear unit, max(x, 0)."""
    return ops.relu(input, inplace)


def relu6(input, inplace: bool = False):
    """ReLU6: min(max(x, 0), 6)."""
    return _delivered("relu6", ops.relu6(input), input, inplace)


def silu(input, inplace: bool = False):
    """SiLU (swish): x · sigmoid(x)."""
    return _delivered("silu", ops.silu(input), input, inplace)


def elu(input, alpha=1.0, inplace: bool = False):
    """Exponential linear unit (ELU): x where positive, else alpha · (exp(x) - 1)."""
    return _delivered("elu", ops.elu(input, alpha), input, inplace)


def leaky_relu(input, negative_slope=0.01):
    """Leaky ReLU: x where positive, else negative_slope · x."""
    return ops.leaky_relu(input, negative_slope)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace: bool = False):
    """Hard tanh: x clipped to [min_val, max_val]."""
    return _delivered("hardtanh", ops.hardtanh(input, min_val, max_val), input, inplace)


def threshold(input, threshold, value, inplace: bool = False):
    """Threshold: x where x > threshold, else `value`."""
    return _delivered("threshold", ops.threshold(input, threshold, value), input, inplace)


def dropout(input, p=0.5, training: bool = True, inplace: bool = False):
    """Dropout: while training, zeroes elements with probability `p` and scales the others by 1 / (1 - p)."""
    return _delivered("dropout", ops.dropout(input, p, training), input, inplace)


def dropout2d(input, p=0.5, training: bool = True, inplace: bool = False):
    """Dropout of whole channels."""
    return _delivered("dropout2d", ops.dropout2d(input, p, training), input, inplace)


def _normalized_dimension(input, dim):
    """The dimension that softmax sums over: without one the first of 0, 1 and 3 dimensions, else the second."""
    if dim is not None:
        return dim
    return 0 if input.ndim in (0, 1, 3) else 1


def softmax(input, dim=None, dtype=None):
    """Softmax, exp(x) / Σ exp(x) along `dim`; by default 0 for 0, 1 or 3 dimensions, else 1."""
    return ops.softmax(input, _normalized_dimension(input, dim), dtype=dtype)


def log_softmax(input, dim=None, *, dtype=None):
    """Log-softmax along a dimension, by default that of `softmax`."""
    return ops.log_softmax(input if dtype is None else input.astype(dtype), _normalized_dimension(input, dim))


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Smooth L1 loss: with d = |input - target|, d² / (2 beta) for d < beta, d - beta / 2 elsewhere."""
    return ops.smooth_l1_loss(input, target, beta, reduction)


def pad(input, pad, mode="constant", value=None):
    """Pads the last dimensions."""
    return ops.pad(input, pad, mode, value)


def one_hot(tensor, num_classes=-1):
    """One-hot encoding; -1 classes means one more than the largest index."""
    classes = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    return ops.one_hot(tensor, classes, 1, 0).astype(tensor.dtype)


def flatten(input, start_dim=0, end_dim=-1):
    """Flattens the dimensions from `start_dim` to `end_dim`."""
    return _flatten(input, start_dim, end_dim)


def _convolution(convolve):
    def function(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if isinstance(padding, str):
            return convolve(input, weight, bias, stride, padding, 0, dilation, groups)
        return convolve(input, weight, bias, stride, "pad", padding, dilation, groups)

    function.__name__ = function.__qualname__ = convolve.__name__
    function.__doc__ = "Convolution with zeros as margins: `padding` is a size, or 'same', or 'valid'."
    return function


conv1d = _convolution(ops.conv1d)
conv2d = _convolution(ops.conv2d)
conv3d = _convolution(ops.conv3d)


def max_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode: bool = False,
    return_indices: bool = False,
):
    """Max pooling: the maximum of each window; with `return_indices` also its index."""
    return ops.max_pool2d(
        input, kernel_size, stride, padding, dilation, return_indices=return_indices, ceil_mode=ceil_mode
    )


def avg_pool1d(
    input, kernel_size, stride=None, padding=0, ceil_mode: bool = False, count_include_pad: bool = True
):
    """Average pooling: the mean of each window."""
    return ops.avg_pool1d(
        input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad
    )


def avg_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override=None,
):
    """Average pooling: the mean of each window, or its sum over `divisor_override`."""
    return ops.avg_pool2d(
        input,
        kernel_size,
        kernel_size if stride is None else stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override or 0,
    )


def avg_pool3d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override=None,
):
    """Average pooling: the mean of each window, or its sum over `divisor_override`."""
    return ops.avg_pool3d(
        input,
        kernel_size,
        kernel_size if stride is None else stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override or 0,
    )


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Max unpooling: the maxima at their indices, zeros elsewhere."""
    return ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def relu_(input):
    """Rectified linear unit, max(x, 0), in place."""
    return _delivered("relu_", ops.relu(input), input, True)


def sigmoid_(input):
    """Logistic sigmoid, 1 / (1 + exp(-x)), in place."""
    return _delivered("sigmoid_", sigmoid(input), input, True)


def elu_(input, alpha=1.0):
    """Exponential linear unit (ELU), in place: x where positive, else alpha · (exp(x) - 1)."""
    return elu(input, alpha, True)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """Hard tanh, in place: x clipped to [min_val, max_val]."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input, threshold, value):
    """Threshold, in place: x where x > threshold, else `value`."""
    return _delivered("threshold_", ops.threshold(input, threshold, value), input, True)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Binary cross entropy, -(target · log(input) + (1 - target) · log(1 - input))."""
    return ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """Binary cross entropy of sigmoid(input)."""
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(input, target, reduction="mean", log_target: bool = False):
    """Kullback-Leibler divergence, target * (log(target) - input); with `log_target` the target is a logarithm
    already.
    """
    return ops.kl_div(input, target, reduction, log_target)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Negative log-likelihood of the target class."""
    return ops.nll_loss(input, target, weight, ignore_index, reduction)


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training: bool = False, momentum=0.1, eps=1e-5
):
    """Batch normalization, by the batch's own statistics while training, else by the running ones."""
    return ops.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
