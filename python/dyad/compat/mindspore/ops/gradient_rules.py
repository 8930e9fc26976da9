"""Builds gradient operators from operators: the operator is run and differentiated by its own rule."""

from typing import Any

from dyad import _core, ops
from dyad._src.autodiff.vector_products import vjp
from dyad._src.primitive.primitive import Primitive


def shaped_as(gradient, output):
    """The gradient in the output's shape: one number may come as (1,), and dimensions of size 1 may be left out."""
    if gradient.ndim == output.ndim or gradient.size != output.size:
        return gradient
    return gradient.reshape(output.shape)


def along(function, shape, dy):
    """Gradient of a function that is linear in a Tensor of this shape."""
    if dy.dtype == _core.bool_:
        # An element is moved, and bools have no gradient.
        return along(function, shape, dy.astype(_core.uint8)).astype(_core.bool_)
    output, product = vjp(function, ops.zeros(tuple(shape), dy.dtype))
    if dy.size != output.size:
        raise RuntimeError(
            f"the gradient has shape {dy.shape}; the result it is for has shape {output.shape}"
        )
    return product(shaped_as(dy, output))[0]


class Rule:
    """Function to differentiate, and the order of the arguments: inputs, `y` for the result, `dy` its gradient.

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
        gradients = product(shaped_as(gradient, output))
        return gradients[0] if len(gradients) == 1 else gradients


def _defaults_of(function):
    """The positional parameters of a function in Python that may be left out, with what they are then."""
    defaults = getattr(function, "__defaults__", None) or ()
    code: Any = getattr(function, "__code__", None)
    if not defaults:
        return {}
    names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return dict(zip(names, defaults, strict=True))


class Adjoint:
    """A gradient that the operator's inputs do not enter, as a function of the arguments.

    `check(name, settings)`, if there is one, refuses settings when the operator is made.
    """

    def __init__(self, function, *, check=None, **settings):
        self.function = function
        self.check = check
        self.settings = settings
        code = getattr(function, "__code__", None)
        given = code.co_varnames[: code.co_argcount] if code else ()
        self.order = [argument for argument in given if argument not in settings]
        self.defaults = _defaults_of(function)
        self.optional = len([argument for argument in self.order if argument in self.defaults])

    def __call__(self, name, args, settings):
        most = len(self.order)
        if self.order and not most - self.optional <= len(args) <= most:
            raise TypeError(
                f"{name}: {len(args)} arguments were given; need {most} ({', '.join(self.order)})"
            )
        return self.function(*args, **settings)


class SecondRule:
    """The gradient of a gradient of a piecewise linear operator of two Tensors: x1, x2 and the gradients for them."""

    order = ("x1", "x2", "dx1", "dx2")

    def __init__(self, operator, **settings):
        self.operator = operator
        self.settings = settings

    def __call__(self, name, args, settings):
        if len(args) != len(self.order):
            raise TypeError(f"{name}: {len(args)} arguments were given; need 4 ({', '.join(self.order)})")
        x1, x2, dx1, dx2 = args
        output, product = vjp(lambda a, b: self.operator(a, b, **settings), x1, x2)
        # The product with the Jacobian from the right: that from the left is linear, and transposed it is this.
        _, transposed = vjp(product, ops.zeros_like(output))
        (tangent,) = transposed((dx1, dx2))
        return ops.zeros_like(x1), ops.zeros_like(x2), tangent


def _in_order(name, rule, args, named):
    """The arguments in their order, those given by name as well; one that may be left out has its default then."""
    if not named:
        return args
    order = [argument.removeprefix("_") for argument in rule.order]
    unknown = [key for key in named if key not in order[len(args) :]]
    if unknown:
        raise TypeError(
            f"{name}: {unknown[0]!r} is not an argument that is left to give; it takes {', '.join(order)}"
        )
    last = max(order.index(key) for key in named)
    defaults = getattr(rule, "defaults", {})
    missing = [key for key in order[len(args) : last + 1] if key not in named and key not in defaults]
    if missing:
        raise TypeError(f"{name}: {missing[0]!r} is missing; it takes {', '.join(order)}")
    return (*args, *[named.get(key, defaults.get(key)) for key in order[len(args) : last + 1]])


def make(name, rule):
    """The Primitive class of a gradient, whose constructor takes the settings of the rule."""
    names = tuple(rule.settings)

    def __init__(self, *args, **kwargs):
        if len(args) > len(names) or kwargs.keys() - set(names[len(args) :]):
            accepted = ", ".join(names) or "nothing"
            raise TypeError(f"{name}: the constructor is given {(*args, *kwargs)}; it takes {accepted}")
        Primitive.__init__(self, name)
        self._settings = {**rule.settings, **dict(zip(names, args, strict=False)), **kwargs}
        if getattr(rule, "check", None):
            rule.check(name, self._settings)

    def __call__(self, *args, **kwargs):
        return rule(name, _in_order(name, rule, args, kwargs), self._settings)

    members = {
        "__init__": __init__,
        "__call__": __call__,
        "__module__": "dyad.ops.gradient_operators",
        "_parameters": names,
        "_inputs": len(rule.order),
    }
    return type(
        name,
        (Primitive,),
        {**members, "__doc__": f"The gradient that {name.removesuffix('Grad')} passes on to its inputs."},
    )
