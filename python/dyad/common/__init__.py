"""`dyad.common`: the module paths programs import tensors, element types, Parameters and initialisers from."""

from dyad._src.autodiff.function import Function as _Function
from dyad._src.autodiff.recompute import recompute
from dyad._src.base.missing import missing_attribute
from dyad.common import _stub_tensor, api, dtype, initializer, parameter, sparse_tensor
from dyad.common.api import JitConfig, _no_grad, jit, jit_class, mutable
from dyad.common.dtype import *  # noqa: F403
from dyad.common.parameter import Parameter, ParameterTuple
from dyad.common.seed import get_seed, seed, set_seed
from dyad.common.sparse_tensor import COOTensor, CSRTensor, RowTensor
from dyad.common.tensor import Tensor, tensor

__all__ = [
    "COOTensor",
    "CSRTensor",
    "JitConfig",
    "Parameter",
    "ParameterTuple",
    "RowTensor",
    "Tensor",
    "_Function",
    "_no_grad",
    "_stub_tensor",
    "api",
    "dtype",
    "get_seed",
    "initializer",
    "jit",
    "jit_class",
    "mutable",
    "parameter",
    "recompute",
    "seed",
    "set_seed",
    "sparse_tensor",
    "tensor",
    *dtype.__all__,
]

# What the package itself has, above this module, and programs take from here as well.
_ABOVE = frozenset(
    [
        "DeviceCtx",
        "SparseTensor",
        "Generator",
        "Symbol",
        "default_generator",
        "enable_dynamic",
        "flops_collection",
        "from_numpy",
        "frombuffer",
        "get_rng_state",
        "initial_seed",
        "is_tensor",
        "lazy_inline",
        "load_mindir",
        "manual_seed",
        "mindio_preload",
        "ms_memory_recycle",
        "no_inline",
        "save_mindir",
        "set_dump",
        "set_mindio_server_info",
        "set_recursion_limit",
        "set_rng_state",
        "swap_tensors",
    ]
)
_package = None


def look_up_in(package):
    """Says where the names are that this module shows and that lie above it."""
    global _package
    _package = package


def __getattr__(name):
    if name in _ABOVE and _package is not None:
        return getattr(_package, name)
    raise missing_attribute(__name__, name, __all__)
