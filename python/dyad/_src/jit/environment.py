"""Switches of the static graph that are set outside the program. Each is read when it is needed, so that a program
may set it for itself.
"""

import os
import sys

from dyad._src.context import settings
from dyad._src.context_keys import COMPATIBLE, LAX, STRICT

_SYNTAX_LEVELS = {str(level): level for level in (STRICT, COMPATIBLE, LAX)}


def jit_is_off():
    """`MS_JIT=0`: nothing is compiled, every program runs as a dynamic graph."""
    return os.environ.get("MS_JIT") == "0"


def syntax_level(chosen):
    """The level to compile with: `MS_DEV_JIT_SYNTAX_LEVEL` wins over what the program chose."""
    text = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
    if text is None:
        return chosen
    if text not in _SYNTAX_LEVELS:
        raise RuntimeError(f"MS_DEV_JIT_SYNTAX_LEVEL is {text!r}; need 0 (strict), 1 or 2 (lax)")
    return _SYNTAX_LEVELS[text]


def precompile_only():
    """Whether calls compile and return None without running."""
    return settings.read("precompile_only") or os.environ.get("MS_DEV_PRECOMPILE_ONLY") == "1"


def shows_progress():
    """Whether each compilation is announced on standard error."""
    return os.environ.get("MS_JIT_DISPLAY_PROGRESS") == "1"


def dump_level():
    """How much of the graphs is written to files, 0 (nothing) to 3."""
    text = os.environ.get("MS_DEV_SAVE_GRAPHS")
    if text is None:
        return settings.read("save_graphs")
    if text not in ("0", "1", "2", "3"):
        raise RuntimeError(f"MS_DEV_SAVE_GRAPHS is {text!r}; need a number from 0 to 3")
    return int(text)


def dump_folder():
    """Where graphs are written; the folder exists afterwards."""
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH") or settings.read("save_graphs_path")
    os.makedirs(folder, exist_ok=True)
    return folder


def _packages(variable):
    return {name.strip() for name in os.environ.get(variable, "").split(",") if name.strip()}


# Installed packages that are never part of a graph. What is installed otherwise is the user's own code.
_LIBRARIES = frozenset(
    (
        "cv2",
        "h5py",
        "matplotlib",
        "numpy",
        "onnx",
        "pandas",
        "PIL",
        "pytest",
        "requests",
        "safetensors",
        "scipy",
        "setuptools",
        "sklearn",
        "sympy",
        "tokenizers",
        "torch",
        "tqdm",
        "transformers",
        "yaml",
    )
)


def is_third_party(module_name):
    """Whether code of this module is left to the Python interpreter instead of being compiled.

    The package itself, modules in `MS_JIT_MODULES` and modules without a file never are; the standard library, known
    libraries and modules in `MS_JIT_IGNORE_MODULES` are. A package that both lists name is left out.
    """
    package = module_name.partition(".")[0]
    if package in _packages("MS_JIT_IGNORE_MODULES"):
        return True
    if package == "dyad" or package in _packages("MS_JIT_MODULES") or package == "__main__":
        return False
    if package in sys.stdlib_module_names or package in sys.builtin_module_names:
        return True
    module = sys.modules.get(module_name)
    return package in _LIBRARIES and getattr(module, "__file__", None) is not None
