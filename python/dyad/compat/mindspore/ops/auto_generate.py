"""`dyad.ops.auto_generate`: every operator as a function, as a Primitive class and as the object `*_op`.

`operator_spellings` says by which rules. A name is made when it is first asked for, and stays the same object, also in
`dyad.ops`.
"""

from dyad import ops
from dyad._core import Tensor as Tensor_  # noqa: F401
from dyad._src.base.missing import missing_attribute
from dyad.compat.mindspore._src import borrowed_names
from dyad.compat.mindspore._src.deprecation import deprecated  # noqa: F401
from dyad.compat.mindspore.ops import operator_spellings

# Paths below this module lead to the same names.
__path__: list[str] = []
__all__ = vars(ops)["__all__"]

# What programs take from here since the reference imports it.
_BORROWED = ("COOTensor", "CSRTensor", "Parameter")

of_ops = operator_spellings.of_ops


def __getattr__(name):
    if name.startswith("__"):
        raise missing_attribute("dyad.ops.auto_generate", name, ())
    if name in _BORROWED:
        return borrowed_names.find("dyad.ops.auto_generate", name)
    value = operator_spellings.find(name) if name else None
    if value is None:
        return getattr(ops, name)  # a module of it, or its error with the nearest name
    return globals().setdefault(name, value)


def __dir__():
    return sorted({*globals(), *_BORROWED, *operator_spellings.names()})
