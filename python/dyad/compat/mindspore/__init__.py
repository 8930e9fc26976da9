"""Dyad as programs for MindSpore spell it: module paths, names, settings without effect and older packages.

`_src/base/compat_finder.py` imports this package when a module path below `dyad` has no file, or a module lacks a name.
A module here is the same object under its path in MindSpore: `dyad.compat.mindspore.boost` is `dyad.boost`.
"""

import importlib
import importlib.util
from importlib.machinery import ModuleSpec
from typing import Any, cast

from dyad.compat.mindspore._src import borrowed_names, late_names, module_paths, moved_modules

PACKAGE = "dyad"


_OPTIMIZERS = ("adam", "adaptive", "lr_scheduler", "optimizer", "sgd")
# Modules of Dyad that have another path in MindSpore.
_OTHER_PATHS = (
    ("common._initializer_parts", "nn.initializer"),
    ("common.dtype", "dtype"),
    ("common.initializer", "nn.initializer"),
    ("common.sparse_tensor", "sparse"),
    ("nn.optim.constructor_arguments", "nn.optim.optimizer"),
    ("train.summary.setting_checks", "train._arguments"),
    *((f"experimental.optim.{name}", f"mint.optim.{name}") for name in _OPTIMIZERS),
    ("utils.dlpack", "_src.tensor.dlpack"),
)
_SAME_MODULE = {f"{PACKAGE}.{path}": f"{PACKAGE}.{own}" for path, own in _OTHER_PATHS}


def _canonical(fullname):
    """The name under which the module of a path is imported; None if it has no file."""
    if fullname.startswith(f"{PACKAGE}._src."):
        return moved_modules.target_of(fullname)
    above, _, name = fullname.rpartition(".")
    try:
        parent = importlib.import_module(above)
    except ModuleNotFoundError:
        return None
    package = above.replace(PACKAGE, __name__, 1) if parent.__name__ == above else parent.__name__
    target = _SAME_MODULE.get(fullname, f"{package}.{name}")
    try:
        return None if importlib.util.find_spec(target) is None else target
    except ModuleNotFoundError:
        return None


def find_spec(fullname):
    """Finds the module for a path without a file below `dyad`; None if MindSpore has no such path either."""
    target = _canonical(fullname)
    if target is not None:
        return ModuleSpec(fullname, cast(Any, module_paths.SecondName(target)), is_package=True)
    return module_paths.find_spec(fullname)


def attribute(module, name):
    """Finds a name that MindSpore's module has and Dyad's lacks; None if there is none."""
    if module.__name__.startswith(f"{PACKAGE}._src."):
        return moved_modules.attribute(module.__name__, name)
    path = module.__name__.replace(__name__, PACKAGE, 1)
    below = f"{path}.{name}"
    if name not in vars(module).get("__all__", ()) and module_paths.is_path(below):
        return importlib.import_module(below)
    if "__path__" in vars(module) and not name.startswith("__") and _canonical(below) is not None:
        return importlib.import_module(below)
    found = late_names.find(path, name)
    if found is not None:
        return found  # not kept: a program may replace it where it is defined
    return borrowed_names.find(path, name) if borrowed_names.borrows(path) else None
