"""Gradients of operators as operators, under the names that programs import from `_grad_ops` and `auto_generate`.

The operator is run on its inputs and differentiated by its own rule. One that is given its result instead of its input
has its slope as a function of the result, which is also there for numbers that no input gives.
"""

from dyad import _core, ops
from dyad._src.autodiff.vector_products import vjp
from dyad.compat.mindspore.ops import image_gradients, layer_gradients, mint_gradients, older_gradients
from dyad.compat.mindspore.ops.gradient_rules import Adjoint, Rule, SecondRule, along, make, shaped_as

__all__: list[str] = []


def _of_both(operator):
    """The gradient of an operator of two Tensors, for the inputs that are asked for."""

    def apply(x, y, grad_x=True, grad_y=True):
        return operator(x if grad_x else ops.stop_gradient(x), y if grad_y else ops.stop_gradient(y))

    return apply


def _pool(primitive):
    """A pooling Primitive as a function; of several results the first."""

    def apply(x, *_, argmax_type=None, **settings):
        pooled = primitive(**settings)(x)
        return pooled[0] if isinstance(pooled, tuple) else pooled

    return apply


def _sloped(slope):
    """The gradient of a function of elements whose slope is a function of the result; of complex ones, conjugate."""

    def gradient(y, dy):
        found = slope(y)
        return (dy * (ops.conj(found) if y.dtype in (_core.complex64, _core.complex128) else found)).astype(
            dy.dtype
        )

    return Adjoint(gradient)


def _elu_gradient(dy, y):
    return ops.where(y > 0, dy, dy * (y + 1)).astype(dy.dtype)


def _selu_gradient(dy, y):
    return ops.where(y > 0, dy * _SELU_SCALE, dy * (y + _SELU_SCALE * _SELU_ALPHA)).astype(dy.dtype)


def _log_softmax_gradient(y, dy, axis):
    return (dy - ops.exp(y) * dy.sum(axis, keepdims=True)).astype(dy.dtype)


def _softmax_gradient(y, dy):
    return y * (dy - (y * dy).sum(-1, keepdims=True))


def _binary_cross_entropy(x, label, dy, weight=None, *, reduction):
    output, product = vjp(lambda value: ops.binary_cross_entropy(value, label, weight, reduction), x)
    return product(shaped_as(dy, output))[0]


def _bias_add_gradient(dy, data_format):
    channel = dy.ndim - 1 if data_format in ("NHWC", "NDHWC") else 1
    return ops.sum(dy, tuple(axis for axis in range(dy.ndim) if axis != channel)).astype(dy.dtype)


def _dropout_gradient(dy, mask, keep_prob):
    return (dy * mask.astype(dy.dtype) / keep_prob).astype(dy.dtype)


def _strided_slice_gradient(dy, shape, begin, end, strides, **masks):
    cut = ops.StridedSlice(**masks)
    return along(lambda x: cut(x, begin, end, strides), shape, dy)


def _resize_bilinear_gradient(dy, x, align_corners, half_pixel_centers):
    resized = ops.ResizeBilinearV2(align_corners, half_pixel_centers)
    _, product = vjp(lambda image: resized(image, dy.shape[2:]), x)
    return product(dy)[0]


def _normalized_response(x, **settings):
    return ops.LRN(**settings)(x)


def _l2_normalized(x, axis, epsilon):
    return ops.L2Normalize(axis, epsilon)(x)


def _grid_sample(dy, x, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    """Gradients for the image and the grid that a mask selects; None for the others."""
    settings = (interpolation_mode, padding_mode, align_corners)
    gradients = vjp(lambda x, grid: ops.grid_sample(x, grid, *settings), x, grid)[1](dy)
    return tuple(
        [gradient if asked else None for gradient, asked in zip(gradients, output_mask, strict=True)]
    )


def _layer_norm_gradient(x, dy, variance, mean, gamma, begin_norm_axis, begin_params_axis):
    norm = ops.LayerNorm(begin_norm_axis, begin_params_axis)
    _, product = vjp(lambda *args: norm(*args)[0], x, gamma, ops.zeros_like(gamma))
    return product(dy)


def _layer_norm_second_gradient(x, dy, variance, mean, gamma, d_dx, d_dg, d_db, **axes):
    _, product = vjp(
        lambda x, dy, gamma: _layer_norm_gradient(x, dy, variance, mean, gamma, **axes), x, dy, gamma
    )
    return product((d_dx, d_dg, d_db))


def _distances_gradient(dy, x, other, dist, p):
    """Gradient of distances between rows for the first rows."""
    apart = x.expand_dims(-2) - other.expand_dims(-3)
    size, whole = ops.abs(apart), dist.expand_dims(-1)
    if p == 0:
        return ops.zeros_like(x)
    if p == float("inf"):
        slope = ops.where(size == whole, ops.sign(apart), ops.zeros_like(apart))
    else:
        # Where rows are the same, or elements of them, no distance changes.
        there = ops.logical_and(size > 0, whole > 0)
        ratio = ops.where(there, size, ops.ones_like(size)) / ops.where(
            whole > 0, whole, ops.ones_like(whole)
        )
        slope = ops.where(there, ops.sign(apart) * ratio ** (p - 1), ops.zeros_like(apart))
    return (dy.expand_dims(-1) * slope).sum(-2).astype(x.dtype)


def _negative_log_likelihood(x, labels, weight, total, reduction, ignore_index):
    return ops.nll_loss(x, labels, weight, ignore_index, reduction)


def _trace_gradient(dy, shape):
    rows, columns = (int(size) for size in shape)
    return ops.eye(rows, columns, dy.dtype) * dy


def _chosen_gradient(x, mask, dy):
    _, product = vjp(lambda values: ops.masked_select(values, mask), x)
    return product(dy)[0]


def _einsum_gradient(inputs, dy, equation):
    _, product = vjp(lambda *values: ops.einsum(equation, *values), *inputs)
    return product(dy)


def _swiglu_gradient(grad_output, input, dim=-1):
    _, product = vjp(lambda values: ops.swiglu(values, dim), input)
    return product(grad_output)[0]


_SAMPLING: dict = {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
_SAMPLING |= {"output_mask": (1, 1)}
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
_WINDOWS = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "data_format": "NCHW"}
_DILATED_WINDOWS: dict = {
    "kernel_size": 1,
    "strides": None,
    "pads": 0,
    "dilation": (1, 1),
    "ceil_mode": False,
}
_DILATED_WINDOWS |= {"argmax_type": _core.int64}
_MASKS = {f"{part}_mask": 0 for part in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
_BOTH = {"grad_x": True, "grad_y": True}
_RULES = {
    "AcoshGrad": _sloped(lambda y: 1 / ops.sinh(y)),
    "AsinhGrad": _sloped(lambda y: 1 / ops.cosh(y)),
    "AvgPoolGrad": Rule(_pool(ops.AvgPool), "x y dy", **_WINDOWS),
    "BiasAddGrad": Adjoint(_bias_add_gradient, data_format="NCHW"),
    "BinaryCrossEntropyGrad": Adjoint(_binary_cross_entropy, reduction="mean"),
    "CdistGrad": Adjoint(_distances_gradient, p=2.0),
    "CholeskyGrad": Rule(lambda a: ops.cholesky(a), "y dy", lambda y: ops.matmul(y, ops.swapaxes(y, -1, -2))),
    "DropoutGrad": Adjoint(_dropout_gradient, keep_prob=0.5),
    "EinsumGrad": Adjoint(_einsum_gradient, equation=""),
    "EluGrad": Adjoint(_elu_gradient),
    "FlattenGrad": Adjoint(ops.reshape),
    "GridSampler2DGrad": Adjoint(_grid_sample, **_SAMPLING),
    "GridSampler3DGrad": Adjoint(_grid_sample, **_SAMPLING),
    "InvGrad": _sloped(lambda y: -y * y),
    "L2NormalizeGrad": Rule(_l2_normalized, "x y dy", axis=0, epsilon=1e-4),
    "LayerNormGrad": Adjoint(_layer_norm_gradient, begin_norm_axis=1, begin_params_axis=1),
    "LayerNormGradGrad": Adjoint(_layer_norm_second_gradient, begin_norm_axis=1, begin_params_axis=1),
    "LogSoftmaxGrad": Adjoint(_log_softmax_gradient, axis=-1),
    "LRNGrad": Rule(_normalized_response, "dy x y", depth_radius=5, bias=1.0, alpha=1.0, beta=0.5),
    "MaskedSelectGrad": Adjoint(_chosen_gradient),
    "MaximumGrad": Rule(_of_both(ops.maximum), "x1 x2 dy", **_BOTH),
    "MaximumGradGrad": SecondRule(_of_both(ops.maximum), **_BOTH),
    "MaxPoolGrad": Rule(_pool(ops.MaxPool), "x y dy", **_WINDOWS),
    "MaxPoolGradWithArgmaxV2": Rule(_pool(ops.MaxPoolWithArgmaxV2), "x dy _argmax", **_DILATED_WINDOWS),
    "MaxPoolGradWithArgmax": Rule(_pool(ops.MaxPoolWithArgmax), "x dy _argmax", **_WINDOWS),
    "MinimumGrad": Rule(_of_both(ops.minimum), "x1 x2 dy", **_BOTH),
    "MinimumGradGrad": SecondRule(_of_both(ops.minimum), **_BOTH),
    "MvlgammaGrad": Rule(ops.mvlgamma, "dy x", p=1),
    "NLLLossGrad": Rule(
        _negative_log_likelihood, "x dy _labels _weight _total", reduction="mean", ignore_index=-100
    ),
    "ReciprocalGrad": _sloped(lambda y: -y * y),
    "ResizeBilinearGrad": Adjoint(_resize_bilinear_gradient, align_corners=False, half_pixel_centers=False),
    "RsqrtGrad": _sloped(lambda y: y * y * y * -0.5),
    "SeLUGrad": Adjoint(_selu_gradient),
    "SigmoidGrad": _sloped(lambda y: y * (1 - y)),
    "SoftmaxGrad": Adjoint(_softmax_gradient),
    "SqrtGrad": _sloped(lambda y: 0.5 / y),
    "StridedSliceGrad": Adjoint(_strided_slice_gradient, **_MASKS),
    "SwigluGrad": Adjoint(_swiglu_gradient),
    "TanhGrad": _sloped(lambda y: 1 - y * y),
    "TraceGrad": Adjoint(_trace_gradient),
}


# The operator, its settings and their defaults are those of the Primitive class without "Grad". The order in which the
# arguments come is MindSpore's and follows from nothing. The rules above are written out because their settings differ
# from those of the class, because the class has several results or none of the table, or because they start from the
# result of the operator instead of its input.
_ORDERS = {
    "x dy": "Abs ACos Asin Atan",
    "dy x": "FastGeLU Glu HShrink HSigmoid HSwish Logit ReLU6 Relu SiLU Softplus SoftShrink",
    "dy x y": "GeLU Pdist",
    "dy x weight": "PReLU",
    "dy x _begin _size": "Slice",
    "dy x _target _weight": "MultiMarginLoss",
    "x _label dy": "SigmoidCrossEntropyWithLogits SoftMarginLoss",
    "x _target dy": "SmoothL1Loss",
}


def _derived():
    """Name -> rule of the gradients whose operator is a Primitive class of the table."""
    classes = {
        name.lower(): vars(ops)[name]
        for name in vars(ops)["__all__"]
        if hasattr(vars(ops).get(name), "_call")
    }
    return {
        f"{name}Grad": Rule(vars(kind)["_call"], order, **vars(kind)["_defaults"])
        for order, names in _ORDERS.items()
        for name, kind in ((name, classes[name.lower()]) for name in names.split())
    }


_all_rules = (
    _derived()
    | _RULES
    | image_gradients.RULES
    | layer_gradients.RULES
    | older_gradients.RULES
    | mint_gradients.RULES
)
_classes = {name: make(name, rule) for name, rule in _all_rules.items()}
globals().update(_classes)
__all__ += _classes
