"""Gradients of recurrent layers, of parts of a batch norm and of rarer operators. Members of `gradient_operators`."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.autodiff.vector_products import vjp
from dyad._src.operators import resize_back
from dyad.compat.mindspore.ops.gradient_rules import Adjoint, along, shaped_as
from dyad.compat.mindspore.ops.layer_gradients import mean_windows, slope_by_order


def _sizes(shape):
    return tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape)


# Recurrent layers.


def _packed_lstm(input, hx, cx, w, y, hy, cy, dy, dhy, dcy, reserve, **settings):
    """The gradients of `LSTM` for its input, its states and its weight, which is a column of numbers then."""
    layers = ops.LSTM(**settings)
    *given, weight = vjp(lambda *given: layers(*given)[:3], input, hx, cx, w)[1]((dy, dhy, dcy))
    return *given, weight.reshape(-1, 1, 1)


def _lstm_of_steps(x, w, b, y, init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanhct, **settings):
    """The gradients of `DynamicRNN` for weight, bias, input and both states; `dh` and `dc` are of the last step."""
    layer = ops.DynamicRNN(**settings)

    def run(w, b, x, h, c):
        outputs, states, cells, *_ = layer(x, w, b, None, h.expand_dims(0), c.expand_dims(0))
        return outputs, states[-1], cells[-1]

    return vjp(run, w, b, x, init_h, init_c)[1]((dy, dh, dc))


def _gru_of_steps(
    x,
    weight_input,
    weight_hidden,
    y,
    init_h,
    h,
    dy,
    dh,
    update,
    reset,
    new,
    hidden_new,
    seq_length=None,
    mask=None,
    *,
    direction,
    cell_depth,
    keep_prob,
    cell_clip,
    num_proj,
    time_major,
    gate_order,
    reset_after,
):
    """The gradients of `DynamicGRUV2` for its weights, its biases, its input and its state, from the gates it gave.

    Its biases are not among the arguments, so the steps are gone back one by one.
    """
    if seq_length is not None or mask is not None:
        raise ValueError(
            "DynamicGRUV2Grad: seq_length or mask is given; need None, all sequences have one length"
        )
    size = weight_hidden.shape[0]
    for_new = weight_hidden[:, 2 * size :]
    passed = dh
    of_input, of_state, kept_states = [], [], []
    for t in range(x.shape[0] - 1, -1, -1):
        before = h[t - 1] if t else init_h
        z, r, n = update[t], reset[t], new[t]
        arrived = passed + dy[t]
        if cell_clip > 0:
            arrived = ops.where(ops.abs(h[t]) < cell_clip, arrived, ops.zeros_like(arrived))
        to_z = arrived * (before - n) * z * (1 - z)
        to_n = arrived * (1 - z) * (1 - n * n)
        passed = arrived * z
        if reset_after:
            to_r, added = to_n * hidden_new[t] * r * (1 - r), to_n * r
            passed = passed + ops.matmul(added, for_new.T)
        else:
            to_kept = ops.matmul(to_n, for_new.T)
            to_r, added = to_kept * before * r * (1 - r), to_n
            passed = passed + to_kept * r
        gates = (to_r, to_z) if gate_order == "rzh" else (to_z, to_r)
        both = ops.cat(gates, 1)
        passed = passed + ops.matmul(both, weight_hidden[:, : 2 * size].T)
        of_input.append(ops.cat((both, to_n), 1))
        of_state.append((both, added))
        kept_states.append((before, before if reset_after else r * before))
    of_input = of_input[::-1]
    dx = ops.stack([ops.matmul(part, weight_input.T) for part in of_input], 0)
    dw_input = sum([ops.matmul(x[t].T, part) for t, part in enumerate(of_input)])
    dw_hidden = sum(
        [
            ops.cat((ops.matmul(before.T, both), ops.matmul(kept.T, added)), 1)
            for (both, added), (before, kept) in zip(of_state, kept_states, strict=True)
        ]
    )
    db_input = sum([part.sum(0) for part in of_input])
    db_hidden = sum([ops.cat((both, added), 1).sum(0) for both, added in of_state])
    return dw_input, dw_hidden, db_input, db_hidden, dx, passed


def _cell_state(c, dht, dct, it, jt, ft, ot, tanhct, forget_bias, activation):
    """Gradient of an LSTM step for its gates (input, candidate, forget, output) and the cell state."""
    arrived = dct + dht * ot * (1 - tanhct * tanhct)
    gates = (
        arrived * jt * it * (1 - it),
        arrived * it * (1 - jt * jt),
        arrived * c * ft * (1 - ft),
        dht * tanhct * ot * (1 - ot),
    )
    return ops.cat(gates, 1), arrived * ft


def _cell_input(dgate, w, keep_prob):
    """To the input and the hidden state, which stand one after another in the rows of the weight."""
    hidden = dgate.shape[1] // 4
    passed = ops.matmul(dgate, w.T)
    inputs = w.shape[0] - hidden
    return passed[:, :inputs], passed[:, inputs:]


def _cell_weight(x, h, dgate):
    return ops.matmul(ops.cat((x, h), 1).T, dgate), dgate.sum(0)


# Normalizations.


def _instance_norm(dy, x, gamma, save_mean, save_variance, epsilon, momentum):
    """Each plane is normalized by itself; its mean and variance are taken again."""

    def norm(x, gamma, beta):
        axes = tuple(range(2, x.ndim))
        shape = (1, -1, *(1,) * len(axes))
        apart = x - x.mean(axes, keep_dims=True)
        scaled = apart * ops.rsqrt(ops.square(apart).mean(axes, keep_dims=True) + epsilon)
        return scaled * gamma.reshape(shape) + beta.reshape(shape)

    return vjp(norm, x, gamma, ops.zeros_like(gamma))[1](dy)


def _channels(x, data_format):
    channel = x.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple([axis for axis in range(x.ndim) if axis != channel])
    return axes, tuple([x.shape[channel] if axis == channel else 1 for axis in range(x.ndim)])


def _batch_sums(grads, x, batch_mean, batch_variance, epsilon, data_format):
    axes, shape = _channels(x, data_format)
    normed = (x - batch_mean.reshape(shape)) * ops.rsqrt(batch_variance + epsilon).reshape(shape)
    return (grads * normed).sum(axes), grads.sum(axes)


def _batch_elements(
    grads, x, diff_scale, diff_offset, scale, batch_mean, batch_variance, epsilon, data_format
):
    axes, shape = _channels(x, data_format)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    deviation = ops.rsqrt(batch_variance + epsilon).reshape(shape)
    normed = (x - batch_mean.reshape(shape)) * deviation
    inner = grads - (diff_offset.reshape(shape) + normed * diff_scale.reshape(shape)) / count
    return inner * deviation * scale.reshape(shape)


# Windows and images.


def _mean_windows(origin_input, dout, **settings):
    return mean_windows(origin_input, dout, **settings)


def _mean_windows_by_matrices(x_origin, grad, mean_matrix, kernel_matrix, **settings):
    """The matrices are how one device computes it, and not needed."""
    return mean_windows(x_origin, grad, **settings, data_format="NCHW")


def _by_channel(settings):
    kept = {key: value for key, value in settings.items() if key != "pad_list"}
    return ops.DepthwiseConv2dNative(**kept)


def _filters_by_channel(input, filter_size, dout, **settings):
    convolve = _by_channel(settings)
    return along(lambda w: convolve(input, w), _sizes(filter_size), dout)


def _images_by_channel(input_size, filter, dout, **settings):
    convolve = _by_channel(settings)
    return along(lambda x: convolve(x, filter), _sizes(input_size), dout)


def _resized(grads, roi, scales, original_size, coordinate_transformation_mode, mode):
    """Nearest elements are counted from the corner, whatever the coordinates are called."""
    coordinates = "asymmetric" if mode == "nearest" else coordinate_transformation_mode
    return resize_back(grads, _sizes(original_size)[2:], mode, coordinates)


def _check_resizing(name, settings):
    accepted = {
        "mode": ("nearest", "linear", "cubic"),
        "coordinate_transformation_mode": ("align_corners", "half_pixel"),
    }
    for key, values in accepted.items():
        if settings[key] not in values:
            raise ValueError(f"{name}: {key} is {settings[key]!r}; need one of {', '.join(values)}")


# Losses and others.


def _ctc(
    grad_out, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, **settings
):
    loss = ops.CTCLossV2(**settings)
    lengths = input_lengths, target_lengths
    output, product = vjp(lambda scores: loss(scores, targets, *lengths)[0], log_probs)
    return product(shaped_as(grad_out, output))[0]


def _multilabel_margin(y_grad, x, target, is_target, reduction):
    loss = ops.MultilabelMarginLoss(reduction)
    output, product = vjp(lambda scores: loss(scores, target)[0], x)
    return product(shaped_as(y_grad, output))[0]


def _gamma_sample(alpha, sample):
    """Derivative of a gamma sample by its parameter at constant probability (implicit reparameterization)."""
    density = ops.exp((alpha - 1) * ops.log(sample) - sample - ops.lgamma(alpha))
    return -slope_by_order(alpha, sample) / density


def _unique(dy, y):
    """Both are pairs of the different values and where each element finds its own."""
    return dy[0][y[1]]


def _sparse_sum(backprop_val_grad, x1_indices, x2_indices, sum_indices):
    """Each value takes the gradient of the element at its place of the sum; one that the sum dropped has none."""

    def found(places):
        same = ops.equal(places.expand_dims(1), sum_indices.expand_dims(0)).all(-1)
        return ops.where(same, backprop_val_grad, ops.zeros_like(backprop_val_grad)).sum(1)

    return found(x1_indices), found(x2_indices)


def _summed_axes(s0, s1):
    """For each of two shapes the dimensions to sum over to come back to it from what both are broadcast to."""
    dtype = s0.dtype if isinstance(s0, Tensor) else _core.int64
    shapes = _sizes(s0), _sizes(s1)
    rank = max(len(shape) for shape in shapes)
    first, second = ((1,) * (rank - len(shape)) + shape for shape in shapes)
    if any(a != b and 1 not in (a, b) for a, b in zip(first, second, strict=True)):
        raise ValueError(
            f"DynamicBroadcastGradientArgs: the shapes are {shapes[0]} and {shapes[1]}; they do not fit"
        )
    apart = shapes[0] != shapes[1]
    axes = [[axis for axis, size in enumerate(shape) if size == 1 and apart] for shape in (first, second)]
    return tuple([Tensor(each, dtype) for each in axes])


_RECURRENT: dict = {"input_size": 1, "hidden_size": 1, "num_layers": 1, "has_bias": True}
_RECURRENT |= {"bidirectional": False, "dropout": 0.0, "proj_size": 0}
_STEPS: dict = {"direction": "UNIDIRECTIONAL", "cell_depth": 1, "keep_prob": 1.0, "cell_clip": -1.0}
_STEPS |= {"num_proj": 0, "time_major": True}
_LSTM: dict = {"cell_type": "LSTM", "direction": "UNIDIRECTIONAL", "cell_depth": 1, "use_peephole": False}
_LSTM |= {"keep_prob": 1.0, "cell_clip": -1.0, "num_proj": 0, "time_major": True, "forget_bias": 0.0}
_WINDOWS = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID"}
_NORM = {"epsilon": 1e-4, "data_format": "NCHW"}
_BY_CHANNEL: dict = {"channel_multiplier": 1, "kernel_size": 1, "pad_mode": "valid", "pad": 0}
_BY_CHANNEL |= {"pad_list": (0, 0, 0, 0), "mode": 3, "stride": 1, "dilation": 1, "group": 1}

RULES = {
    "AvgPoolGradGe": Adjoint(_mean_windows, **_WINDOWS, data_format="NCHW"),
    "AvgPoolGradVm": Adjoint(_mean_windows_by_matrices, **_WINDOWS),
    "BasicLSTMCellCStateGrad": Adjoint(_cell_state, forget_bias=1.0, activation="tanh"),
    "BasicLSTMCellInputGrad": Adjoint(_cell_input, keep_prob=1.0),
    "BasicLSTMCellWeightGrad": Adjoint(_cell_weight),
    "BNTrainingReduceGrad": Adjoint(_batch_elements, **_NORM),
    "BNTrainingUpdateGrad": Adjoint(_batch_sums, **_NORM),
    "CTCLossV2Grad": Adjoint(_ctc, blank=0, reduction="none", zero_infinity=False),
    "DepthwiseConv2dNativeBackpropFilter": Adjoint(_filters_by_channel, **_BY_CHANNEL),
    "DepthwiseConv2dNativeBackpropInput": Adjoint(_images_by_channel, **_BY_CHANNEL),
    "DynamicBroadcastGradientArgs": Adjoint(_summed_axes),
    "DynamicGRUV2Grad": Adjoint(_gru_of_steps, **_STEPS, gate_order="rzh", reset_after=True),
    "DynamicRNNGrad": Adjoint(_lstm_of_steps, **_LSTM),
    "InstanceNormGrad": Adjoint(_instance_norm, epsilon=0.0, momentum=0.1),
    "LSTMGrad": Adjoint(_packed_lstm, **_RECURRENT),
    "MultilabelMarginLossGrad": Adjoint(_multilabel_margin, reduction="mean"),
    "RandomGammaGrad": Adjoint(_gamma_sample),
    "ResizeV2Grad": Adjoint(
        _resized, check=_check_resizing, coordinate_transformation_mode="half_pixel", mode="nearest"
    ),
    "SparseAddGrad": Adjoint(_sparse_sum),
    "UniqueGrad": Adjoint(_unique),
}
