"""`mindspore._c_expression`: what programs ask the bytecode capture directly."""

from dyad._src.jit.bytecode_options import update_pijit_default_config
from dyad._src.jit.code_extra import get_code_extra
from dyad._src.jit.direct_capture import (
    function_id,
    jit_mode_pi_compile,
    jit_mode_pi_disable,
    jit_mode_pi_enable,
)

__all__ = [
    "function_id",
    "get_code_extra",
    "jit_mode_pi_compile",
    "jit_mode_pi_disable",
    "jit_mode_pi_enable",
    "update_pijit_default_config",
]
