"""Which code is captured, which is simply called, and which may not be called while a graph is captured."""

import sys
import sysconfig

_LIBRARY = sysconfig.get_paths()["stdlib"]
_SITE = (sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"])

# Parts of the framework that are programs like the user's: their functions are captured, their attributes guarded.
_CAPTURED_PARTS = (
    "dyad.nn",
    "dyad.experimental.optim",
    "dyad.mint.nn",
    "dyad.mint.optim",
    "dyad._src.optimizer_cell",
    "dyad._src.cell.hooks",
    "dyad.ops.composite",
)

# Each call gives another value: a graph that kept the first one would be wrong.
_IMPURE_MODULES = frozenset(
    (
        "random",
        "time",
        "datetime",
        "uuid",
        "secrets",
        "os",
        "io",
        "socket",
        "subprocess",
        "threading",
        "tempfile",
    )
)


def module_of(value):
    """The name of the module a function or class comes from; empty if it does not say."""
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


def is_framework_module(name):
    """Whether a module is the framework's; a class whose instances name their modules is one of its core."""
    return not isinstance(name, str) or name == "dyad" or name.startswith("dyad.")


def is_captured_part(name):
    return isinstance(name, str) and any(
        name == part or name.startswith(part + ".") for part in _CAPTURED_PARTS
    )


def is_trusted_module(name):
    """Whether the module's names are taken as they are, without a guard."""
    if is_framework_module(name):
        return True
    module = sys.modules.get(name)
    return module is not None and is_library_file(getattr(module, "__file__", None), name)


def is_library_file(filename, name=""):
    """Whether the file belongs to Python itself or to an installed package."""
    if name in sys.builtin_module_names:
        return True
    if not filename or filename.startswith("<"):
        return False
    return filename.startswith(_SITE) or (filename.startswith(_LIBRARY) and "site-packages" not in filename)


def is_impure(function):
    """Whether calling the function again may give something else, or leaves something behind."""
    module = module_of(function)
    owner = getattr(function, "__self__", None)
    if owner is not None and not module:
        module = (
            getattr(owner, "__name__", "") if type(owner).__name__ == "module" else type(owner).__module__
        )
    if module.split(".")[0] in _IMPURE_MODULES:
        return True
    return module.startswith("numpy.random") or function in (open, input)
