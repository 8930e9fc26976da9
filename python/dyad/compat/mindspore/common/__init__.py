"""`dyad.common`: the module paths programs import tensors, element types, Parameters and initializers from."""

from dyad import dtype
from dyad import sparse as sparse_tensor
from dyad._src.autodiff.function import Function as _Function
from dyad._src.autodiff.recompute import recompute
from dyad.compat.mindspore.common import _stub_tensor, api, parameter
from dyad.compat.mindspore.common.api import JitConfig, _no_grad, jit, jit_class, mutable
from dyad.compat.mindspore.common.parameter import Parameter, ParameterTuple
from dyad.compat.mindspore.common.seed import get_seed, seed, set_seed
from dyad.compat.mindspore.common.tensor import Tensor, tensor
from dyad.dtype import *  # noqa: F403
from dyad.nn import initializer
from dyad.sparse import COOTensor, CSRTensor, RowTensor

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
