"""`mindspore._c_expression`: what programs take from below the framework: tensors, dtypes, the bytecode capture."""

from dyad._core import Tensor
from dyad._src.jit.bytecode_options import update_pijit_default_config
from dyad._src.jit.code_extra import get_code_extra
from dyad._src.jit.direct_capture import (
    function_id,
    jit_mode_pi_compile,
    jit_mode_pi_disable,
    jit_mode_pi_enable,
)
from dyad.common import dtype as typing
from dyad.common._seeded_draws import _random_normal as _random_normal
from dyad.common._seeded_draws import _random_uniform as _random_uniform
from dyad.common._seeded_draws import _truncated_normal as _truncated_normal

TensorPy = Tensor

__all__ = [
    "Tensor",
    "TensorPy",
    "function_id",
    "get_code_extra",
    "jit_mode_pi_compile",
    "jit_mode_pi_disable",
    "jit_mode_pi_enable",
    "typing",
    "update_pijit_default_config",
]
