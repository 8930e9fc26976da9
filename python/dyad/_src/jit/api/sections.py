"""`jit_begin` and `jit_end` around a section of a program, which may begin in one function and end in another."""

import contextvars
import sys

from dyad import _core
from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect

_open: contextvars.ContextVar[str | None] = contextvars.ContextVar("open_section", default=None)


@host_only
def jit_begin(block_name: str, *args) -> None:
    """Begins the section `block_name`, which computes from `args`; `jit_end` ends it.

    Python runs its statements in every call, so operators run where they stand. A section inside a section, or inside
    of a function that is traced, is a RuntimeError, which ends the one that was open.
    """
    if not isinstance(block_name, str):
        raise TypeError(
            f"jit_begin: block_name is {block_name!r} of type {type(block_name).__name__}; need a str"
        )
    if _core.current_graph() is not None:
        raise RuntimeError(
            f"jit_begin: section {block_name!r} begins inside of a function that is traced; take one of them away"
        )
    before = _open.get()
    if before is not None:
        _open.set(None)
        raise RuntimeError(
            f"jit_begin: section {block_name!r} begins before section {before} has ended; call jit_end first"
        )
    caller = sys._getframe(1)
    say_no_effect("mindspore.common.jit_begin_end._jit_begin", "jit_begin")
    _open.set(f"{block_name!r} ({caller.f_code.co_filename}:{caller.f_lineno})")


@host_only
def jit_end(*outs):
    """Ends the section that `jit_begin` began and gives its results: one as it is, several as a tuple, else None."""
    if _open.get() is None:
        raise RuntimeError("jit_end: no section is open; call jit_begin first")
    _open.set(None)
    if len(outs) == 1:
        return outs[0]
    return outs or None
