"""`mindspore.common.jit_begin_end`: sections, under the names that programs import."""

from dyad._src.jit.api.sections import jit_begin, jit_end

_jit_begin = jit_begin
_jit_end = jit_end

__all__ = ["_jit_begin", "_jit_end"]
