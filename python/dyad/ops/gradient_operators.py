"""Gradients of operators as operators, under the names that programs import from `_grad_ops` and `auto_generate`.

None of them has a formula: the operator is run on its inputs and differentiated by its own rule. An operator that is
given its result instead of its input finds the input by the inverse function.
"""

from dyad import ops
from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.vector_products import vjp
from dyad._src.primitive import Primitive

__all__: list[str] = []


class _Rule:
    """What is differentiated, and in which order the arguments come: inputs, `y` for the result, `dy` its gradient."""

    def __init__(self, operator, order, inverse=None, **settings):
        self.operator = operator
        self.order = order.split()
        self.inverse = inverse
        self.settings = settings

    def __call__(self, name, args, settings):
        if len(args) != len(self.order):
            raise TypeError(
                f"{name}: {len(args)} arguments were given; need {len(self.order)} ({', '.join(self.order)})"
            )
        given = dict(zip(self.order, args, strict=True))
        gradient, result = given.pop("dy"), given.pop("y", None)
        inputs = list(given.values()) or [self.inverse(result)]
        _, product = vjp(lambda *values: self.operator(*values, **settings), *inputs)
        gradients = product(gradient)
        return gradients[0] if len(gradients) == 1 else gradients


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


def _grid_sample(x, grid, interpolation_mode, padding_mode, align_corners):
    return ops.grid_sample(x, grid, interpolation_mode, padding_mode, align_corners)


_SAMPLING = {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
_BOTH = {"grad_x": True, "grad_y": True}
_RULES = {
    "AbsGrad": _Rule(ops.abs, "x dy"),
    "AtanGrad": _Rule(ops.atan, "x dy"),
    "AsinGrad": _Rule(ops.asin, "x dy"),
    "ACosGrad": _Rule(ops.acos, "x dy"),
    "GeLUGrad": _Rule(lambda x: ops.gelu(x, "tanh"), "dy x y"),
    "GridSampler2DGrad": _Rule(_grid_sample, "dy x grid", **_SAMPLING),
    "GridSampler3DGrad": _Rule(_grid_sample, "dy x grid", **_SAMPLING),
    "HShrinkGrad": _Rule(ops.hardshrink, "dy x", lambd=0.5),
    "HSigmoidGrad": _Rule(ops.hardsigmoid, "dy x"),
    "HSwishGrad": _Rule(ops.hardswish, "dy x"),
    "MaximumGrad": _Rule(_of_both(ops.maximum), "x1 x2 dy", **_BOTH),
    "MaximumGradGrad": _SecondRule(_of_both(ops.maximum), **_BOTH),
    "MinimumGradGrad": _SecondRule(_of_both(ops.minimum), **_BOTH),
    "MinimumGrad": _Rule(_of_both(ops.minimum), "x1 x2 dy", **_BOTH),
    "PReLUGrad": _Rule(ops.prelu, "dy x weight"),
    "ReLU6Grad": _Rule(ops.relu6, "dy x"),
    "ReciprocalGrad": _Rule(ops.reciprocal, "y dy", ops.reciprocal),
    "ReluGrad": _Rule(ops.relu, "dy x"),
    "RsqrtGrad": _Rule(ops.rsqrt, "y dy", lambda y: ops.reciprocal(ops.square(y))),
    "SiLUGrad": _Rule(ops.silu, "dy x"),
    "SoftShrinkGrad": _Rule(ops.softshrink, "dy x", lambd=0.5),
    "SqrtGrad": _Rule(ops.sqrt, "y dy", ops.square),
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
