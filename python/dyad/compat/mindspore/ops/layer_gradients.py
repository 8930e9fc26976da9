"""Gradients of convolutions, pools and normalizations, and gradients of these. Members of `gradient_operators`."""

from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.vector_products import vjp
from dyad._src.base.argument_checks import require_choice
from dyad.compat.mindspore.ops.gradient_rules import Adjoint, Rule, along
from dyad.ops import pooling


def _sizes(shape):
    return tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)


def _convolution(operator, filters, settings):
    """A convolution Primitive from the settings of its gradients; the filters tell their number and size."""
    taken = {name: value for name, value in settings.items() if name != "pad_list"}
    dims = len(taken["data_format"]) - 2
    for name in ("stride", "dilation"):
        sizes = taken[name]
        if isinstance(sizes, (tuple, list)) and len(sizes) == dims + 2:
            taken[name] = tuple(sizes[2:])
    kernel = filters[1:-1] if taken["data_format"] in ("NHWC", "NDHWC") else filters[2:]
    return operator(**{**taken, "out_channel": filters[0], "kernel_size": kernel})


def _filters_of_images(dy, x, w_shape, **settings):
    filters = _sizes(w_shape)
    return along(lambda w: _convolution(ops.Conv2D, filters, settings)(x, w), filters, dy)


def _filters_of_volumes(x, dy, w_shape, **settings):
    filters = _sizes(w_shape)
    return along(lambda w: _convolution(ops.Conv3D, filters, settings)(x, w), filters, dy)


def _volumes(weight, dy, x_shape, **settings):
    convolve = _convolution(ops.Conv3D, weight.shape, settings)
    return along(lambda x: convolve(x, weight), _sizes(x_shape), dy)


def _axes_of_channels(x, data_format):
    """All axes but that of the channels, and the shape in which one number per channel meets `x`."""
    channel = x.ndim - 1 if data_format in ("NHWC", "NDHWC") else 1
    axes = tuple(axis for axis in range(x.ndim) if axis != channel)
    return axes, tuple(x.shape[axis] if axis == channel else 1 for axis in range(x.ndim))


def _normalized(x, scale, bias, mean, variance, is_training, epsilon, data_format):
    axes, shape = _axes_of_channels(x, data_format)
    if is_training:
        mean = ops.mean(x, axes, keep_dims=True)
        variance = ops.mean(ops.square(x - mean), axes, keep_dims=True)
    else:
        mean, variance = mean.reshape(shape), variance.reshape(shape)
    return (x - mean) * ops.rsqrt(variance + epsilon) * scale.reshape(shape) + bias.reshape(shape)


def _batch_norm_gradient(dy, x, scale, mean, variance, reserve=None, *, is_training, epsilon, data_format):
    def forward(x, scale, bias):
        return _normalized(x, scale, bias, mean, variance, is_training, epsilon, data_format)

    return vjp(forward, x, scale, ops.zeros_like(scale))[1](dy)


def _batch_norm_second(x, dy, scale, mean, variance, d_dx, d_dscale, d_dbias, **settings):
    def first(x, dy, scale):
        return _batch_norm_gradient(dy, x, scale, mean, variance, **settings)

    return vjp(first, x, dy, scale)[1]((d_dx, d_dscale, d_dbias))


def _layer_norm_first(x, dy, gamma, begin_norm_axis, begin_params_axis):
    norm = ops.LayerNorm(begin_norm_axis, begin_params_axis)
    return vjp(lambda *args: norm(*args)[0], x, gamma, ops.zeros_like(gamma))[1](dy)


def _layer_norm_second(x, dy, variance, mean, gamma, d_dx, d_dg, d_db, **settings):
    first = vjp(lambda x, dy, gamma: _layer_norm_first(x, dy, gamma, **settings), x, dy, gamma)[1]
    return first((d_dx, d_dg, d_db))


def _instance_norm_gradient(dy, x, gamma, mean, variance, save_mean, save_variance, *, is_training, epsilon):
    """Normalizes each plane (third and fourth dimension) separately."""

    def forward(x, gamma, beta):
        return ops.InstanceNormV2(is_training, 0.1, epsilon)(x, gamma, beta, mean, variance)[0]

    return vjp(forward, x, gamma, ops.zeros_like(gamma))[1](dy)


def _tangent_of(primitive):
    """Second gradient of a pool: the pool applied to a tangent of its input."""

    def second(x, y, tangent, **settings):
        pool = primitive(**settings)
        return jvp(lambda value: pool(value), x, tangent)[1]

    return second


def _tangents_at(x, tangent, argmax, **settings):
    """The elements at places that are counted over channels, rows and columns of an image."""
    flat = tangent.reshape(tangent.shape[0], -1)
    places = argmax.reshape(argmax.shape[0], -1)
    return ops.gather_elements(flat, 1, places).reshape(argmax.shape)


def mean_windows(shape, dy, **settings):
    return along(lambda x: ops.AvgPool(**settings)(x), _sizes(shape), dy)


def _largest_windows(x, **settings):
    return ops.MaxPool(**settings)(x)


def _with_fractions(value):
    """Integers, of which these pools are asked for gradients too, as float64."""
    return value if value.dtype.is_floating_point else value.astype(_core.float64)


def _fractions_of_mean(shape, dy, rows, columns, overlapping):
    bounds = rows.tolist(), columns.tolist()
    back = along(lambda x: pooling.mean(x, *bounds, overlapping), _sizes(shape), _with_fractions(dy))
    return back.astype(dy.dtype)


def _fractions_of_largest(x, y, dy, rows, columns, overlapping):
    bounds = rows.tolist(), columns.tolist()
    _, product = vjp(lambda value: pooling.largest(value, *bounds, overlapping), _with_fractions(x))
    return product(_with_fractions(dy))[0].astype(dy.dtype)


def _crops_of_image(dy, boxes, box_index, image_size, T, method):
    size = dy.shape[1:3]
    image = ops.zeros(_sizes(image_size), dy.dtype)
    crop = lambda x: ops.crop_and_resize(x, boxes, box_index, size, method)  # noqa: E731
    return vjp(crop, image)[1](dy)[0].astype(T)


def _crops_of_boxes(dy, images, boxes, box_index, method):
    crop = lambda x: ops.crop_and_resize(images, x, box_index, dy.shape[1:3], method)  # noqa: E731
    return vjp(crop, boxes)[1](dy)[0]


def _middle(dy, x, y, indices, **settings):
    """Gradient of medians: each to its element, or to several equal ones by the operator's rule."""
    return vjp(lambda value: ops.Median(**settings)(value)[0], x)[1](dy.reshape(y.shape))[0]


def _divergence(dy, x, target, reduction):
    counts = {"mean": x.size, "batchmean": x.shape[0] if x.ndim else 1}
    return -(dy * target) / counts.get(reduction, 1)


def _check_reduction(name, settings):
    require_choice(name, "reduction", settings["reduction"], ("none", "mean", "batchmean", "sum"))


def slope_by_order(a, x):
    """The derivative of the lower incomplete gamma function by its first argument."""
    output, product = vjp(lambda order: ops.igamma(order, x), ops.broadcast_to(a, ops.igamma(a, x).shape))
    return product(ops.ones_like(output))[0]


def _segments(primitive):
    """The gradient of joining rows that indices choose."""

    def gradient(dy, indices, segment_ids, output_dim0):
        shape = (int(output_dim0), *dy.shape[1:])
        return along(lambda x: primitive()(x, indices, segment_ids, dy.shape[0]), shape, dy)

    return gradient


def _triangles(L_grad, U_grad, LU_data, L_grad_flag, U_grad_flag):
    """Gradient of the factors of a packed decomposition, each for its triangle."""

    def placed(gradient, keep):
        missing = [full - size for full, size in zip(LU_data.shape[-2:], gradient.shape[-2:], strict=True)]
        return keep(ops.pad(gradient, (0, missing[1], 0, missing[0])) if any(missing) else gradient)

    return placed(L_grad, lambda x: ops.tril(x, -1)), placed(U_grad, ops.triu)


def _mean_windows_of_volumes(shape, dy, **settings):
    pool = ops.AvgPool3D(
        settings["kernel_size"],
        settings["strides"],
        settings["pad_mode"],
        settings["pads"],
        settings["ceil_mode"],
        settings["count_include_pad"],
        settings["divisor_override"],
        settings["data_format"],
    )
    return along(pool, [int(size) for size in shape], dy)


def _filled_rows(reverse_index_map, grad_values):
    """Gradient of filling empty rows: for the values theirs, for the default the sum of the rest."""
    values = grad_values[reverse_index_map]
    return values, grad_values.sum() - values.sum()


def _cut_values(dy, indices, start, new_indices):
    """Values that lay in the cut take the gradients that stand at their moved places, others none."""
    moved = indices - start
    same = ops.equal(moved.expand_dims(1), new_indices.expand_dims(0)).all(-1)
    return ops.where(same, dy, ops.zeros_like(dy)).sum(1)


def _softmax_back(dy, y, dim=-1):
    return y * (dy - (y * dy).sum(dim, keepdims=True))


_IMAGES: dict = {"pad_mode": "valid", "pad": 0, "pad_list": None, "mode": 1, "stride": 1}
_IMAGES |= {"dilation": (1, 1, 1, 1), "group": 1, "data_format": "NCHW"}
_VOLUMES: dict = {"mode": 1, "pad_mode": "valid", "pad": 0, "stride": (1, 1, 1, 1, 1)}
_VOLUMES |= {"dilation": (1, 1, 1, 1, 1), "group": 1, "data_format": "NCDHW"}
_BATCH = {"is_training": False, "epsilon": 1e-5, "data_format": "NCHW"}
_WINDOWS = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "data_format": "NCHW"}
_WINDOWS_3D = {"kernel_size": (1, 1, 1), "strides": (1, 1, 1), "pad_mode": "VALID", "pad_list": 0}
_WINDOWS_3D |= {"ceil_mode": None, "data_format": "NCDHW"}


def _packed_gru(input, hx, w, seq_lengths, y, hy, dy, dhy, reserve, **settings):
    """The gradients of `GRUV2` for its input, its state and its weight."""
    layers: Any = ops.GRUV2(**settings)
    _, product = vjp(lambda x, h, weights: layers(x, h, weights, seq_lengths)[:2], input, hx, w)
    return product((dy, dhy))


_MEANS_3D: dict = {"kernel_size": 1, "strides": 1, "pads": 0, "ceil_mode": False, "count_include_pad": True}
_MEANS_3D |= {"divisor_override": 0, "data_format": "NCDHW", "pad_mode": "pad"}
_RECURRENT: dict[str, object] = {"input_size": 1, "hidden_size": 1, "num_layers": 1, "has_bias": True}
_RECURRENT |= {"bidirectional": False, "dropout": 0.0}

RULES = {
    "AvgPool3DGrad": Adjoint(_mean_windows_of_volumes, **_MEANS_3D),
    "AvgPoolGradV1": Adjoint(mean_windows, **_WINDOWS),
    "BatchNormGrad": Adjoint(_batch_norm_gradient, **_BATCH),
    "BatchNormGradGrad": Adjoint(_batch_norm_second, **_BATCH),
    "Conv2DBackpropFilter": Adjoint(_filters_of_images, out_channel=1, kernel_size=1, **_IMAGES),
    "Conv3DBackpropFilter": Adjoint(_filters_of_volumes, out_channel=1, kernel_size=1, **_VOLUMES),
    "Conv3DBackpropInput": Adjoint(_volumes, out_channel=1, kernel_size=1, **_VOLUMES),
    "CropAndResizeGradBoxes": Adjoint(_crops_of_boxes, method="bilinear"),
    "CropAndResizeGradImage": Adjoint(_crops_of_image, T=_core.float32, method="bilinear"),
    "FractionalAvgPoolGrad": Adjoint(_fractions_of_mean, overlapping=False),
    "FractionalMaxPoolGrad": Adjoint(_fractions_of_largest, overlapping=False),
    "GRUV2Grad": Adjoint(_packed_gru, **_RECURRENT),
    "GatherDGradV2": Adjoint(lambda x, dim, index, dy: ops.zeros_like(x).scatter_add(dim, index, dy)),
    "IgammaGradA": Adjoint(slope_by_order),
    "InstanceNormV2Grad": Adjoint(_instance_norm_gradient, is_training=True, epsilon=1e-5),
    "KLDivLossGrad": Adjoint(_divergence, check=_check_reduction, reduction="mean"),
    "LayerNormGradGrad": Adjoint(_layer_norm_second, begin_norm_axis=1, begin_params_axis=1),
    "LuUnpackGrad": Adjoint(_triangles, L_grad_flag=True, U_grad_flag=True),
    "MaxPool3DGradGrad": Adjoint(_tangent_of(ops.MaxPool3D), **_WINDOWS_3D),
    "MaxPoolGradGrad": Adjoint(_tangent_of(ops.MaxPool), **_WINDOWS),
    "MaxPoolGradGradWithArgmax": Adjoint(_tangents_at, **_WINDOWS),
    "MaxPoolGradV1": Rule(_largest_windows, "x y dy", **_WINDOWS),
    "MedianGrad": Adjoint(_middle, global_median=False, axis=0, keep_dims=False),
    "SoftmaxBackward": Adjoint(_softmax_back),
    "SparseFillEmptyRowsGrad": Adjoint(_filled_rows),
    "SparseSegmentMeanGrad": Adjoint(_segments(ops.SparseSegmentMeanWithNumSegments)),
    "SparseSegmentSqrtNGrad": Adjoint(_segments(ops.SparseSegmentSqrtNWithNumSegments)),
    "SparseSegmentSumGrad": Adjoint(_segments(ops.SparseSegmentSumWithNumSegments)),
    "SparseSliceGrad": Adjoint(_cut_values),
}
