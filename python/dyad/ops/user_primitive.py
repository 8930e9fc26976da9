"""For Primitives that programs define themselves."""

import functools
import inspect

from dyad._src.primitive import Primitive

__all__ = ["prim_attr_register"]


def prim_attr_register(fn):
    """Decorates `__init__` of a Primitive: it notes the constructor's arguments as attributes of the operator."""

    @functools.wraps(fn)
    def initialise(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        return fn(self, *args, **kwargs)

    return initialise
