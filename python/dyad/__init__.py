"""Dyad: a deep-learning framework in which one program has two forms, a dynamic and a static graph."""

import sys
import typing as _typing

from dyad import _core, dtype, nn, ops, runtime
from dyad._src.autodiff import transformed
from dyad._src.autodiff.custom import custom_vjp
from dyad._src.autodiff.forward import jvp
from dyad._src.autodiff.function import Function
from dyad._src.autodiff.gradients import get_grad, grad, value_and_grad
from dyad._src.autodiff.jacobians import jacfwd, jacrev
from dyad._src.autodiff.recompute import recompute
from dyad._src.autodiff.recording import enable_grad, no_grad
from dyad._src.autodiff.vector_products import vjp
from dyad._src.autodiff.vmap import vmap
from dyad._src.base import compat_finder, error_owner, missing
from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint
from dyad._src.context import environment
from dyad._src.context.keys import COMPATIBLE, GRAPH_MODE, LAX, PYNATIVE_MODE, STRICT
from dyad._src.context.parallel_settings import (
    ParallelMode,
    get_auto_parallel_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_ps_context,
)
from dyad._src.context.settings import (
    DeviceCtx,
    get_context,
    get_current_device,
    set_context,
    set_deterministic,
    set_device,
    set_recursion_limit,
)
from dyad._src.context.sharding import Layout, shard
from dyad._src.interchange.graph_files import export, load
from dyad._src.jit.api.jit import jit
from dyad._src.jit.api.markers import jit_class, jit_ignore, lazy_inline, no_inline
from dyad._src.jit.api.sections import jit_begin, jit_end
from dyad._src.jit.api.transform_compiler import compiled_transform
from dyad._src.jit.cache.compile_cache import clear_compile_cache
from dyad._src.jit.dynamic_shapes.enable_dynamic import enable_dynamic
from dyad._src.jit.dynamic_shapes.size_marks import mark_dynamic, mark_static
from dyad._src.jit.dynamic_shapes.symbol import Symbol
from dyad._src.jit.options.config import JitConfig
from dyad._src.observe.explain.inspection import explain, ir
from dyad._src.observe.profile.profile import profile
from dyad._src.observe.self_check import run_check
from dyad._src.observe.summary import summary
from dyad._src.tensor.dlpack import from_dlpack, to_dlpack
from dyad._src.tensor.generator import Generator, default_generator
from dyad._src.tensor.mutable import mutable
from dyad._src.tensor.parameter import Parameter, ParameterTuple
from dyad._src.tensor.random import (
    get_rng_state,
    get_seed,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    set_seed,
)
from dyad._src.tensor.tensor import Tensor, from_numpy, frombuffer, is_tensor, tensor
from dyad.dtype import *  # noqa: F403
from dyad.ops import constexpr
from dyad.runtime import synchronize
from dyad.sparse import COOTensor, CSRTensor, RowTensor

__version__ = _core.__version__

# What programs written for MindSpore call them.
ms_function, ms_class = jit, jit_class
_Function = Function
_no_grad = no_grad
# Element types under the names of Python's own types. They are not listed, so that `import *` leaves those alone.
bool, int, float = dtype.bool_, dtype.int32, dtype.float32

__all__ = [
    "COMPATIBLE",
    "COOTensor",
    "CSRTensor",
    "DeviceCtx",
    "Function",
    "GRAPH_MODE",
    "Generator",
    "JitConfig",
    "LAX",
    "Layout",
    "PYNATIVE_MODE",
    "ParallelMode",
    "Parameter",
    "ParameterTuple",
    "RowTensor",
    "STRICT",
    "Symbol",
    "Tensor",
    "amp",  # noqa: F405
    "boost",  # noqa: F405
    "clear_compile_cache",
    "common",  # noqa: F405
    "communication",  # noqa: F405
    "constexpr",
    "context",  # noqa: F405
    "custom_vjp",
    "dataset",  # noqa: F405
    "default_generator",
    "dtype",
    "enable_dynamic",
    "enable_grad",
    "experimental",  # noqa: F405
    "explain",
    "export",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_grad",
    "get_ps_context",
    "get_rng_state",
    "get_seed",
    "grad",
    "hal",  # noqa: F405
    "initial_seed",
    "install_as_mindspore",  # noqa: F405 - found when it is asked for
    "ir",
    "is_tensor",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_begin",
    "jit_class",
    "jit_end",
    "jit_ignore",
    "jvp",
    "lazy_inline",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "log",  # noqa: F405
    "manual_seed",
    "mark_dynamic",
    "mark_static",
    "mindrecord",  # noqa: F405
    "mint",  # noqa: F405 - imported when it is first asked for
    "mutable",
    "nn",
    "no_grad",
    "no_inline",
    "numpy",  # noqa: F405 - imported when it is first asked for
    "ops",
    "parallel",  # noqa: F405
    "profile",
    "profiler",  # noqa: F405
    "recompute",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "rewrite",  # noqa: F405
    "run_check",
    "runtime",
    "save_checkpoint",
    "scipy",  # noqa: F405
    "seed",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_ps_context",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "shard",
    "summary",
    "synchronize",
    "tensor",
    "to_dlpack",
    "train",  # noqa: F405
    "utils",  # noqa: F405
    "value_and_grad",
    "vjp",
    "vmap",
    *dtype.__all__,
]

transformed.install(compiled_transform)
error_owner.install(__all__)
missing.search_in(
    "dyad",
    "dyad.nn",
    "dyad.ops",
    "dyad.mint",
    "dyad.numpy",
    "dyad.train",
    "dyad.amp",
    "dyad.nn.initializer",
)
compat_finder.install()

if environment.profiles_the_program():
    sys.modules[__name__].EnvProfiler.init_profiler()

if _typing.TYPE_CHECKING:
    # More names are found when they are asked for: see `_src/base/compat_finder.py`.
    def __getattr__(name): ...
