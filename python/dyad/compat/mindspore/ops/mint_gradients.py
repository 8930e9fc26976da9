"""Gradients of the functions of `dyad.mint` as operators. Members of `gradient_operators`.

Such an operator takes everything in its call. A gradient that is not asked for is None.
"""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.vector_products import vjp
from dyad.compat.mindspore.ops.gradient_rules import Adjoint, along, shaped_as
from dyad.compat.mindspore.ops.image_gradients import largest_of_windows
from dyad.mint.nn import functional


def _back(function, value, dy):
    """Gradient of a function for a Tensor."""
    output, product = vjp(function, value)
    return product(shaped_as(dy, output))[0]


def _chosen(gradients, mask):
    """The gradients that a mask asks for; an empty one asks for all."""
    wanted = tuple(mask) or (True,) * len(gradients)
    if len(wanted) != len(gradients):
        raise ValueError(f"output_mask is {mask}; need {len(gradients)} flags, one for each gradient")
    return tuple([gradient if asked else None for gradient, asked in zip(gradients, wanted, strict=True)])


# Functions of elements.


def _elu(dout, x_or_out, alpha=1.0, is_result=False):
    if not is_result:
        return _back(lambda x: functional.elu(x, alpha), x_or_out, dout)
    return ops.where(x_or_out > 0, dout, dout * (x_or_out + alpha)).astype(dout.dtype)


def _gelu(grad, input, approximate="none"):
    return _back(lambda x: functional.gelu(x, approximate), input, grad)


def _hardtanh(dout, input, min_val=-1, max_val=1):
    return _back(lambda x: functional.hardtanh(x, min_val, max_val), input, dout)


def _leaky_relu(dy, input, negative_slope=0.01, is_result=False):
    if is_result and negative_slope < 0:
        raise ValueError(
            f"LeakyReLUGradExt: is_result is True and negative_slope {negative_slope}; "
            "need one of at least 0, for others a result does not tell its input"
        )
    return _back(lambda x: functional.leaky_relu(x, negative_slope), input, dy)


def _log_sigmoid(dy, input, buffer):
    return _back(functional.logsigmoid, input, dy)


def _mish(dout, x):
    return _back(functional.mish, x, dout)


def _softplus(dout, x, beta=1, threshold=20):
    return _back(lambda value: functional.softplus(value, beta, threshold), x, dout)


def _threshold(grad_output, input, threshold):
    return _back(lambda x: functional.threshold(x, threshold, 0), input, grad_output)


def _dropout(input, mask, p):
    """`mask` has an element for each of the input's, or a bit in numbers of 8 as `DropoutGenMask` makes them."""
    if mask.shape == input.shape:
        return (input * mask.astype(input.dtype) / (1 - p)).astype(input.dtype)
    return ops.DropoutDoMask()(input, mask, Tensor(1 - p, input.dtype))


# Losses.


def _kl_div(grad_output, input, target, reduction="mean", log_target=False):
    return _back(lambda x: functional.kl_div(x, target, reduction, log_target), input, grad_output)


def _l1_loss(grad_output, input, target, reduction="mean"):
    return _back(lambda x: functional.l1_loss(x, target, reduction), input, grad_output)


def _mse_loss(dout, x, target, reduction="mean"):
    return _back(lambda value: functional.mse_loss(value, target, reduction), x, dout)


def _binary_cross_entropy(grad_output, input, target, weight=None, posWeight=None, reduction="mean"):
    def loss(x):
        return functional.binary_cross_entropy_with_logits(x, target, weight, reduction, posWeight)

    return _back(loss, input, grad_output)


def _nll_loss_2d(loss_grad, input, target, weight, reduction, ignore_index, total_weight):
    return _back(lambda x: functional.nll_loss(x, target, weight, ignore_index, reduction), input, loss_grad)


def _cross_entropy(
    grad_loss,
    log_prob,
    target,
    weight=None,
    grad_zloss=None,
    lse_for_zloss=None,
    reduction="mean",
    ignore_index=-100,
    label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0,
):
    """A softmax of logarithms of probabilities gives the probabilities: they stand for the input."""
    if grad_zloss is not None or lse_for_zloss is not None or lse_square_scale_for_zloss:
        raise ValueError(
            f"CrossEntropyLossGrad: lse_square_scale_for_zloss is {lse_square_scale_for_zloss}; need 0, and None for "
            "grad_zloss and lse_for_zloss"
        )

    def loss(x):
        return functional.cross_entropy(x, target, weight, ignore_index, reduction, label_smoothing)

    return _back(loss, log_prob, grad_loss)


# Windows and borders.


def _padded(mode, dims):
    """The gradient of borders around the last `dims` dimensions."""

    def gradient(grad_output, input, padding):
        sides = padding.tolist() if isinstance(padding, Tensor) else tuple(padding)
        if len(sides) != 2 * dims:
            raise ValueError(
                f"padding is {sides}; need {2 * dims} numbers, two for each of {dims} dimensions"
            )
        return along(lambda x: functional.pad(x, sides, mode), input.shape, grad_output)

    return gradient


def _mean_by_parts(pool, dims):
    def gradient(grad_output, x):
        return along(lambda value: pool(value, grad_output.shape[-dims:]), x.shape, grad_output)

    return gradient


def _mean_windows_2d(
    grad,
    image,
    kernel_size,
    stride,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    settings = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return along(lambda x: functional.avg_pool2d(x, *settings), image.shape, grad)


def _mean_windows_3d(
    grad,
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    settings = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return along(lambda x: functional.avg_pool3d(x, *settings), input.shape, grad)


def _largest_at(x, grad, argmax, **settings):
    return largest_of_windows(x, grad, argmax, "NCHW")


def _largest(x, grad, mask, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    """The largest elements are found again: where the mask of another device has them, only that device knows."""
    return _back(
        lambda value: functional.max_pool2d(value, kernel_size, strides, pads, dilation, ceil_mode), x, grad
    )


def _cut_blocks(input, kernel_size, dilation=1, padding=0, stride=1):
    return functional.unfold(input, kernel_size, dilation, padding, stride)


_CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}


def _convolution(
    dout,
    input,
    weight,
    bias=None,
    stride=1,
    padding=0,
    dilation=(1, 1),
    transposed=False,
    output_padding=0,
    groups=1,
    output_mask=(),
):
    """The gradients for input, weight and bias. What a transposed convolution gives is what one passes back."""
    dims = weight.ndim - 2
    spread = [
        value[0]
        if isinstance(value, (tuple, list)) and len(value) != dims and len(set(value)) == 1
        else value
        for value in (stride, padding, dilation)
    ]
    convolve = _CONVOLUTIONS[dims]

    def forward(x, w):
        if transposed:
            return along(lambda z: convolve(z, w, None, *spread, groups), dout.shape, x)
        return convolve(x, w, None, *spread, groups)

    channel = dout.ndim - dims - 1
    others = tuple([axis for axis in range(dout.ndim) if axis != channel])
    return _chosen((*vjp(forward, input, weight)[1](dout), dout.sum(others)), output_mask)


# Normalizations. They are given the mean and the inverse deviation that were taken, and so no epsilon.


def _wide(*values):
    """Halves as float32, in which sums over many elements are taken."""
    return [value.astype(_core.float32) if value.dtype.itemsize == 2 else value for value in values]


def _through_statistics(gradient, normed, deviation, axes):
    """Gradient of normalization over these axes, through the mean and the deviation too."""
    mean = gradient.mean(axes, keep_dims=True)
    along_normed = (gradient * normed).mean(axes, keep_dims=True)
    return (gradient - mean - normed * along_normed) * deviation


def _layer_norm_back(dy, x, mean, deviation, gamma, begin_norm_axis, begin_params_axis):
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    leading = tuple(range(begin_params_axis % x.ndim))
    dtypes = x.dtype, gamma.dtype
    dy, x, mean, deviation, gamma = _wide(dy, x, mean, deviation, gamma)
    shape = (*x.shape[: axes[0]], *(1,) * len(axes))
    deviation = deviation.reshape(shape)
    normed = (x - mean.reshape(shape)) * deviation
    dx = _through_statistics(dy * gamma, normed, deviation, axes)
    scaled, shifted = (part.sum(leading) if leading else part for part in (dy * normed, dy))
    return dx.astype(dtypes[0]), scaled.astype(dtypes[1]), shifted.astype(dtypes[1])


def _layer_norm(dy, x, normalized_shape, mean, variance, gamma, beta, output_mask=(1, 1, 1)):
    """`variance` is 1 over the deviation, as the operator gives it."""
    first = x.ndim - len(normalized_shape)
    return _chosen(_layer_norm_back(dy, x, mean, variance, gamma, first, first), output_mask)


def _layer_norm_v3(x, dy, variance, mean, gamma, begin_norm_axis, begin_params_axis):
    """`variance` is 1 over the deviation, as the operator gives it."""
    return _layer_norm_back(dy, x, mean, variance, gamma, begin_norm_axis, begin_params_axis)


def _sum_layer_norm(dy, x1, x2, rstd, mean, gamma, dsumOptional):
    """Of the norm of a sum, which is passed on as well: `dsumOptional` is the gradient of the sum, or None."""
    x = x1 + x2
    first = x.ndim - gamma.ndim
    dx, dgamma, dbeta = _layer_norm_back(dy, x, mean, rstd, gamma, first, first)
    return (dx if dsumOptional is None else dx + dsumOptional), dgamma, dbeta


def _group_norm(
    dy,
    x,
    mean,
    rstd,
    gamma_opt,
    num_groups,
    dx_is_require=True,
    dgamma_is_require=True,
    dbeta_is_require=True,
):
    batch, channels = x.shape[:2]
    dtype, grouped = x.dtype, (batch, num_groups, -1)
    dy, x, mean, rstd = _wide(dy, x, mean, rstd)
    rstd = rstd.reshape(batch, num_groups, 1)
    normed = (x.reshape(grouped) - mean.reshape(batch, num_groups, 1)) * rstd
    per_channel = (1, channels, *(1,) * (x.ndim - 2))
    scaled = dy if gamma_opt is None else dy * _wide(gamma_opt)[0].reshape(per_channel)
    dx = _through_statistics(scaled.reshape(grouped), normed, rstd, (2,)).reshape(x.shape)
    others = (0, *range(2, x.ndim))
    dgamma, dbeta = ((dy * normed.reshape(x.shape)).sum(others), dy.sum(others))
    kept = dtype if gamma_opt is None else gamma_opt.dtype
    asked = (dx_is_require, dgamma_is_require, dbeta_is_require)
    return _chosen((dx.astype(dtype), dgamma.astype(kept), dbeta.astype(kept)), asked)


def _rms_norm(dy, x, rstd, gamma):
    dtypes = x.dtype, gamma.dtype
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    dy, x, rstd, gamma = _wide(dy, x, rstd, gamma)
    rstd = rstd.reshape(*x.shape[: axes[0]], *(1,) * len(axes))
    normed, scaled = x * rstd, dy * gamma
    dx = (scaled - normed * (scaled * normed).mean(axes, keep_dims=True)) * rstd
    leading = tuple(range(axes[0]))
    dgamma = (dy * normed).sum(leading) if leading else dy * normed
    return dx.astype(dtypes[0]), dgamma.astype(dtypes[1])


def _per_channel(x):
    """The axes of `x` but that of the channels, and the shape in which one number per channel meets it."""
    return (0, *range(2, x.ndim)), (1, x.shape[1], *(1,) * (x.ndim - 2))


def _batch_norm(
    dout,
    input,
    weight=None,
    running_mean=None,
    running_var=None,
    saved_mean=None,
    saved_rstd=None,
    output_mask=(1, 1, 1),
    *,
    training,
    eps,
):
    axes, shape = _per_channel(input)
    dtype = input.dtype
    dy, x = _wide(dout, input)
    mean = saved_mean if training else running_mean
    deviation = saved_rstd if training else ops.rsqrt(_wide(running_var)[0] + eps)
    deviation = _wide(deviation)[0].reshape(shape)
    normed = (x - _wide(mean)[0].reshape(shape)) * deviation
    scaled = dy if weight is None else dy * _wide(weight)[0].reshape(shape)
    dx = _through_statistics(scaled, normed, deviation, axes) if training else scaled * deviation
    kept = dtype if weight is None else weight.dtype
    gradients = dx.astype(dtype), (dy * normed).sum(axes).astype(kept), dy.sum(axes).astype(kept)
    return _chosen(gradients, output_mask)


def _batch_norm_sums(dout, input, mean, invstd, weight, input_g, weight_g, bias_g):
    """Of the elements of one process: sums of gradients and of their products with elements less the mean; and the
    gradients for weight and bias."""
    axes, shape = _per_channel(input)
    dy, x, mean, invstd = _wide(dout, input, mean, invstd)
    total = dy.sum(axes)
    products = (dy * (x - mean.reshape(shape))).sum(axes)
    kept = invstd.dtype if weight is None else weight.dtype
    sums = (total, products) if input_g else (None, None)
    return *sums, *_chosen(((products * invstd).astype(kept), total.astype(kept)), (weight_g, bias_g))


def _batch_norm_elements(dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count):
    """From the sums over all processes, and how many elements each of them has: the gradient for the input."""
    _, shape = _per_channel(input)
    dy, x, mean, invstd, total, products = _wide(dout, input, mean, invstd, sumd_dy, sum_dy_xmu)
    number = count.sum().astype(dy.dtype)
    slope = (products * invstd * invstd / number).reshape(shape)
    dx = dy - (total / number).reshape(shape) - (x - mean.reshape(shape)) * slope
    scale = invstd if weight is None else invstd * _wide(weight)[0]
    return (dx * scale.reshape(shape)).astype(input.dtype)


# Elements moved.


def _embedding(grad, indices, num_weights, padding_idx=None, scale_grad_by_freq=False):
    def chosen(weight):
        return functional.embedding(indices, weight, padding_idx, scale_grad_by_freq=scale_grad_by_freq)

    return along(chosen, (num_weights, grad.shape[-1]), grad)


def _repeated(input, repeats, dim):
    """`input` is the gradient of the elements repeated along a dimension, or of all in one row if there is none."""
    axis = 0 if dim is None else dim
    one = isinstance(repeats, int) or repeats.size == 1
    times = int(repeats if isinstance(repeats, int) else repeats.reshape(-1)[0].item()) if one else 0
    size = input.shape[axis] // times if times else 0 if one else repeats.size
    shape = [size if place == axis % input.ndim else length for place, length in enumerate(input.shape)]
    return along(lambda x: ops.repeat_interleave(x, times if one else repeats, axis), shape, input)


def _on_diagonal(dout, shape, offset=0, axis1=1, axis2=0):
    sizes = shape.tolist() if isinstance(shape, Tensor) else shape
    return along(lambda x: ops.diagonal(x, offset, axis1, axis2).sum(-1), tuple(sizes), dout)


def _turned(dy, cos, sin, dx=None, mode=0):
    """`dx` is what was turned; without it there are no gradients for cos and sin."""

    def turn(x, cos, sin):
        return ops.rotary_position_embedding(x, cos, sin, mode)

    if dx is None:
        return along(lambda x: turn(x, cos, sin), dy.shape, dy), None, None
    return vjp(turn, dx, cos, sin)[1](dy)


def _sent_to_experts(permuted_tokens_grad, sorted_indices, num_topk=1, padded_mode=False):
    """A token takes the gradients of the places that it was sent to; one that was dropped has none."""
    if padded_mode:
        raise ValueError("MoeTokenPermuteGrad: padded_mode is True; need False")
    rows, width = permuted_tokens_grad.shape
    places = sorted_indices.reshape(-1)
    found = permuted_tokens_grad[ops.minimum(places, rows - 1)]
    kept = ops.where((places < rows).expand_dims(1), found, ops.zeros_like(found))
    return kept.reshape(-1, num_topk, width).sum(1).astype(permuted_tokens_grad.dtype)


def _back_from_experts(
    permuted_tokens,
    unpermuted_tokens_grad,
    sorted_indices,
    probs=None,
    padded_mode=False,
    restore_shape=None,
):
    def gather(tokens, probs=None):
        return ops.moe_token_unpermute(tokens, sorted_indices, probs, padded_mode, restore_shape)

    if probs is None:
        return _back(gather, permuted_tokens, unpermuted_tokens_grad), None
    return vjp(gather, permuted_tokens, probs)[1](unpermuted_tokens_grad)


def _least_squares(gX, A, B):
    """The solution is the pseudo-inverse of A times B, for one column as for several."""

    def solve(a, b):
        inverse = ops.pinv(a)
        return (
            ops.matmul(inverse, b.expand_dims(-1)).squeeze(-1) if b.ndim < a.ndim else ops.matmul(inverse, b)
        )

    return vjp(solve, A, B)[1](gX)


_LARGEST: dict = {"kernel_size": 1, "strides": None, "pads": 0, "dilation": (1, 1), "ceil_mode": False}
_LARGEST |= {"argmax_type": _core.int64}

RULES = {
    "AdaptiveAvgPool2DGradExt": Adjoint(_mean_by_parts(functional.adaptive_avg_pool2d, 2)),
    "AdaptiveAvgPool3DGradExt": Adjoint(_mean_by_parts(functional.adaptive_avg_pool3d, 3)),
    "AddLayerNormGrad": Adjoint(_sum_layer_norm),
    "AvgPool2DGrad": Adjoint(_mean_windows_2d),
    "AvgPool3DGradExt": Adjoint(_mean_windows_3d),
    "BatchNormElemtGrad": Adjoint(_batch_norm_elements),
    "BatchNormGradExt": Adjoint(_batch_norm, training=False, eps=1e-5),
    "BatchNormReduceGrad": Adjoint(_batch_norm_sums),
    "BinaryCrossEntropyWithLogitsBackward": Adjoint(_binary_cross_entropy),
    "Col2ImGrad": Adjoint(_cut_blocks),
    "ConvolutionGrad": Adjoint(_convolution),
    "ConvolutionStrGrad": Adjoint(_convolution),
    "CrossEntropyLossGrad": Adjoint(_cross_entropy),
    "DropoutGradExt": Adjoint(_dropout),
    "EluGradExt": Adjoint(_elu),
    "EmbeddingDenseBackward": Adjoint(_embedding),
    "GeluGradExt": Adjoint(_gelu),
    "GroupNormGrad": Adjoint(_group_norm),
    "HardtanhGrad": Adjoint(_hardtanh),
    "KLDivGrad": Adjoint(_kl_div),
    "L1LossBackwardExt": Adjoint(_l1_loss),
    "LayerNormGradExt": Adjoint(_layer_norm),
    "LayerNormGradV3": Adjoint(_layer_norm_v3, begin_norm_axis=1, begin_params_axis=1),
    "LeakyReLUGradExt": Adjoint(_leaky_relu),
    "LogSigmoidGrad": Adjoint(_log_sigmoid),
    "LstsqV2Grad": Adjoint(_least_squares),
    "MaxPoolGradWithIndices": Adjoint(_largest_at, **_LARGEST),
    "MaxPoolGradWithMask": Adjoint(_largest, **_LARGEST),
    "MishGradExt": Adjoint(_mish),
    "MoeTokenPermuteGrad": Adjoint(_sent_to_experts),
    "MoeTokenUnpermuteGrad": Adjoint(_back_from_experts),
    "MSELossGradExt": Adjoint(_mse_loss),
    "NLLLoss2dGrad": Adjoint(_nll_loss_2d),
    "RepeatInterleaveGrad": Adjoint(_repeated),
    "RmsNormGrad": Adjoint(_rms_norm),
    "RotaryPositionEmbeddingGrad": Adjoint(_turned),
    "SoftplusGradExt": Adjoint(_softplus),
    "ThresholdGrad": Adjoint(_threshold),
    "TraceV2Grad": Adjoint(_on_diagonal),
}
RULES |= {
    f"{kind}Pad{dims}DGrad": Adjoint(_padded(mode, dims))
    for kind, mode in (("Reflection", "reflect"), ("Replication", "replicate"))
    for dims in (1, 2, 3)
}
