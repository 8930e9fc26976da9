"""Operators that occur in files and that no program calls: gradients, mostly, and special cases of others.

A function's parameters are the inputs of a node; the settings of the operator are keywords, in the order in which a
node may pass them as inputs too. A gradient has no formula of its own: the operator is differentiated by its rule.
"""

from dyad import ops
from dyad._src.autodiff.vector_products import vjp
from dyad._src.operators import lstm_layer


def _pull_back(function, gradient, *inputs):
    """The gradients of the inputs of a function for the gradient of its result; of a single one itself."""
    _, pull = vjp(function, *inputs)
    gradients = pull(gradient)
    return gradients[0] if len(gradients) == 1 else gradients


def _channel_axis(data_format):
    return -1 if data_format in ("NHWC", "NDHWC") else 1


def bias_add_grad(dout, *, data_format: str = "NCHW"):
    axes = [axis for axis in range(dout.ndim) if axis != _channel_axis(data_format) % dout.ndim]
    return dout.sum(tuple(axes)) if axes else dout


def max_pool_grad(
    x, out, dout, *, kernel_size=1, strides=1, pad_mode: str = "VALID", data_format: str = "NCHW"
):
    return _pull_back(ops.MaxPool(kernel_size, strides, pad_mode, data_format), dout, x)


def avg_pool_grad(
    x, out, dout, *, kernel_size=1, strides=1, pad_mode: str = "VALID", data_format: str = "NCHW"
):
    return _pull_back(ops.AvgPool(kernel_size, strides, pad_mode, data_format), dout, x)


def adaptive_avg_pool2d_grad(dout, shape: tuple):
    pool = ops.AdaptiveAvgPool2D(tuple(dout.shape[-2:]))
    return _pull_back(pool, dout, ops.zeros(shape, dout.dtype))


def conv2d_backprop_filter(
    dout, x, filter_sizes: tuple, *, out_channel, kernel_size, pad_mode: str = "valid", pad=0, mode=1, stride=1,
    dilation=1, group=1, data_format: str = "NCHW",
):  # fmt: skip
    conv = ops.Conv2D(
        out_channel, kernel_size, mode, pad_mode.lower(), pad, stride, dilation, group, data_format
    )
    return _pull_back(lambda weight: conv(x, weight), dout, ops.zeros(filter_sizes, x.dtype))


def batch_norm_grad(
    dout, x, scale, saved_mean, saved_variance, reserve, *, is_training: bool = False, epsilon=1e-5,
    data_format: str = "NCHW",
):  # fmt: skip
    mean, variance = saved_mean.copy(), saved_variance.copy()
    norm = ops.BatchNorm(is_training, epsilon, 0.0, data_format)
    return _pull_back(
        lambda x, scale, bias: norm(x, scale, bias, mean, variance)[0], dout, x, scale, ops.zeros_like(scale)
    )


def layer_norm_grad(x, dy, variance, mean, gamma, *, begin_norm_axis=1, begin_params_axis=1):
    norm = ops.LayerNorm(begin_norm_axis, begin_params_axis)
    return _pull_back(lambda *given: norm(*given)[0], dy, x, gamma, ops.zeros_like(gamma))


def group_norm_grad(
    dy, x, mean, rstd, gamma, num_groups, dx_is_require=True, dgamma_is_require=True, dbeta_is_require=True
):
    return _pull_back(
        lambda *given: ops.group_norm(given[0], num_groups, *given[1:]), dy, x, gamma, ops.zeros_like(gamma)
    )


def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5):
    groups = x.reshape(x.shape[0], num_groups, -1)
    mean = groups.mean(-1)
    scale = ops.rsqrt(groups.var(-1) + eps)
    return ops.group_norm(x, num_groups, weight, bias, eps), mean, scale


def embedding(x, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False):
    if max_norm is not None or scale_grad_by_freq:
        raise ValueError("Embedding: max_norm and scale_grad_by_freq are not supported")
    return ops.auto_generate.Embedding()(x, weight, padding_idx)


def largest(x):
    return x.max()


def smallest(x):
    return x.min()


def max_pool_with_argmax(
    x, *, kernel_size, strides=None, pads=0, dilation=1, ceil_mode: bool = False, argmax_type=4
):
    kernel_size, strides, pads, dilation = (
        sizes[-2:] if isinstance(sizes, tuple) else sizes for sizes in (kernel_size, strides, pads, dilation)
    )
    return ops.MaxPoolWithArgmaxV2(kernel_size, strides, pads, dilation, ceil_mode)(x)


def sigmoid_grad(y, dy):
    return dy * y * (1 - y)


def tanh_grad(y, dy):
    return dy * (1 - y * y)


def elu_grad(dout, out):
    return ops.where(out > 0, dout, dout * (out + 1))


def log_softmax_grad(logits, grad, *, axis: int = -1):
    return grad - ops.exp(logits) * grad.sum(axis, keepdims=True)


def softmax_backward(dout, out, dim: int = -1):
    return out * (dout - (dout * out).sum(dim, keepdims=True))


def softplus_grad(dout, x):
    return dout * ops.sigmoid(x)


def fast_gelu_grad(dy, x):
    return _pull_back(ops.FastGeLU(), dy, x)


def smooth_l1_loss_grad(prediction, target, dout, *, beta=1.0, reduction: str = "none"):
    return _pull_back(lambda x: ops.SmoothL1Loss(beta, reduction)(x, target), dout, prediction)


def kl_div_loss_grad(grad, x, target, *, reduction: str = "mean"):
    return _pull_back(lambda x: ops.KLDivLoss(reduction)(x, target), grad, x)


def binary_cross_entropy_grad(x, target, grad, weight=None, *, reduction: str = "mean"):
    return _pull_back(lambda x: ops.BinaryCrossEntropy(reduction)(x, target, weight), grad, x)


def bce_with_logits_backward(grad, x, target, weight=None, posWeight=None, reduction: str = "mean"):
    return _pull_back(lambda x: ops.BCEWithLogitsLoss(reduction)(x, target, weight, posWeight), grad, x)


def nll_loss_grad(logits, grad, labels, weight, total_weight, *, reduction: str = "mean", ignore_index=-100):
    return _pull_back(lambda x: ops.NLLLoss(reduction, ignore_index)(x, labels, weight)[0], grad, logits)


def dropout_grad(dy, mask, *, keep_prob=0.5):
    return dy * mask.astype(dy.dtype) / keep_prob


def gather_d_grad(x, dim, index, dout):
    return _pull_back(lambda x: ops.gather_elements(x, dim, index), dout, x)


def strided_slice_grad(
    dy,
    shapex: tuple,
    begin: tuple,
    end: tuple,
    strides: tuple,
    *,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    take = ops.StridedSlice(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return _pull_back(lambda x: take(x, begin, end, strides), dy, ops.zeros(shapex, dy.dtype))


def resize_bilinear_grad(grads, image, *, align_corners=False, half_pixel_centers=False):
    resize = ops.ResizeBilinearV2(align_corners, half_pixel_centers)
    return _pull_back(lambda x: resize(x, tuple(grads.shape[-2:])), grads, image)


def resize_nearest_grad(grads, size, *, align_corners=False, half_pixel_centers=False):
    resize = ops.ResizeNearestNeighborV2(align_corners, half_pixel_centers)
    image = ops.zeros((*grads.shape[:2], *size), grads.dtype)
    return _pull_back(lambda x: resize(x, tuple(grads.shape[-2:])), grads, image)


def _lstm(x, hidden, cell, weights, settings):
    """One layer in one direction; the weights are concatenated in one Tensor."""
    input_size, hidden_size, num_layers, has_bias, bidirectional, _, proj_size = settings
    if num_layers != 1 or bidirectional or proj_size:
        raise ValueError(
            f"LSTM: num_layers={num_layers}, bidirectional={bidirectional}, proj_size={proj_size}; "
            "files have one node for each layer and direction, without projection"
        )
    gates, flat = 4 * hidden_size, weights.reshape(-1)
    of_input, of_hidden = gates * input_size, gates * (input_size + hidden_size)
    weight_ih = flat[:of_input].reshape(gates, input_size)
    weight_hh = flat[of_input:of_hidden].reshape(gates, hidden_size)
    bias = flat[of_hidden : of_hidden + gates] if has_bias else ops.zeros((gates,), x.dtype)
    output, last, last_cell = lstm_layer(
        x, hidden[0], cell[0], weight_ih, weight_hh, bias, ops.zeros_like(bias), None, False
    )
    return output, last.reshape(hidden.shape), last_cell.reshape(cell.shape)


def lstm(x, h, c, w, *, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0):
    settings = input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size
    unused = ops.zeros((1, 1), x.dtype)
    return (*_lstm(x, h, c, w, settings), unused, unused)


def lstm_grad(
    x, h, c, w, y, hy, cy, dy, dhy, dcy, reserve, *, input_size, hidden_size, num_layers, has_bias, bidirectional,
    dropout, proj_size=0,
):  # fmt: skip
    settings = input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size
    _, pull = vjp(lambda x, h, c, w: _lstm(x, h, c, w, settings), x, h, c, w)
    return pull(dy, dhy, dcy)


def im2col(x, *, ksizes, strides=1, dilations=1, pads=0):
    columns = ops.unfold(x, ksizes, dilations, pads, strides)
    width = columns.shape[1] // x.shape[1]
    return columns.reshape(x.shape[0], x.shape[1], width, columns.shape[2])


def div_mod(x, y, rounding_mode: str | None = None):
    return ops.div(x, y, rounding_mode=rounding_mode)


def add_scaled(x, other, alpha=1):
    return x + other if alpha == 1 else x + other * alpha


def sub_scaled(x, other, alpha=1):
    return x - other if alpha == 1 else x - other * alpha


def add_in_place(x, other, alpha=1):
    return x.add_(other if alpha == 1 else other * alpha)


def split_with_size(x, split_size, dim=0):
    return ops.split(x, list(split_size), dim)


def masked_fill_in_place(x, mask, value):
    return x.masked_fill_(mask, value)


def scatter_in_place(x, dim, index, src):
    return x.scatter_(dim, index, src)


OPERATORS = {
    "AdaptiveAvgPool2DGrad": adaptive_avg_pool2d_grad,
    "AddScalar": add_scaled,
    "AvgPoolGrad": avg_pool_grad,
    "BatchNormGrad": batch_norm_grad,
    "BiasAddGrad": bias_add_grad,
    "BinaryCrossEntropyGrad": binary_cross_entropy_grad,
    "BinaryCrossEntropyWithLogitsBackward": bce_with_logits_backward,
    "BitwiseAndScalar": ops.bitwise_and,
    "BitwiseAndTensor": ops.bitwise_and,
    "BitwiseOrScalar": ops.bitwise_or,
    "BitwiseOrTensor": ops.bitwise_or,
    "BitwiseXorScalar": ops.bitwise_xor,
    "BitwiseXorTensor": ops.bitwise_xor,
    "ClampScalar": ops.clamp,
    "ClampTensor": ops.clamp,
    "Conv2DBackpropFilter": conv2d_backprop_filter,
    "DivMod": div_mod,
    "DivMods": div_mod,
    "Divs": ops.div,
    "DropoutGrad": dropout_grad,
    "EluGrad": elu_grad,
    "Embedding": embedding,
    "EqScalar": ops.equal,
    "FastGeLUGrad": fast_gelu_grad,
    "FloorDivScalar": ops.floor_divide,
    "FmodScalar": ops.fmod,
    "FmodTensor": ops.fmod,
    "GatherDGradV2": gather_d_grad,
    "GreaterEqualScalar": ops.greater_equal,
    "GroupNorm": group_norm,
    "GroupNormGrad": group_norm_grad,
    "Im2Col": im2col,
    "InplaceAddExt": add_in_place,
    "InplaceAddsExt": add_in_place,
    "InplaceMaskedFillScalar": masked_fill_in_place,
    "InplaceMaskedFillTensor": masked_fill_in_place,
    "InplaceScatterSrc": scatter_in_place,
    "KLDivLossGrad": kl_div_loss_grad,
    "LSTM": lstm,
    "LSTMGrad": lstm_grad,
    "LayerNormGrad": layer_norm_grad,
    "LerpScalar": ops.lerp,
    "LessScalar": ops.less,
    "LogSoftmaxGrad": log_softmax_grad,
    "MaskedFillScalar": ops.masked_fill,
    "Max": largest,
    "MaxPoolGrad": max_pool_grad,
    "MaxPoolWithArgmaxV2": max_pool_with_argmax,
    "Min": smallest,
    "Muls": ops.mul,
    "NLLLossGrad": nll_loss_grad,
    "PowScalarTensor": ops.pow,
    "PowTensorScalar": ops.pow,
    "RemainderScalarTensor": ops.remainder,
    "RemainderTensorScalar": ops.remainder,
    "RemainderTensorTensor": ops.remainder,
    "ResizeBilinearGrad": resize_bilinear_grad,
    "ResizeNearestNeighborGrad": resize_nearest_grad,
    "ResizeNearestNeighborV2Grad": resize_nearest_grad,
    "SigmoidGrad": sigmoid_grad,
    "SmoothL1LossGrad": smooth_l1_loss_grad,
    "SoftmaxBackward": softmax_backward,
    "SoftplusGrad": softplus_grad,
    "SplitWithSize": split_with_size,
    "StridedSliceGrad": strided_slice_grad,
    "SubScalar": sub_scaled,
    "TanhGrad": tanh_grad,
}
