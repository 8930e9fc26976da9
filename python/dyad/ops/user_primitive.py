"""For Primitives that programs define themselves."""

import functools
import inspect

from dyad._src.primitive.primitive import Primitive

__all__ = ["PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]


def prim_attr_register(fn):
    """Decorates `__init__` of a Primitive: it notes the constructor's arguments as attributes of the operator.

    Example:
        >>> from dyad import ops
        >>> class Scaled(ops.Primitive):
        ...     @ops.prim_attr_register
        ...     def __init__(self, factor):
        ...         pass
        ...
        >>> Scaled(2).attrs
        {'factor': 2}
    """

    @functools.wraps(fn)
    def initialise(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        return fn(self, *args, **kwargs)

    return initialise


prim_arg_register = prim_attr_register


class PrimitiveWithInfer(Primitive):
    """Base of operators that a program writes with `__call__`, and with `bprop` or `get_bprop` for their gradient.

    `infer_shape` and `infer_dtype` need not be there: shapes and dtypes follow from what `__call__` computes.

    Example:
        >>> from dyad import Tensor, ops
        >>> class Double(ops.PrimitiveWithInfer):
        ...     def __call__(self, x):
        ...         return 2 * x
        ...
        >>> print(Double("Double")(Tensor([1.0])))
        [2.]
    """

    def __init_subclass__(cls, **options):
        if "get_bprop" in vars(cls) and "bprop" not in vars(cls):
            cls.bprop = _bprop_of_getter
        super().__init_subclass__(**options)


def _bprop_of_getter(self, *args):
    return self.get_bprop()(*args)


PrimitiveWithCheck = PrimitiveWithInfer


def _primexpr(fn=None, get_instance=True, name=None, reuse_result=True):
    """Decorates a function of known values for use in graphs; it is one that is captured like any other."""
    return (lambda fn: fn) if fn is None else fn


def _run_op(obj, op_name, args):
    """What the operator gives for the arguments, a tuple."""
    return obj(*args)
