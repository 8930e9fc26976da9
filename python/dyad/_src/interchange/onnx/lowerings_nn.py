"""Lowerings of layers to nodes of ONNX."""

from dyad import _core
from dyad._src.interchange.mindir.writer import Written
from dyad._src.interchange.onnx.lowerings_elementwise import at_least_32_bits
from dyad._src.operators import ones, triangle


def matmul(e, results, a, b):
    dtype, shape = results[0]
    wide = at_least_32_bits(dtype)
    if wide is None:
        return None
    return e.cast(e.call("MatMul", [e.cast(a, wide), e.cast(b, wide)], (wide, shape)), dtype)


def dense(e, results, x, weight, bias=None):
    dtype, shape = results[0]
    x, weight = e.cast(x, dtype), e.cast(weight, dtype)
    if len(x.shape) == 2 and bias is not None and len(weight.shape) == 2:
        return e.call("Gemm", [x, weight, e.cast(bias, dtype)], results[0], transB=1)
    turned = e.transpose(weight, [1, 0]) if len(weight.shape) == 2 else weight
    made = e.call("MatMul", [x, turned], (dtype, shape))
    return made if bias is None else e.binary("Add", made, e.cast(bias, dtype), results[0])


def _ends(padding):
    """(first before, first after, ...) as all before, then all after."""
    return [*padding[::2], *padding[1::2]]


def _channels_first(e, x):
    rank = len(x.shape)
    return e.transpose(x, [0, rank - 1, *range(1, rank - 1)])


def _channels_last(e, x):
    rank = len(x.shape)
    return e.transpose(x, [0, *range(2, rank), 1])


def _first(shape):
    return (shape[0], shape[-1], *shape[1:-1])


def for_images(lower):
    """Wraps a lowering for channels after the batch, for images that may have them at the end."""

    def lower_both(e, results, x, *settings):
        settings, last = settings[:-1], settings[-1]
        sizes = [size for setting in settings if isinstance(setting, (list, tuple)) for size in setting]
        if any(not isinstance(size, int) for size in sizes):
            return None
        if not last:
            return lower(e, results, x, *settings)
        dtype, shape = results[0]
        made = lower(e, [(dtype, _first(shape)), *results[1:]], _channels_first(e, x), *settings)
        return None if made is None else _channels_last(e, made)

    return lower_both


def convolution(
    e, results, x, weight, bias, stride, padding, dilation, groups, channels_last=False, filters=None
):
    if channels_last or filters is not None or any(not isinstance(size, int) for size in padding):
        return None
    dtype, _ = results[0]
    given = [e.cast(x, dtype), e.cast(weight, dtype), None if bias is None else e.cast(bias, dtype)]
    return e.call(
        "Conv",
        given,
        results[0],
        kernel_shape=weight.shape[2:],
        strides=stride,
        pads=_ends(padding),
        dilations=dilation,
        group=groups,
    )


def transposed_convolution(
    e, results, x, weight, sizes, stride, padding, dilation, groups, channels_last=False, filters=None
):
    """The gradient of a convolution for its input, which is what transposed convolutions are."""
    if channels_last or filters is not None:
        return None
    dtype, shape = results[0]
    spatial = [x.shape[2:], shape[2:], weight.shape[2:]]
    if any(not isinstance(size, int) for sizes in spatial for size in sizes):
        return None
    places = range(len(stride))
    # The remainder of the output at its end.
    rest = [
        shape[2 + i]
        - ((x.shape[2 + i] - 1) * stride[i] - padding[2 * i] - padding[2 * i + 1])
        - dilation[i] * (weight.shape[2 + i] - 1)
        - 1
        for i in places
    ]
    return e.call(
        "ConvTranspose",
        [e.cast(x, dtype), e.cast(weight, dtype)],
        results[0],
        kernel_shape=weight.shape[2:],
        strides=stride,
        pads=_ends(padding),
        dilations=dilation,
        group=groups,
        output_padding=rest,
    )


def max_pool(e, results, x, kernel, stride, padding, dilation, ceil_mode):
    return e.call(
        "MaxPool",
        [x],
        results[0],
        kernel_shape=kernel,
        strides=stride,
        pads=_ends(padding),
        dilations=dilation,
        ceil_mode=int(ceil_mode),
    )


def average_pool(e, results, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor):
    if divisor:
        return None
    return e.call(
        "AveragePool",
        [x],
        results[0],
        kernel_shape=kernel,
        strides=stride,
        pads=_ends(padding),
        ceil_mode=int(ceil_mode),
        count_include_pad=int(count_include_pad),
    )


def adaptive_average_pool(e, results, x, output_size):
    """A mean over everything, or windows of one size where the output divides the input."""
    given = x.shape[len(x.shape) - len(output_size) :]
    if set(output_size) == {1}:
        axes = e.ints(list(range(len(x.shape) - len(output_size), len(x.shape))))
        return e.call("ReduceMean", [x, axes], results[0], keepdims=1)
    if any(
        not isinstance(size, int) or size % wanted for size, wanted in zip(given, output_size, strict=True)
    ):
        return None
    kernel = [size // wanted for size, wanted in zip(given, output_size, strict=True)]
    return e.call("AveragePool", [x], results[0], kernel_shape=kernel, strides=kernel)


def batch_norm_apply(e, results, x, mean, variance, weight=None, bias=None, eps=1e-5):
    dtype, _ = results[0]
    channels = mean.shape
    weight = e.expand(e.tensor(1, mean.dtype), channels) if weight is None else weight
    bias = e.expand(e.tensor(0, mean.dtype), channels) if bias is None else bias
    made = e.call("BatchNormalization", [e.cast(x, mean.dtype), weight, bias, mean, variance],
                  (mean.dtype, x.shape), epsilon=float(eps))  # fmt: skip
    return e.cast(made, dtype)


def normalize_rows(e, results, x, begin_axis, weight=None, bias=None, eps=1e-5):
    """Layer normalization; the moments are results too."""
    dtype, shape = results[0]
    axes = tuple(shape[begin_axis:])
    if any(not isinstance(size, int) for size in axes):
        return None
    scale = e.expand(e.tensor(1, dtype), axes) if weight is None else e.reshape(e.cast(weight, dtype), axes)
    shift = None if bias is None else e.reshape(e.cast(bias, dtype), axes)
    made = e.writer.nodes(
        "LayerNormalization", [e.cast(x, dtype), scale, shift], results, axis=begin_axis, epsilon=float(eps)
    )
    return list(made)


def normalize_rms(e, results, x, weight, epsilon=1e-6):
    dtype, shape = results[0]
    wide = e.cast(x, _core.float32) if dtype in (_core.float16, _core.bfloat16) else x
    kept = (wide.dtype, results[1][1])
    square = e.binary("Mul", wide, wide)
    mean = e.call("ReduceMean", [square, e.ints([-1])], kept, keepdims=1)
    inverse = e.unary("Reciprocal", e.unary("Sqrt", e.binary("Add", mean, float(epsilon))))
    scaled = e.cast(e.binary("Mul", wide, inverse), dtype)
    return [e.binary("Mul", scaled, e.cast(weight, dtype), (dtype, shape)), e.cast(inverse, results[1][0])]


def attention(e, results, query, key, value, mask, causal, scale):
    """Products and a softmax between them."""
    dtype, _ = results[0]
    if causal and any(not isinstance(size, int) for size in (query.shape[-2], key.shape[-2])):
        return None
    rank = len(key.shape)
    turned = e.transpose(key, [*range(rank - 2), rank - 1, rank - 2])
    shape = (*query.shape[:-1], key.shape[-2])
    scores = e.call("MatMul", [query, turned], (dtype, shape))
    scores = e.binary("Mul", scores, scale)
    if mask is not None:
        scores = _masked(e, scores, mask)
    if causal:
        rows, columns = shape[-2:]
        seen = triangle(ones((rows, columns), _core.int8), 0, False)
        scores = _masked(e, scores, e.writer.constant(seen.astype(_core.bool_)))
    weights = e.call("Softmax", [scores], (dtype, scores.shape), axis=-1)
    return e.call("MatMul", [weights, value], results[0])


def _masked(e, scores, mask):
    if mask.dtype != _core.bool_:
        return e.binary("Add", scores, e.cast(mask, scores.dtype))
    lowest = e.tensor(float("-inf"), scores.dtype)
    return e.where(mask, scores, lowest, (scores.dtype, scores.shape))


# Interpolation mode -> its ONNX name.
_MODES = {
    "linear": "linear",
    "nearest": "nearest",
    "nearest-exact": "nearest",
    "cubic": "cubic",
    "tabulated_cubic": "cubic",
}


def resize(e, results, x, size, mode="linear", coordinates="half_pixel", scales=None):
    if mode not in _MODES or scales is not None:
        return None
    if mode == "nearest-exact" and coordinates == "asymmetric":
        coordinates = "half_pixel"
    sizes = e.ints([*x.shape[: len(x.shape) - len(size)], *size])
    leaves_out = mode == "tabulated_cubic" and coordinates == "half_pixel"
    rounding = "floor" if coordinates == "asymmetric" else "round_prefer_ceil"
    return e.call(
        "Resize",
        [x, None, None, sizes],
        results[0],
        mode=_MODES[mode],
        coordinate_transformation_mode=coordinates,
        nearest_mode=rounding if _MODES[mode] == "nearest" else None,
        cubic_coeff_a=(-0.5 if leaves_out else -0.75) if _MODES[mode] == "cubic" else None,
        exclude_outside=1 if leaves_out else None,
    )


def _counted(dtype):
    """The dtype in which one is reduced and put in order; bools are zeros and ones."""
    return at_least_32_bits(_core.uint8 if dtype == _core.bool_ else dtype)


def reduced(op_type):
    """A reduction over some axes, or all."""

    def lower(e, results, x, axis=None, keepdims=False, dtype=None):
        kind, shape = results[0]
        axes = None if axis is None else e.ints(list(axis))
        if axis is not None and not axis:
            return e.cast(x, kind)
        wide = _counted(kind)
        made = e.call(op_type, [e.cast(x, wide), axes], (wide, shape), keepdims=int(keepdims))
        return e.cast(made, kind)

    return lower


def any_or_all(op_type):
    """A reduction of truths, as the largest or smallest of ones and zeros."""

    def lower(e, results, x, axis=None, keepdims=False):
        if axis is not None and not axis:
            return e.cast(x, _core.bool_)
        numbers = e.cast(e.cast(x, _core.bool_), _core.int32)
        axes = None if axis is None else e.ints(list(axis))
        found = e.call(op_type, [numbers, axes], (_core.int32, results[0][1]), keepdims=int(keepdims))
        return e.cast(found, _core.bool_)

    return lower


def argument_of(op_type):
    """The index of the largest or smallest element."""

    def lower(e, results, x, axis=None, keepdims=False, dtype=None):
        kind, shape = results[0]
        if axis is None:
            if keepdims:
                return None
            x, axis = e.reshape(x, (-1,)), 0
        x = e.cast(x, _counted(x.dtype))
        made = e.call(op_type, [x], (_core.int64, shape), axis=axis, keepdims=int(keepdims))
        return e.cast(made, kind)

    return lower


def extreme_with_index(reduction, place):
    """The largest or smallest element and its index."""

    def lower(e, results, x, axis=None, keepdims=False):
        if not isinstance(axis, int):
            return None
        value = reduced(reduction)(e, [results[0]], x, [axis], keepdims)
        return [value, argument_of(place)(e, [results[1]], x, axis, keepdims)]

    return lower


def softmax(op_type):
    """Over one axis."""

    def lower(e, results, x, axis=-1, dtype=None):
        kind, _ = results[0]
        return e.call(op_type, [e.cast(x, kind)], results[0], axis=axis)

    return lower


def cumsum(e, results, x, axis, exclusive=False, reverse=False, dtype=None):
    kind, shape = results[0]
    wide = _counted(kind)
    made = e.call(
        "CumSum",
        [e.cast(x, wide), e.tensor(axis, _core.int64)],
        (wide, shape),
        exclusive=int(exclusive),
        reverse=int(reverse),
    )
    return e.cast(made, kind)


def log_sum_exp(e, results, x, axis):
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    return e.call(
        "ReduceLogSumExp", [x, e.ints(axes)], results[0], keepdims=int(len(results[0][1]) == len(x.shape))
    )


def _top(e, results, x, count, axis, largest, in_order):
    if isinstance(count, Written) or not isinstance(count, int):
        return None
    (dtype, shape), (index_dtype, _) = results
    wide = _counted(dtype)
    made = e.writer.nodes(
        "TopK", [e.cast(x, wide), e.ints([count])], [(wide, shape), (_core.int64, shape)],
        axis=axis, largest=int(largest), sorted=int(in_order),
    )  # fmt: skip
    return [e.cast(made[0], dtype), e.cast(made[1], index_dtype)]


def sort(e, results, x, axis=-1, descending=False, index_dtype=None):
    return _top(e, results, x, x.shape[axis] if x.shape else 1, axis, descending, True) if x.shape else None


def select_extremes(e, results, x, k, axis=-1, largest=True, sorted=True, index_dtype=None):
    return _top(e, results, x, k, axis, largest, sorted) if x.shape else None


LOWERINGS = {
    "adaptive_average_pool": adaptive_average_pool,
    "all": any_or_all("ReduceMin"),
    "amax": reduced("ReduceMax"),
    "amin": reduced("ReduceMin"),
    "any": any_or_all("ReduceMax"),
    "argmax": argument_of("ArgMax"),
    "argmin": argument_of("ArgMin"),
    "attention": attention,
    "average_pool": for_images(average_pool),
    "batch_norm_apply": batch_norm_apply,
    "convolution": convolution,
    "convolution_input_gradient": transposed_convolution,
    "cumsum": cumsum,
    "dense": dense,
    "log_softmax": softmax("LogSoftmax"),
    "log_sum_exp_line": log_sum_exp,
    "matmul": matmul,
    "max_pool": for_images(max_pool),
    "max_with_index": extreme_with_index("ReduceMax", "ArgMax"),
    "mean": reduced("ReduceMean"),
    "min_with_index": extreme_with_index("ReduceMin", "ArgMin"),
    "normalize_rms": normalize_rms,
    "normalize_rows": normalize_rows,
    "prod": reduced("ReduceProd"),
    "resize": resize,
    "select_extremes": select_extremes,
    "softmax": softmax("Softmax"),
    "sort": sort,
    "sum": reduced("ReduceSum"),
}
