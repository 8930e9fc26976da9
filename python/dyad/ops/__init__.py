"""Operators as functions (`ops.relu(x)`) and as Primitive classes (`ops.ReLU()(x)`).

Both come from the operator table; there is no second list of them here.
"""

from dyad._core import Tensor as Tensor  # packages write ops.Tensor
from dyad._src.base.lazy_import import load
from dyad._src.base.missing import missing_attribute
from dyad._src.primitive.primitive import Primitive as Primitive
from dyad._src.primitive.primitive import find_operators_with, make_primitives
from dyad.ops import (
    arrangement,
    attention,
    bessel,
    box_suppression,
    candidate_sampling,
    channel_dropout,
    checks,
    clipping,
    collectives,
    composite,
    contraction,
    custom,
    differentiation,
    embedding_rows,
    flash_attention,
    float_status,
    fourier,
    fractional_windows,
    function_primitives,
    image_windows,
    introspection,
    label_alignment,
    layer_primitives,
    loops,
    morph,
    older_steps,
    packed_recurrent,
    precision,
    ragged,
    random_primitives,
    ranges,
    routing,
    segments,
    sets,
    shifting,
    sparse_arithmetic,
    sparse_coordinates,
    sparse_functions,
    sparse_rows,
    summary,
    table,
    triangular_factors,
    user_primitive,
    varying_results,
    windows,
)
from dyad.ops.arrangement import *  # noqa: F403
from dyad.ops.attention import *  # noqa: F403
from dyad.ops.bessel import *  # noqa: F403
from dyad.ops.box_suppression import *  # noqa: F403
from dyad.ops.candidate_sampling import *  # noqa: F403
from dyad.ops.channel_dropout import *  # noqa: F403
from dyad.ops.checks import *  # noqa: F403
from dyad.ops.clipping import *  # noqa: F403
from dyad.ops.collectives import *  # noqa: F403
from dyad.ops.composite import *  # noqa: F403
from dyad.ops.contraction import *  # noqa: F403
from dyad.ops.custom import *  # noqa: F403
from dyad.ops.differentiation import *  # noqa: F403
from dyad.ops.embedding_rows import *  # noqa: F403
from dyad.ops.flash_attention import *  # noqa: F403
from dyad.ops.float_status import *  # noqa: F403
from dyad.ops.fourier import *  # noqa: F403
from dyad.ops.fractional_windows import *  # noqa: F403
from dyad.ops.function_primitives import *  # noqa: F403
from dyad.ops.gated_sequences import *  # noqa: F403
from dyad.ops.image_windows import *  # noqa: F403
from dyad.ops.introspection import *  # noqa: F403
from dyad.ops.label_alignment import *  # noqa: F403
from dyad.ops.layer_primitives import *  # noqa: F403
from dyad.ops.loops import *  # noqa: F403
from dyad.ops.morph import *  # noqa: F403
from dyad.ops.older_steps import *  # noqa: F403
from dyad.ops.packed_recurrent import *  # noqa: F403
from dyad.ops.precision import *  # noqa: F403
from dyad.ops.ragged import *  # noqa: F403
from dyad.ops.random_primitives import *  # noqa: F403
from dyad.ops.ranges import *  # noqa: F403
from dyad.ops.replay_buffers import *  # noqa: F403
from dyad.ops.routing import *  # noqa: F403
from dyad.ops.segments import *  # noqa: F403
from dyad.ops.sets import *  # noqa: F403
from dyad.ops.shifting import *  # noqa: F403
from dyad.ops.sparse_arithmetic import *  # noqa: F403
from dyad.ops.sparse_coordinates import *  # noqa: F403
from dyad.ops.sparse_functions import *  # noqa: F403
from dyad.ops.sparse_rows import *  # noqa: F403
from dyad.ops.summary import *  # noqa: F403
from dyad.ops.triangular_factors import *  # noqa: F403
from dyad.ops.user_primitive import *  # noqa: F403
from dyad.ops.user_primitive import _primexpr as _primexpr
from dyad.ops.user_primitive import _run_op as _run_op
from dyad.ops.user_primitive import prim_arg_register as prim_arg_register
from dyad.ops.varying_results import *  # noqa: F403
from dyad.ops.windows import *  # noqa: F403

_primitives = make_primitives()
globals().update(table.functions)
globals().update(_primitives)

_modules = (
    attention,
    bessel,
    box_suppression,
    candidate_sampling,
    channel_dropout,
    clipping,
    collectives,
    composite,
    custom,
    differentiation,
    embedding_rows,
    flash_attention,
    float_status,
    fourier,
    fractional_windows,
    function_primitives,
    image_windows,
    introspection,
    label_alignment,
    layer_primitives,
    loops,
    morph,
    older_steps,
    packed_recurrent,
    ragged,
    precision,
    random_primitives,
    varying_results,
    arrangement,
    checks,
    contraction,
    ranges,
    routing,
    segments,
    sets,
    shifting,
    sparse_arithmetic,
    sparse_coordinates,
    sparse_functions,
    sparse_rows,
    summary,
    triangular_factors,
    user_primitive,
    windows,
)
_written = {name for module in _modules for name in module.__all__}
__all__ = sorted({*table.functions, *_primitives, *_written, "Primitive"})
composite.add_operators({name: globals()[name] for name in __all__})

# Modules that programs reach as attributes, also by one letter; imported when they are first asked for.
_MODULE_NAMES = {"C": "composite", "F": "functional", "P": "operations"}
_MODULE_NAMES |= {
    name: name
    for name in (
        "auto_generate",
        "communication",
        "function",
        "functional",
        "manually_defined",
        "operations",
    )
}


def _by_name(name: str):
    """The function of that name; what a pickled operator is loaded by."""
    return table.functions[name]


def _primitive_class(name: str):
    """The Primitive class of that name, among the older ones as well; None if there is none."""
    found = getattr(__getattr__("auto_generate"), name, None)
    return found if isinstance(found, type) else None


find_operators_with(_primitive_class)


def __getattr__(name: str):
    if name in _MODULE_NAMES:
        return load(f"dyad.ops.{_MODULE_NAMES[name]}")
    is_spelling = name and not name.startswith("_")
    found = __getattr__("auto_generate").of_ops(name) if is_spelling else None
    if found is not None:
        return found
    raise missing_attribute(__name__, name, __all__)
