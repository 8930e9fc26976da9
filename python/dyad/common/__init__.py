"""`dyad.common`: the module paths programs import tensors, element types, Parameters and initialisers from."""

from dyad._src.autodiff.function import Function as _Function
from dyad._src.autodiff.recompute import recompute
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
