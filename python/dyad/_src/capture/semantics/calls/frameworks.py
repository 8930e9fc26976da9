"""Which code is captured, which is simply called, and which may not be called while a graph is captured."""

import datetime
import pathlib
import sys
import types

from dyad._src.capture.semantics.calls import libraries

# Parts of the framework that are programs like the user's: their functions are captured, their attributes guarded.
_CAPTURED_PARTS = (
    "dyad.nn",
    "dyad.amp",
    "dyad.mint.nn",
    "dyad.mint.optim",
    "dyad.mint.random",
    "dyad._src.cell.optimizer_cell",
    "dyad._src.cell.cell",
    "dyad._src.cell.hooks",
    "dyad._src.tensor.sparse_base",
    "dyad.sparse",
    "dyad.ops.composite",
    "dyad.ops.sparse.functions",
    "dyad.ops.summary",
    "dyad.scipy",
)

# MindSpore's spellings of a part are read like the part.
_STOREY = "dyad.compat.mindspore."

# Modules among these that draw numbers, so that their functions are called.
_CALLED_PARTS = ("dyad.nn.initializer",)

# Classes of Python's library that are read as programs: what they do is plain Python over what they are given.
_CAPTURED_CLASSES = {"contextlib": ("suppress", "nullcontext", "closing")}

_DATES = (datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo)

# Each call gives another value: a graph that kept the first one would be wrong.
_IMPURE_MODULES = frozenset(
    (
        "random",
        "time",
        "datetime",
        "uuid",
        "secrets",
        "os",
        "posix",
        "nt",
        "genericpath",
        "pathlib",
        "glob",
        "shutil",
        "io",
        "_io",
        "logging",
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
    """Returns whether a module is the framework's; a class whose instances name their modules is one of its core."""
    return not isinstance(name, str) or name == "dyad" or name.startswith("dyad.")


def is_captured_part(name):
    if not isinstance(name, str):
        return False
    name = name.replace(_STOREY, "dyad.", 1)
    return name not in _CALLED_PARTS and any(
        name == part or name.startswith(part + ".") for part in _CAPTURED_PARTS
    )


def is_captured_class(module, name):
    """Returns whether a class of Python's library, told by its module and name, is read as a program."""
    return name.split(".")[0] in _CAPTURED_CLASSES.get(module, ())


def is_trusted_module(name):
    """Returns whether the module's names are taken as they are, without a guard."""
    if is_framework_module(name):
        return True
    module = sys.modules.get(name)
    return module is not None and libraries.is_library_file(vars(module).get("__file__"), name)


def is_captured(function):
    """Returns whether the function is read as a program; others are simply called."""
    module = module_of(function)
    if getattr(function, "_not_in_graph", False) or hasattr(function, "_in_graph"):
        return False
    if getattr(function, "_is_program", False):
        return True
    if is_framework_module(module):
        return is_captured_part(module)
    if is_captured_class(module, function.__qualname__):
        return True
    told = libraries.chosen(module)
    return not libraries.is_library_file(function.__code__.co_filename, module) if told is None else told


def is_library_class(cls):
    """Returns whether the class comes from a library, or from a module without Python code to read."""
    name = module_of(cls)
    told = libraries.chosen(name)
    if told is not None:
        return not told
    filename = getattr(sys.modules.get(name), "__file__", None)
    return (
        name == "builtins"
        or libraries.is_library_file(filename, name)
        or libraries.is_compiled_file(filename)
    )


def _is_impure_module(name):
    return name.split(".")[0] in _IMPURE_MODULES or name.startswith("numpy.random")


def _is_pure(function, owner):
    """Returns whether it computes from what it is given: paths and dates are values like any other."""
    if isinstance(function, type):
        return issubclass(function, (pathlib.PurePath, *_DATES))
    if isinstance(owner, pathlib.PurePath):
        return hasattr(pathlib.PurePath, getattr(function, "__name__", ""))
    return isinstance(owner, _DATES)


def is_impure(function):
    """Returns whether calling the function again may give something else, or leaves something behind."""
    owner = getattr(function, "__self__", None)
    if function is open or function is input:
        return True
    if _is_pure(function, owner):
        return False
    if _is_impure_module(module_of(function)):
        return True
    if owner is None or isinstance(owner, types.ModuleType):
        return owner is not None and _is_impure_module(owner.__name__)
    return _is_impure_module(owner.__module__ if isinstance(owner, type) else type(owner).__module__)
