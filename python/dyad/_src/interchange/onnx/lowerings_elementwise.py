"""Lowerings of elementwise operators to nodes of ONNX.

The parameters of a lowering are the emission, the (dtype, shape) of each result, and the operator's arguments; it
returns the result, or a list of several, or None if it does not support the arguments.
"""

import math

from dyad import _core
from dyad._src.interchange.mindir.faces import operand_dtype


def _computed(e, results, given):
    """The tensors in the dtype that an elementwise operator computes in."""
    dtype = operand_dtype(given, results[0])
    return [e.tensor(value, dtype) for value in given]


def plain(op_type):
    """An operator that ONNX has as it is, for numbers; bools are none there."""

    def lower(e, results, *given):
        tensors = _computed(e, results, given)
        if any(tensor.dtype == _core.bool_ for tensor in tensors):
            return None
        return e.call(op_type, tensors, results[0])

    return lower


def compared(op_type):
    """A comparison; bools are compared as numbers."""

    def lower(e, results, *given):
        tensors = _computed(e, results, given)
        if tensors[0].dtype == _core.bool_ and op_type != "Equal":
            tensors = [e.cast(tensor, _core.uint8) for tensor in tensors]
        return e.call(op_type, tensors, results[0])

    return lower


def of_numbers_or_truths(on_numbers, on_truths):
    """An operator that has another name for bools."""

    def lower(e, results, *given):
        tensors = _computed(e, results, given)
        truths = all(tensor.dtype == _core.bool_ for tensor in tensors)
        return e.call(on_truths if truths else on_numbers, tensors, results[0])

    return lower


def whole_already(lower_floats):
    """An operator that leaves integers as they are."""

    def lower(e, results, x):
        return lower_floats(e, results, x) if results[0][0].is_floating_point else e.cast(x, results[0][0])

    return lower


def through(dtype_of, lower_there):
    """An operator that ONNX has for fewer dtypes: it is computed in `dtype_of(element type)`."""

    def lower(e, results, *given):
        kind, shape = results[0]
        tensors = _computed(e, results, given)
        wide = dtype_of(tensors[0].dtype)
        if wide is None:
            return None
        made = lower_there(
            e, [(wide if kind == tensors[0].dtype else kind, shape)], *[e.cast(t, wide) for t in tensors]
        )
        return e.cast(made, kind)

    return lower


def at_least_32_bits(dtype):
    """The integer dtype of at least 32 bits for a dtype; floats are unchanged, bools have none."""
    if dtype == _core.bool_:
        return None
    return _core.int32 if dtype in (_core.int8, _core.uint8, _core.int16, _core.uint16) else dtype


def negative(e, results, x):
    x = e.cast(x, results[0][0])
    if x.dtype == _core.bool_:
        return None
    if x.dtype in (_core.uint8, _core.uint16, _core.uint32, _core.uint64):
        return e.call("Sub", [e.tensor(0, x.dtype), x], results[0])
    return e.unary("Neg", x)


def rectified(e, results, x):
    dtype = results[0][0]
    x = e.cast(x, dtype)
    return (
        e.call("Max", [x, e.tensor(0, dtype)], results[0])
        if not dtype.is_floating_point
        else e.unary("Relu", x)
    )


def _celu(e, x, alpha):
    below = e.binary("Mul", e.binary("Sub", e.unary("Exp", e.binary("Div", x, alpha)), 1.0), alpha)
    return e.binary("Add", e.binary("Max", x, 0.0), e.binary("Min", below, 0.0))


def negated(op_type):
    """The negation of a comparison."""

    def lower(e, results, *given):
        found = e.call(op_type, _computed(e, results, given), results[0])
        return e.unary("Not", found)

    return lower


def of_truths(op_type):
    """An operator on bools."""

    def lower(e, results, *given):
        return e.call(op_type, [e.tensor(value, _core.bool_) for value in given], results[0])

    return lower


def formula(compute):
    """A formula over tensors of the result's dtype and shape."""

    def lower(e, results, *given):
        dtype, shape = results[0]
        made = compute(e, *[e.tensor(value, dtype) for value in given])
        return e.expand(made, shape)

    return lower


def _scale(e, x, number):
    return e.binary("Mul", x, number)


def _gelu_erf(e, x):
    inner = e.unary("Erf", _scale(e, x, 1 / math.sqrt(2)))
    return e.binary("Mul", _scale(e, x, 0.5), e.binary("Add", inner, 1.0))


def _gelu_tanh(e, x):
    cube = e.binary("Mul", e.binary("Mul", x, x), x)
    inner = _scale(e, e.binary("Add", x, _scale(e, cube, 0.044715)), math.sqrt(2 / math.pi))
    return e.binary("Mul", _scale(e, x, 0.5), e.binary("Add", e.unary("Tanh", inner), 1.0))


def _log1p(e, x):
    """The rounding of `1 + x` is divided out again, so that small numbers keep their digits."""
    u = e.binary("Add", x, 1.0)
    kind = (x.dtype, x.shape)
    exact = e.binary("Mul", e.unary("Log", u), e.binary("Div", x, e.binary("Sub", u, 1.0)))
    kept = e.where(_equals(e, u, 1.0), x, exact, kind)
    return e.where(_equals(e, u, math.inf), u, kept, kind)


def _expm1(e, x):
    """As `_log1p`: divides out the rounding of the exponential."""
    u = e.unary("Exp", x)
    less = e.binary("Sub", u, 1.0)
    kind = (x.dtype, x.shape)
    exact = e.binary("Mul", less, e.binary("Div", x, e.unary("Log", u)))
    kept = e.where(_equals(e, u, 1.0), x, exact, kind)
    kept = e.where(_equals(e, less, -1.0), less, kept, kind)
    return e.where(_equals(e, u, math.inf), u, kept, kind)


def _equals(e, x, number):
    return e.binary("Equal", x, number, (_core.bool_, x.shape))


def _hypot(e, a, b):
    """Divided by the larger one first: squares may be too large where the result is not."""
    a, b = e.unary("Abs", a), e.unary("Abs", b)
    large, small = e.binary("Max", a, b), e.binary("Min", a, b)
    kind = (large.dtype, large.shape)
    ratio = e.binary("Div", small, large)
    made = e.binary("Mul", large, e.unary("Sqrt", e.binary("Add", e.binary("Mul", ratio, ratio), 1.0)))
    plain_ = e.call("Or", [_equals(e, large, 0.0), _equals(e, large, math.inf)], (_core.bool_, large.shape))
    return e.where(plain_, large, made, kind)


def _log_base(base):
    return formula(lambda e, x: _scale(e, e.unary("Log", x), 1 / math.log(base)))


def add_scaled(op_type):
    """`x + other * alpha`, or with a minus."""
    return formula(lambda e, x, other, alpha: e.binary(op_type, x, e.binary("Mul", other, alpha)))


def softplus(e, results, x, beta=1, threshold=20):
    x = e.cast(x, results[0][0])
    if beta == 0:
        return None
    scaled = _scale(e, x, beta)
    soft = _scale(e, e.unary("Softplus", scaled), 1 / beta)
    above = e.binary("Greater", scaled, threshold, (_core.bool_, x.shape))
    return e.where(above, x, soft, results[0])


def _with_sign_of(e, rest, b, result):
    """(remainder of a division rounded toward zero, converted to one rounded down, whether it was changed)"""
    truth = (_core.bool_, result[1])
    zero = e.tensor(0, b.dtype)
    apart = e.call("Xor", [e.call("Less", [rest, zero], truth), e.call("Less", [b, zero], truth)], truth)
    left = e.unary("Not", e.call("Equal", [rest, zero], truth))
    changed = e.call("And", [apart, left], truth)
    return e.where(
        changed, e.call("Add", [rest, b], (b.dtype, result[1])), rest, (b.dtype, result[1])
    ), changed


def floor_divide(e, results, a, b):
    a, b = _computed(e, results, [a, b])
    quotient = e.call("Div", [a, b], results[0])
    rest = e.call("Mod", [a, b], results[0], fmod=1)
    below, changed = _with_sign_of(e, rest, b, results[0])
    if not a.dtype.is_floating_point:
        # Integers are divided towards zero there.
        return e.call("Sub", [quotient, e.cast(changed, a.dtype)], results[0])
    whole = e.unary("Round", e.call("Div", [e.call("Sub", [a, below], results[0]), b], results[0]))
    by_zero = e.call("Equal", [b, e.tensor(0, b.dtype)], (_core.bool_, b.shape))
    return e.where(by_zero, quotient, whole, results[0])


def remainder(e, results, a, b):
    a, b = _computed(e, results, [a, b])
    if not a.dtype.is_floating_point:
        return e.call("Mod", [a, b], results[0], fmod=0)
    rest = e.call("Mod", [a, b], results[0], fmod=1)
    return _with_sign_of(e, rest, b, results[0])[0]


def fmod(e, results, a, b):
    return e.call("Mod", _computed(e, results, [a, b]), results[0], fmod=1)


def _truncated(e, x):
    size = e.unary("Floor", e.unary("Abs", x))
    return e.binary("Mul", size, e.unary("Sign", x))


def truncate_div(e, results, a, b):
    a, b = _computed(e, results, [a, b])
    quotient = e.call("Div", [a, b], results[0])
    return _truncated(e, quotient) if a.dtype.is_floating_point else quotient


def where(e, results, condition, x, other):
    dtype = results[0][0]
    return e.where(e.tensor(condition, _core.bool_), e.tensor(x, dtype), e.tensor(other, dtype), results[0])


def clamp_between(e, results, x, low, high):
    dtype = results[0][0]
    raised = e.call("Max", [e.tensor(x, dtype), e.tensor(low, dtype)], results[0])
    return e.call("Min", [raised, e.tensor(high, dtype)], results[0])


def _wide(e, x):
    """Half precision as float32, which more operators are there for."""
    return e.cast(x, _core.float32) if x.dtype in (_core.float16, _core.bfloat16) else x


def isfinite(e, results, x):
    if not x.dtype.is_floating_point:
        return e.expand(e.tensor(True, _core.bool_), x.shape)
    odd = e.call(
        "Or", [e.call("IsNaN", [x], results[0]), e.call("IsInf", [_wide(e, x)], results[0])], results[0]
    )
    return e.unary("Not", odd)


def infinite(positive, negative):
    """Returns whether elements are infinite, of one sign or of either."""

    def lower(e, results, x):
        if not x.dtype.is_floating_point:
            return e.expand(e.tensor(False, _core.bool_), x.shape)
        return e.call("IsInf", [_wide(e, x)], results[0], detect_positive=positive, detect_negative=negative)

    return lower


def isnan(e, results, x):
    if not x.dtype.is_floating_point:
        return e.expand(e.tensor(False, _core.bool_), x.shape)
    return e.call("IsNaN", [x], results[0])


def with_alpha(op_type):
    """An activation with its slope below zero as a number."""

    def lower(e, results, x, alpha):
        if not isinstance(alpha, (int, float)):
            return None
        return e.call(op_type, [e.cast(x, results[0][0])], results[0], alpha=float(alpha))

    return lower


def shrink(bias_of):
    """Zero around zero."""

    def lower(e, results, x, lambd=0.5):
        if not isinstance(lambd, (int, float)):
            return None
        return e.call(
            "Shrink", [e.cast(x, results[0][0])], results[0], lambd=float(lambd), bias=bias_of(float(lambd))
        )

    return lower


def threshold(e, results, x, thr, value):
    dtype, shape = results[0]
    above = e.call("Greater", [e.cast(x, dtype), e.tensor(thr, dtype)], (_core.bool_, shape))
    return e.where(above, x, e.tensor(value, dtype), results[0])


def _sigmoid_slope(e, gradient, output):
    rest = e.binary("Sub", 1.0, output)
    return e.binary("Mul", gradient, e.binary("Mul", output, rest))


def _sinc(e, x):
    turned = _scale(e, x, math.pi)
    zero = e.binary("Equal", x, 0.0, (_core.bool_, x.shape))
    return e.where(
        zero, e.tensor(1.0, x.dtype), e.binary("Div", e.unary("Sin", turned), turned), (x.dtype, x.shape)
    )


_SAME = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "abs": "Abs", "sign": "Sign",
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "reciprocal": "Reciprocal", "erf": "Erf", "sin": "Sin",
    "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "sigmoid": "Sigmoid", "softsign": "Softsign",
    "hardswish": "HardSwish", "mish": "Mish",
}  # fmt: skip
_COMPARED = {
    "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater", "greater_equal": "GreaterOrEqual",
    "equal": "Equal",
}  # fmt: skip
_WHOLE = {"floor": "Floor", "ceil": "Ceil", "rint": "Round"}
_EITHER = {
    "bitwise_and": ("BitwiseAnd", "And"), "bitwise_or": ("BitwiseOr", "Or"), "bitwise_xor": ("BitwiseXor", "Xor"),
    "bitwise_not": ("BitwiseNot", "Not"), "maximum": ("Max", "Or"), "minimum": ("Min", "And"),
}  # fmt: skip
_TRUTHS = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not"}
_FORMULAS = {
    "square": lambda e, x: e.binary("Mul", x, x),
    "rsqrt": lambda e, x: e.unary("Reciprocal", e.unary("Sqrt", x)),
    "silu": lambda e, x: e.binary("Mul", x, e.unary("Sigmoid", x)),
    "gelu_erf": _gelu_erf,
    "gelu_tanh": _gelu_tanh,
    "logsigmoid": lambda e, x: e.unary("Neg", e.unary("Softplus", e.unary("Neg", x))),
    "squared_difference": lambda e, a, b: (lambda d: e.binary("Mul", d, d))(e.binary("Sub", a, b)),
    "lerp": lambda e, a, b, w: e.binary("Add", a, e.binary("Mul", w, e.binary("Sub", b, a))),
    "exp2": lambda e, x: e.unary("Exp", _scale(e, x, math.log(2))),
    "expm1": _expm1,
    "log1p": _log1p,
    "frac": lambda e, x: e.binary("Sub", x, _truncated(e, x)),
    "hypot": _hypot,
    "sigmoid_grad": _sigmoid_slope,
    "tanh_grad": lambda e, g, y: e.binary("Mul", g, e.binary("Sub", 1.0, e.binary("Mul", y, y))),
    "sinc": _sinc,
}

LOWERINGS = {
    **{name: plain(op_type) for name, op_type in _SAME.items()},
    **{name: compared(op_type) for name, op_type in _COMPARED.items()},
    **{name: whole_already(plain(op_type)) for name, op_type in _WHOLE.items()},
    **{name: of_numbers_or_truths(*names) for name, names in _EITHER.items()},
    **{name: of_truths(op_type) for name, op_type in _TRUTHS.items()},
    **{name: formula(compute) for name, compute in _FORMULAS.items()},
    "log2": _log_base(2),
    "log10": _log_base(10),
    "add_scaled": add_scaled("Add"),
    "sub_scaled": add_scaled("Sub"),
    "not_equal": negated("Equal"),
    "isnan": isnan,
    "isinf": infinite(1, 1),
    "isposinf": infinite(1, 0),
    "isneginf": infinite(0, 1),
    "isfinite": isfinite,
    "softplus": softplus,
    "floor_divide": floor_divide,
    "truncate_div": truncate_div,
    "remainder": remainder,
    "fmod": fmod,
    "where": where,
    "clamp_between": clamp_between,
    "leaky_relu": with_alpha("LeakyRelu"),
    "elu": with_alpha("Elu"),
    "celu": formula(_celu),
    "neg": negative,
    "relu": rectified,
    "power": through(at_least_32_bits, plain("Pow")),
    "trunc": whole_already(formula(_truncated)),
    "hardsigmoid": lambda e, results, x: e.unary(
        "HardSigmoid", e.cast(x, results[0][0]), alpha=1 / 6, beta=0.5
    ),
    "hardshrink": shrink(lambda lambd: 0.0),
    "softshrink": shrink(lambda lambd: lambd),
    "threshold": threshold,
}
