"""`mindspore._c_expression`: native members that programs import: tensors, dtypes, the bytecode capture."""

import enum

from dyad import dtype as typing
from dyad._core import Tensor
from dyad._src.base.host_only import host_only
from dyad._src.context.settings import available_device_targets
from dyad._src.jit.api.direct_capture import (
    function_id,
    jit_mode_pi_compile,
    jit_mode_pi_disable,
    jit_mode_pi_enable,
)
from dyad._src.jit.graph_break.bytecode.code_extra import get_code_extra
from dyad._src.jit.options.bytecode_options import update_pijit_default_config
from dyad._src.operators import empty as _empty
from dyad.compat.mindspore.common._seeded_draws import _random_normal as _random_normal
from dyad.compat.mindspore.common._seeded_draws import _random_uniform as _random_uniform
from dyad.compat.mindspore.common._seeded_draws import _truncated_normal as _truncated_normal

TensorPy = Tensor


class CreationType(enum.Enum):
    """Where a view comes from; some may not be written in MindSpore. Here every view may be, and gradients know it."""

    DEFAULT = 0
    NO_GRAD_DEFAULT = 1
    MULTI_OUTPUT = 2
    CUSTOM_BPROP = 3


class MSContext:
    """Queries about the machine, by which packages choose an implementation."""

    @staticmethod
    def get_instance():
        """The one object."""
        return _CONTEXT

    def get_ascend_soc_version(self):
        """The name of the Ascend chip: empty, there is none."""
        return ""

    def is_ascend_plugin_loaded(self):
        """True if there is an Ascend device."""
        return self.is_pkg_support_device("Ascend")

    def is_pkg_support_device(self, device):
        """True if programs can run on a kind of device, named as in `set_device`."""
        return device in available_device_targets()

    def load_plugin_error(self):
        """Why a device could not be loaded: empty, none is loaded as a plugin."""
        return ""


_CONTEXT = MSContext()


class ParamInfo:
    """Metadata of a Parameter; packages with their own Parameters set it."""

    def __init__(self):
        self.name = ""
        self.requires_grad = True
        self.parameter_shape = []
        self.layerwise_parallel = False
        self.parallel_optimizer = True
        self.cache_enable = False
        self.init_in_server = False
        self.requires_aggr = True
        self.comm_fusion = 1

    def clone(self):
        """A copy."""
        copy = ParamInfo()
        copy.__dict__.update(vars(self))
        return copy


def pyboost_empty(arguments):
    """A tensor whose elements are not set, of [size, dtype, device]; the device is the one that programs run on."""
    size, dtype = arguments[:2]
    return _empty(tuple(size), dtype=dtype)


@host_only
def swap_cache(host, device, block_mapping, is_device_to_host):
    """Copies blocks, the rows of the first dimension, from one of two Tensors to the other.

    A row of `block_mapping` is [block it comes from, block it goes to]; `is_device_to_host` says that `device` is the
    one to read.
    """
    source, target = (device, host) if is_device_to_host else (host, device)
    if source.shape[1:] != target.shape[1:]:
        raise ValueError(
            f"swap_cache: blocks of host are {host.shape[1:]} and of device {device.shape[1:]}; need equal shapes"
        )
    if block_mapping.ndim != 2 or block_mapping.shape[1] != 2:
        raise ValueError(f"swap_cache: block_mapping is of shape {block_mapping.shape}; need (blocks, 2)")
    for taken, written in block_mapping.tolist():
        if not (0 <= taken < len(source) and 0 <= written < len(target)):
            raise IndexError(
                f"swap_cache: block_mapping has [{taken}, {written}]; need blocks of {len(source)} and {len(target)}"
            )
        target[written] = source[taken]


def _framework_profiler_step_start():
    """Says that a step begins; `Profiler.step` says so here, and a kernel is recorded whether or not it is said."""


def _framework_profiler_step_end():
    """Says that a step ends."""


__all__ = [
    "CreationType",
    "MSContext",
    "ParamInfo",
    "Tensor",
    "TensorPy",
    "function_id",
    "get_code_extra",
    "jit_mode_pi_compile",
    "jit_mode_pi_disable",
    "jit_mode_pi_enable",
    "pyboost_empty",
    "swap_cache",
    "typing",
    "update_pijit_default_config",
]
