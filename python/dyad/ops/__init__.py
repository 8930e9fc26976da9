"""Operators as functions (`ops.relu(x)`) and as Primitive classes (`ops.ReLU()(x)`).

Both come from the operator table; there is no second list of them here.
"""

import sys

from dyad._core import Tensor as Tensor  # packages write ops.Tensor
from dyad._src.base.lazy_import import load
from dyad._src.operators import functions as _functions
from dyad._src.primitive.primitive import Primitive as Primitive
from dyad._src.primitive.primitive import find_operators_with, make_primitives
from dyad.ops import composite
from dyad.ops.custom import _primexpr as _primexpr
from dyad.ops.custom import _run_op as _run_op
from dyad.ops.custom import prim_arg_register as prim_arg_register

# What is written in Python: all that these modules list is found here.
_MODULES = (
    "arrays",
    "attention",
    "bessel",
    "collectives",
    "composite",
    "custom",
    "fourier",
    "images",
    "introspection",
    "linear_algebra",
    "numerics",
    "pooling",
    "recurrent",
    "replay_buffers",
    "sampling",
    "sparse.arithmetic",
    "sparse.coordinates",
    "sparse.functions",
    "sparse.ragged",
    "sparse.rows",
    "sparse.sets",
    "summary",
    "transforms",
)
_written = {
    name: getattr(module, name)
    for module in (load(f"dyad.ops.{path}") for path in _MODULES)
    for name in module.__all__
}
_found_here = _written | _functions | make_primitives() | {"Primitive": Primitive}
globals().update(_found_here)
composite.add_operators(_found_here)
# The storey adds the older names of MindSpore, and lists all of them as `__all__`.
_listed = sorted(_found_here)


def _by_name(name: str):
    """The function of that name; what a pickled operator is loaded by."""
    return _functions[name]


def _primitive_class(name: str):
    """The Primitive class of that name, among MindSpore's older ones as well; None if there is none."""
    found = getattr(sys.modules[__name__].auto_generate, name, None)
    return found if isinstance(found, type) else None


find_operators_with(_primitive_class)
