"""Gradients of operators as operators, under the names that programs import from `_grad_ops` and `auto_generate`.

None of them has a formula: the operator is run on its inputs and differentiated by its own rule. An operator that is
given its result instead of its input finds the input by the inverse function.
"""

from dyad import _core, ops
from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.vector_products import vjp
from dyad._src.primitive import Primitive

__all__: list[str] = []


def _shaped_as(gradient, output):
    """The gradient in the output's shape: one number may come as (1,), and dimensions of size 1 may be left out."""
    return gradient.reshape(output.shape) if gradient.size == output.size else gradient


class _Rule:
    """What is differentiated, and in which order the arguments come: inputs, `y` for the result, `dy` its gradient.

    An input whose name begins with an underscore takes part, and no gradient is asked for it.
    """

    def __init__(self, operator, order, inverse=None, **settings):
        self.operator = operator
        self.order = order.split()
        self.inverse = inverse
        self.settings = settings

    def __call__(self, name, args, settings):
        if len(args) != len(self.order):
            raise TypeError(
                f"{name}: {len(args)} arguments were given; need {len(self.order)} "
                f"({', '.join(argument.strip('_') for argument in self.order)})"
            )
        given = dict(zip(self.order, args, strict=True))
        gradient, result = given.pop("dy"), given.pop("y", None)
        inputs = [value for argument, value in given.items() if not argument.startswith("_")]
        fixed = [value for argument, value in given.items() if argument.startswith("_")]
        inputs = inputs or [self.inverse(result)]
        output, product = vjp(lambda *values: self.operator(*values, *fixed, **settings), *inputs)
        gradients = product(_shaped_as(gradient, output))
        return gradients[0] if len(gradients) == 1 else gradients


class _Adjoint:
    """A gradient that the operator's inputs do not enter, as a function of the arguments."""

    def __init__(self, function, **settings):
        self.function = function
        self.settings = settings

    def __call__(self, name, args, settings):
        return self.function(*args, **settings)


class _SecondRule:
    """The gradient of a gradient of a piecewise linear operator of two Tensors: x1, x2 and the gradients for them."""

    order = ("x1", "x2", "dx1", "dx2")

    def __init__(self, operator, **settings):
        self.operator = operator
        self.settings = settings

    def __call__(self, name, args, settings):
        if len(args) != len(self.order):
            raise TypeError(f"{name}: {len(args)} arguments were given; need 4 ({', '.join(self.order)})")
        x1, x2, dx1, dx2 = args
        _, tangent = jvp(lambda a, b: self.operator(a, b, **settings), (x1, x2), (dx1, dx2))
        return ops.zeros_like(x1), ops.zeros_like(x2), tangent


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


def _inverse_elu(y):
    return ops.where(y > 0, y, ops.log1p(y))


def _inverse_selu(y):
    return ops.where(y > 0, y / _SELU_SCALE, ops.log1p(y / (_SELU_SCALE * _SELU_ALPHA)))


def _bias_add_gradient(dy, data_format):
    channel = dy.ndim - 1 if data_format in ("NHWC", "NDHWC") else 1
    return ops.sum(dy, tuple(axis for axis in range(dy.ndim) if axis != channel))


def _dropout_gradient(dy, mask, keep_prob):
    return (dy * mask.astype(dy.dtype) / keep_prob).astype(dy.dtype)


def _strided_slice_gradient(dy, shape, begin, end, strides, **masks):
    cut = ops.StridedSlice(**masks)
    output, product = vjp(lambda x: cut(x, begin, end, strides), ops.zeros(shape, dy.dtype))
    return product(_shaped_as(dy, output))[0]


def _resize_bilinear_gradient(dy, x, align_corners, half_pixel_centers):
    resized = ops.ResizeBilinearV2(align_corners, half_pixel_centers)
    _, product = vjp(lambda image: resized(image, dy.shape[2:]), x)
    return product(dy)[0]


def _normalized_response(x, **settings):
    return ops.LRN(**settings)(x)


def _l2_normalized(x, axis, epsilon):
    return ops.L2Normalize(axis, epsilon)(x)


def _grid_sample(x, grid, interpolation_mode, padding_mode, align_corners):
    return ops.grid_sample(x, grid, interpolation_mode, padding_mode, align_corners)


_SAMPLING = {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
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
    "AbsGrad": _Rule(ops.abs, "x dy"),
    "ACosGrad": _Rule(ops.acos, "x dy"),
    "AcoshGrad": _Rule(ops.acosh, "y dy", ops.cosh),
    "AsinGrad": _Rule(ops.asin, "x dy"),
    "AsinhGrad": _Rule(ops.asinh, "y dy", ops.sinh),
    "AtanGrad": _Rule(ops.atan, "x dy"),
    "AvgPoolGrad": _Rule(_pool(ops.AvgPool), "x y dy", **_WINDOWS),
    "BiasAddGrad": _Adjoint(_bias_add_gradient, data_format="NCHW"),
    "BinaryCrossEntropyGrad": _Rule(ops.binary_cross_entropy, "x _label dy _weight", reduction="mean"),
    "CdistGrad": _Rule(ops.cdist, "dy x _other y", p=2.0),
    "DropoutGrad": _Adjoint(_dropout_gradient, keep_prob=0.5),
    "EluGrad": _Rule(ops.elu, "dy y", _inverse_elu),
    "FastGeLUGrad": _Rule(ops.fast_gelu, "dy x"),
    "FlattenGrad": _Adjoint(ops.reshape),
    "GeLUGrad": _Rule(lambda x: ops.gelu(x, "tanh"), "dy x y"),
    "GridSampler2DGrad": _Rule(_grid_sample, "dy x grid", **_SAMPLING),
    "GridSampler3DGrad": _Rule(_grid_sample, "dy x grid", **_SAMPLING),
    "HShrinkGrad": _Rule(ops.hardshrink, "dy x", lambd=0.5),
    "HSigmoidGrad": _Rule(ops.hardsigmoid, "dy x"),
    "HSwishGrad": _Rule(ops.hardswish, "dy x"),
    "InvGrad": _Adjoint(lambda y, dy: -dy * y * y),
    "KLDivLossGrad": _Rule(ops.kl_div, "dy x _target", reduction="mean"),
    "L2NormalizeGrad": _Rule(_l2_normalized, "x y dy", axis=0, epsilon=1e-4),
    "LogSoftmaxGrad": _Rule(ops.log_softmax, "y dy", lambda y: y, axis=-1),
    "LRNGrad": _Rule(_normalized_response, "dy x y", depth_radius=5, bias=1.0, alpha=1.0, beta=0.5),
    "MaximumGrad": _Rule(_of_both(ops.maximum), "x1 x2 dy", **_BOTH),
    "MaximumGradGrad": _SecondRule(_of_both(ops.maximum), **_BOTH),
    "MaxPoolGrad": _Rule(_pool(ops.MaxPool), "x y dy", **_WINDOWS),
    "MaxPoolGradWithArgmaxV2": _Rule(_pool(ops.MaxPoolWithArgmaxV2), "x dy _argmax", **_DILATED_WINDOWS),
    "MaxPoolGradWithArgmax": _Rule(_pool(ops.MaxPoolWithArgmax), "x dy _argmax", **_WINDOWS),
    "MinimumGrad": _Rule(_of_both(ops.minimum), "x1 x2 dy", **_BOTH),
    "MinimumGradGrad": _SecondRule(_of_both(ops.minimum), **_BOTH),
    "PReLUGrad": _Rule(ops.prelu, "dy x weight"),
    "ReciprocalGrad": _Rule(ops.reciprocal, "y dy", ops.reciprocal),
    "ReLU6Grad": _Rule(ops.relu6, "dy x"),
    "ReluGrad": _Rule(ops.relu, "dy x"),
    "ResizeBilinearGrad": _Adjoint(_resize_bilinear_gradient, align_corners=False, half_pixel_centers=False),
    "RsqrtGrad": _Rule(ops.rsqrt, "y dy", lambda y: ops.reciprocal(ops.square(y))),
    "SeLUGrad": _Rule(ops.selu, "dy y", _inverse_selu),
    "SigmoidCrossEntropyWithLogitsGrad": _Rule(ops.SigmoidCrossEntropyWithLogits(), "x _label dy"),
    "SigmoidGrad": _Rule(ops.sigmoid, "y dy", ops.logit),
    "SiLUGrad": _Rule(ops.silu, "dy x"),
    "SliceGrad": _Rule(ops.slice, "dy x _begin _size"),
    "SmoothL1LossGrad": _Rule(ops.smooth_l1_loss, "x _target dy", beta=1.0, reduction="none"),
    "SoftMarginLossGrad": _Rule(ops.soft_margin_loss, "x _label dy", reduction="mean"),
    "SoftmaxGrad": _Rule(ops.softmax, "y dy", ops.log),
    "SoftplusGrad": _Rule(ops.softplus, "dy x"),
    "SoftShrinkGrad": _Rule(ops.softshrink, "dy x", lambd=0.5),
    "SqrtGrad": _Rule(ops.sqrt, "y dy", ops.square),
    "StridedSliceGrad": _Adjoint(_strided_slice_gradient, **_MASKS),
    "TanhGrad": _Rule(ops.tanh, "y dy", ops.atanh),
}


def _make(name, rule):
    names = tuple(rule.settings)

    def __init__(self, *args, **kwargs):
        if len(args) > len(names) or kwargs.keys() - set(names[len(args) :]):
            accepted = ", ".join(names) or "nothing"
            raise TypeError(f"{name}: the constructor is given {(*args, *kwargs)}; it takes {accepted}")
        Primitive.__init__(self, name)
        self.attrs = {**rule.settings, **dict(zip(names, args, strict=False)), **kwargs}

    def __call__(self, *args):
        return rule(name, args, self.attrs)

    members = {"__init__": __init__, "__call__": __call__, "__module__": __name__, "_parameters": names}
    return type(
        name, (Primitive,), {**members, "__doc__": f"The gradient that {name[:-4]} passes on to its inputs."}
    )


_classes = {name: _make(name, rule) for name, rule in _RULES.items()}
globals().update(_classes)
__all__ += _classes
