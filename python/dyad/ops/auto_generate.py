"""`dyad.ops.auto_generate`: every operator as a function, as a Primitive class and as the object `*_op`.

`operator_spellings` says by which rules. A name is made when it is first asked for, and stays the same object.
"""

from dyad import COOTensor, CSRTensor, Parameter, ops  # noqa: F401
from dyad._core import Tensor as Tensor_  # noqa: F401
from dyad._src.deprecation import deprecated  # noqa: F401
from dyad._src.missing import missing_attribute
from dyad.ops import operator_spellings

# Paths below this module lead to the same names.
__path__: list[str] = []
__all__ = vars(ops)["__all__"]

of_this_spelling = operator_spellings.of_this_spelling


def __getattr__(name):
    if name.startswith("__"):
        raise missing_attribute(__name__, name, ())
    value = operator_spellings.find(name)
    if value is None:
        return getattr(ops, name)  # a module of it, or its error with the nearest name
    return globals().setdefault(name, value)


def __dir__():
    return sorted({*globals(), *operator_spellings.names()})
