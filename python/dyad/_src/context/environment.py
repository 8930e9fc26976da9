"""Switches of the static graph that are set outside the program. Each is read when it is needed, so that a program
may set it for itself.
"""

import contextlib
import os

from dyad._src.context.keys import COMPATIBLE, LAX, STRICT
from dyad._src.context.settings import settings

_SYNTAX_LEVELS = {str(level): level for level in (STRICT, COMPATIBLE, LAX)}


def jit_is_off():
    """`MS_JIT=0`: nothing is compiled, every program runs as a dynamic graph."""
    return os.environ.get("MS_JIT") == "0"


@contextlib.contextmanager
def without_graphs():
    """Nothing is compiled inside: `MS_JIT` is 0 for that long."""
    before = os.environ.get("MS_JIT")
    os.environ["MS_JIT"] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["MS_JIT"]
        else:
            os.environ["MS_JIT"] = before


def syntax_level(chosen):
    """The level to compile with: `MS_DEV_JIT_SYNTAX_LEVEL` wins over what the program chose."""
    text = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
    if text is None:
        return chosen
    if text not in _SYNTAX_LEVELS:
        raise RuntimeError(f"MS_DEV_JIT_SYNTAX_LEVEL is {text!r}; need 0 (strict), 1 or 2 (lax)")
    return _SYNTAX_LEVELS[text]


def jit_level(chosen):
    """The level to compile with: the program's choice, else that of `set_context`."""
    return chosen or settings.read("jit_config").get("jit_level", "")


def precompile_only():
    """Returns whether calls compile and return None without running."""
    return settings.read("precompile_only") or os.environ.get("MS_DEV_PRECOMPILE_ONLY") == "1"


def shows_progress():
    """`MS_JIT_DISPLAY_PROGRESS=1`, or `VLOG_v` with level 1: each compilation is announced on standard error."""
    if os.environ.get("MS_JIT_DISPLAY_PROGRESS") == "1":
        return True
    given = os.environ.get("VLOG_v", "")  # noqa: SIM112, a level, or the first and the last of several
    parts = given.strip("()").split(",")
    levels = [int(part) for part in parts if part.strip().isdecimal()]
    return bool(levels) and levels[0] <= 1 <= levels[-1]


def shows_host_code():
    """`MS_DEV_FALLBACK_DUMP_NODE=1`: each statement that is left to Python is announced on standard error."""
    return os.environ.get("MS_DEV_FALLBACK_DUMP_NODE") == "1"


def bytecode_logs():
    """The words of `MS_JIT_BYTECODE_LOGS`, a comma-separated list of the logs of bytecode capture on standard error."""
    words = os.environ.get("MS_JIT_BYTECODE_LOGS", "").split(",")
    return frozenset(word.strip() for word in words if word.strip())


def dump_level():
    """Amount of graphs that is written to files, 0 (nothing) to 3."""
    text = os.environ.get("MS_DEV_SAVE_GRAPHS")
    if text is None:
        return settings.read("save_graphs")
    if text not in ("0", "1", "2", "3"):
        raise RuntimeError(f"MS_DEV_SAVE_GRAPHS is {text!r}; need a number from 0 to 3")
    return int(text)


def dumped_stages():
    """The words of `MS_DEV_DUMP_IR_PASSES`, a comma list: only files with one of them in their name are written."""
    words = os.environ.get("MS_DEV_DUMP_IR_PASSES", "").split(",")
    return tuple(word.strip() for word in words if word.strip())


def dump_folder():
    """The directory of graph dumps, which is created."""
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH") or settings.read("save_graphs_path")
    os.makedirs(folder, exist_ok=True)
    return folder


def profiles_the_program():
    """Returns whether MS_PROFILER_OPTIONS requests a profile of the whole program."""
    return bool(os.environ.get("MS_PROFILER_OPTIONS"))
