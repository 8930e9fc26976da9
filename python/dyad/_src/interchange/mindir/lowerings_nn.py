"""Lowerings of layers to the Primitives of files."""

import math
from typing import Any

from dyad import _core

_FORMAT = 0  # channels after the batch
_VALID = 2


def _binary(e, primitive, a, b, shape=None):
    return e.call(primitive, a, b, dtype=a.dtype, shape=a.shape if shape is None else shape)


def matmul(e, results, a, b):
    dtype, shape = results[0]
    a, b = e.cast(a, dtype), e.cast(b, dtype)
    if len(a.shape) == len(b.shape) == 2:
        return e.call("MatMul", a, b, False, False, dtype=dtype, shape=shape)
    if len(a.shape) == len(b.shape) and len(a.shape) > 2 and a.shape[:-2] == b.shape[:-2]:
        return e.call("BatchMatMul", a, b, False, False, dtype=dtype, shape=shape)
    return e.call("MatMulExt", a, b, dtype=dtype, shape=shape)


def dense(e, results, x, weight, bias=None):
    dtype, shape = results[0]
    if len(weight.shape) != 2 or len(x.shape) < 1 or dtype != x.dtype:
        return None
    rows = x if len(x.shape) == 2 else e.reshape(x, (-1, weight.shape[1]))
    features = weight.shape[0]
    made = e.call("MatMul", rows, weight, False, True, dtype=dtype, shape=(rows.shape[0], features))
    if bias is not None:
        made = e.call("BiasAdd", made, bias, _FORMAT, dtype=dtype, shape=made.shape)
    return made if len(x.shape) == 2 else e.reshape(made, shape)


def convolution(
    e, results, x, weight, bias, stride, padding, dilation, groups, channels_last=False, filters=None
):
    """`Conv2D`; 1-D signals are images of height one."""
    dtype, shape = results[0]
    if any(not isinstance(size, int) for size in (*padding, *weight.shape)):
        return None
    if channels_last or len(stride) not in (1, 2) or (groups != 1 and _is_partly_grouped(x, weight, groups)):
        return None
    if len(stride) == 1:
        x, weight = (e.reshape(t, (*t.shape[:2], 1, t.shape[2])) for t in (x, weight))
        stride, dilation, padding = [1, *stride], [1, *dilation], [0, 0, *padding]
        flat = convolution(
            e, [(dtype, (*shape[:2], 1, shape[2]))], x, weight, bias, stride, padding, dilation, groups
        )
        return e.reshape(flat, shape)
    kernel = tuple(weight.shape[2:])
    attributes = {
        "out_channel": weight.shape[0],
        "kernel_size": kernel,
        "mode": 1,
        "pad_mode": "pad",
        "pad": tuple(padding),
        "pad_list": tuple(padding),
        "stride": (1, 1, *stride),
        "dilation": (1, 1, *dilation),
        "group": groups,
        "groups": groups,
        "format": "NCHW",
        "data_format": "NCHW",
        "input_names": ["x", "w"],
        "output_names": ["output"],
    }
    made = e.with_attributes("Conv2D", [x, weight], attributes, dtype, shape)
    return made if bias is None else e.call("BiasAdd", made, bias, _FORMAT, dtype=dtype, shape=shape)


def _is_partly_grouped(x, weight, groups):
    return not isinstance(x.shape[1], int) or x.shape[1] % groups != 0


def max_pool(e, results, x, kernel, stride, padding, dilation, ceil_mode, channels_last=False):
    dtype, shape = results[0]
    if channels_last or len(kernel) != 2 or padding[0] != padding[1] or padding[2] != padding[3]:
        return None
    if not any(padding) and not ceil_mode and set(dilation) == {1}:
        attributes: dict[str, Any] = {
            "kernel_size": (1, 1, *kernel), "strides": (1, 1, *stride), "pad_mode": "VALID", "format": "NCHW",
            "data_format": "NCHW", "input_names": ["x"], "output_names": ["output"],
        }  # fmt: skip
        return e.with_attributes("MaxPool", [x], attributes, dtype, shape)
    attributes = {
        "kernel_size": (1, 1, *kernel), "strides": (1, 1, *stride), "pads": (1, 1, padding[0], padding[2]),
        "dilation": (1, 1, *dilation), "ceil_mode": ceil_mode, "argmax_type": 4,
        "input_names": ["x"], "output_names": ["output", "argmax"],
    }  # fmt: skip
    both = e.with_attributes("MaxPoolWithArgmaxV2", [x], attributes)
    return e.item(both, 0, dtype, shape)


def average_pool(
    e, results, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor, channels_last=False
):
    dtype, shape = results[0]
    plain = not any(padding) and not ceil_mode and not divisor and not channels_last
    if not plain or len(kernel) != 2:
        return None
    return e.call("AvgPool", x, tuple(kernel), tuple(stride), _VALID, _FORMAT, dtype=dtype, shape=shape)


def adaptive_average_pool(e, results, x, output_size):
    """Over everything it is a mean."""
    dtype, shape = results[0]
    if set(output_size) != {1}:
        name = {2: "AdaptiveAvgPool2D", 3: "AdaptiveAvgPool3D"}.get(len(output_size))
        if name is None:
            return None
        attributes = {"output_size": tuple(output_size), "input_names": ["x"], "output_names": ["y"]}
        return e.with_attributes(name, [x], attributes, dtype, shape)
    axes = tuple(range(len(x.shape) - len(output_size), len(x.shape)))
    return e.call("ReduceMean", x, axes, True, dtype=dtype, shape=shape)


def resize(e, results, x, size, mode="linear", coordinates="half_pixel", scales=None):
    """Resizes images."""
    name = {"linear": "ResizeBilinearV2", "nearest": "ResizeNearestNeighborV2"}.get(mode)
    if name is None or len(x.shape) != 4 or scales is not None:
        return None
    dtype, shape = results[0]
    corners, half_pixel = coordinates == "align_corners", coordinates == "half_pixel"
    return e.call(name, x, tuple(size), corners, half_pixel, dtype=dtype, shape=shape)


def _per_channel(e, value, rank):
    return e.reshape(value, (1, value.shape[0], *(1,) * (rank - 2)))


def batch_norm_apply(e, results, x, mean, variance, weight=None, bias=None, eps=1e-5):
    dtype, shape = results[0]
    rank = len(x.shape)
    if rank in (2, 4) and weight is not None and bias is not None and x.dtype == mean.dtype:
        made = e.call("BatchNorm", x, weight, bias, mean, variance, False, eps, 0.1, _FORMAT)
        return e.item(made, 0, dtype, shape)
    by_channel = _per_channel(e, mean, rank), _per_channel(e, variance, rank)
    return _normalized(e, x, *by_channel, weight, bias, eps)


def _normalized(e, x, mean, variance, weight, bias, eps):
    rank = len(x.shape)
    inverse = e.call(
        "Rsqrt",
        _binary(e, "Add", variance, e.tensor(eps, variance.dtype)),
        dtype=x.dtype,
        shape=variance.shape,
    )
    made = _binary(e, "Mul", _binary(e, "Sub", x, mean), inverse)
    if weight is not None:
        made = _binary(e, "Mul", made, _per_channel(e, weight, rank))
    return made if bias is None else _binary(e, "Add", made, _per_channel(e, bias, rank))


def batch_norm_train(
    e, results, x, weight=None, bias=None, eps=1e-5, channels_last=False, added=None, rectified=False
):
    if channels_last or added is not None or rectified:
        return None
    axes = (0, *range(2, len(x.shape)))
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape))
    mean = e.call("ReduceMean", x, axes, True, dtype=x.dtype, shape=kept)
    apart = _binary(e, "Sub", x, mean)
    variance = e.call("ReduceMean", _binary(e, "Mul", apart, apart), axes, True, dtype=x.dtype, shape=kept)
    made = _normalized(e, x, mean, variance, weight, bias, eps)
    return [made, e.reshape(mean, results[1][1]), e.reshape(variance, results[2][1])]


def normalize_rows(e, results, x, begin_axis, weight=None, bias=None, eps=1e-5):
    shape = results[0][1]
    begin = begin_axis - len(shape) if begin_axis >= 0 else begin_axis
    if any(not isinstance(size, int) for size in shape[begin:]):
        return None
    weight = e.broadcast(e.tensor(1, x.dtype), shape[begin:]) if weight is None else e.cast(weight, x.dtype)
    bias = e.broadcast(e.tensor(0, x.dtype), shape[begin:]) if bias is None else e.cast(bias, x.dtype)
    made = e.call("LayerNorm", x, weight, bias, begin, begin, eps)
    return [e.item(made, place, *result) for place, result in enumerate(results)]


def embedding(e, results, x, weight, padding_idx=None):
    dtype, shape = results[0]
    return e.call("Gather", weight, x, 0, 0, dtype=dtype, shape=shape)


def gelu_erf(e, results, x):
    half = e.tensor(0.5, x.dtype)
    inner = e.call(
        "Erf", _binary(e, "Mul", x, e.tensor(1 / math.sqrt(2), x.dtype)), dtype=x.dtype, shape=x.shape
    )
    return _binary(e, "Mul", _binary(e, "Mul", x, half), _binary(e, "Add", inner, e.tensor(1.0, x.dtype)))


def leaky_relu(e, results, x, alpha=0.2):
    below = _binary(e, "Mul", x, e.tensor(alpha, x.dtype))
    positive = e.call("Greater", x, e.tensor(0, x.dtype), dtype=_core.bool_, shape=x.shape)
    return e.call("Select", positive, x, below, dtype=x.dtype, shape=x.shape)


def softplus(e, results, x, beta=1, threshold=20):
    scaled = _binary(e, "Mul", x, e.tensor(beta, x.dtype))
    soft = e.call("Log1p", e.call("Exp", scaled, dtype=x.dtype, shape=x.shape), dtype=x.dtype, shape=x.shape)
    soft = _binary(e, "Div", soft, e.tensor(beta, x.dtype))
    large = e.call("Greater", scaled, e.tensor(threshold, x.dtype), dtype=_core.bool_, shape=x.shape)
    return e.call("Select", large, x, soft, dtype=x.dtype, shape=x.shape)


def attention(e, results, query, key, value, mask, causal, scale):
    """The products, the softmax and the sum, one after the other."""
    if causal or not isinstance(scale, float) or len({len(t.shape) for t in (query, key, value)}) != 1:
        return None
    dtype, shape = results[0]
    rank = len(query.shape)
    line = (*range(rank - 2), rank - 1, rank - 2)
    turned = e.call(
        "Transpose", key, line, dtype=dtype, shape=(*key.shape[:-2], key.shape[-1], key.shape[-2])
    )
    wide = (*query.shape[:-1], key.shape[-2])
    scores = matmul(e, [(dtype, wide)], query, turned)
    scores = _binary(e, "Mul", scores, e.tensor(scale, dtype))
    if mask is not None:
        if mask.dtype == _core.bool_:
            return None
        scores = _binary(e, "Add", scores, e.cast(mask, dtype))
    shares = e.call("Softmax", scores, (-1,), dtype=dtype, shape=wide)
    return matmul(e, [(dtype, shape)], shares, value)


def extremes(primitive):
    """The largest or smallest element along an axis, and its index."""

    def lower(e, results, x, axis=None, keepdims=False):
        if axis is None or results[1][0] not in (_core.int32, _core.int64):
            return None
        both = e.call(primitive, x, axis, keepdims)
        place = e.item(both, 0, _core.int32, results[1][1])
        return [e.item(both, 1, *results[0]), e.cast(place, results[1][0])]

    return lower


def select_extremes(e, results, x, k, axis=-1, largest=True, sorted=True, index_dtype=_core.int32):
    if not largest or axis % len(x.shape) != len(x.shape) - 1 or not isinstance(k, int):
        return None
    names = {"input_names": ["input", "k"], "output_names": ["values", "indices"]}
    both = e.with_attributes("TopK", [x, k], {"sorted": sorted, **names})
    return [e.item(both, 0, *results[0]), e.cast(e.item(both, 1, _core.int32, results[1][1]), results[1][0])]


def sort(e, results, x, axis=-1, descending=False, index_dtype=_core.int32):
    names = {"input_names": ["x"], "output_names": ["y1", "y2"]}
    both = e.with_attributes("Sort", [x], {"axis": axis, "descending": descending, **names})
    return [e.item(both, 0, *results[0]), e.cast(e.item(both, 1, _core.int32, results[1][1]), results[1][0])]


def smooth_distance(e, results, x, target, beta=1.0):
    none = 2  # reduction
    return e.call("SmoothL1Loss", x, target, beta, none, dtype=x.dtype, shape=results[0][1])


def logsigmoid(e, results, x):
    """The smaller of x and 0, less log(1 + exp(-|x|))."""
    size = e.call("Neg", e.call("Abs", x, dtype=x.dtype, shape=x.shape), dtype=x.dtype, shape=x.shape)
    rest = e.call("Log1p", e.call("Exp", size, dtype=x.dtype, shape=x.shape), dtype=x.dtype, shape=x.shape)
    below = e.call("Minimum", x, e.tensor(0, x.dtype), dtype=x.dtype, shape=x.shape)
    return _binary(e, "Sub", below, rest)


def lstm_layer(e, results, x, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse):
    """`LSTM` of one layer; its weights are concatenated in one Tensor."""
    known = (*hidden.shape, *weight_ih.shape, *weight_hh.shape)
    if lengths is not None or len(hidden.shape) != 2 or any(not isinstance(size, int) for size in known):
        return None
    dtype, size = x.dtype, hidden.shape[1]
    bias = None if bias_ih is None else _binary(e, "Add", bias_ih, bias_hh)
    given = [weight_ih, weight_hh] if bias is None else [weight_ih, weight_hh, bias]
    flat = [e.reshape(weight, (math.prod(weight.shape), 1, 1)) for weight in given]
    total = sum(weight.shape[0] for weight in flat)
    weights = e.call("Concat", e.tuple_of(flat), 0, dtype=dtype, shape=(total, 1, 1))
    states = [e.reshape(state, (1, *state.shape)) for state in (hidden, cell)]
    attributes = {
        "input_size": weight_ih.shape[1], "hidden_size": size, "num_layers": 1, "has_bias": bias is not None,
        "bidirectional": False, "dropout": 0.0, "proj_size": 0,
    }  # fmt: skip
    line = e.call("ReverseV2", x, (0,), dtype=dtype, shape=x.shape) if reverse else x
    made = e.with_attributes("LSTM", [line, *states, weights], attributes)
    output = e.item(made, 0, *results[0])
    if reverse:
        output = e.call("ReverseV2", output, (0,), dtype=dtype, shape=results[0][1])
    last = [e.reshape(e.item(made, place, dtype, states[0].shape), hidden.shape) for place in (1, 2)]
    return [output, *last]


def sign(e, results, x):
    return e.call("Sign", x, dtype=x.dtype, shape=x.shape)


LOWERINGS = {
    "attention": attention,
    "adaptive_average_pool": adaptive_average_pool,
    "average_pool": average_pool,
    "batch_norm_apply": batch_norm_apply,
    "batch_norm_train": batch_norm_train,
    "convolution": convolution,
    "dense": dense,
    "embedding": embedding,
    "gelu_erf": gelu_erf,
    "leaky_relu": leaky_relu,
    "logsigmoid": logsigmoid,
    "lstm_layer": lstm_layer,
    "matmul": matmul,
    "max_pool": max_pool,
    "max_with_index": extremes("ArgMaxWithValue"),
    "min_with_index": extremes("ArgMinWithValue"),
    "normalize_rows": normalize_rows,
    "resize": resize,
    "select_extremes": select_extremes,
    "sign": sign,
    "smooth_distance": smooth_distance,
    "sort": sort,
    "softplus": softplus,
}
