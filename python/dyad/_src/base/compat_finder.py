"""Finds module paths and names that only MindSpore's spelling knows: in `dyad.compat.mindspore`.

That package is imported when the first module path below `dyad` has no file, or the first name is missing in a module.
"""

import operator
import sys
from importlib.machinery import PathFinder

from dyad._src.base.lazy_import import load
from dyad._src.base.missing import missing_attribute

PACKAGE, STOREY = "dyad", "dyad.compat.mindspore"
_PRIVATE = ("dyad._src.", "dyad._core", f"{STOREY}._src.")
# Packages that were modules: pickles look for names in them.
_WERE_MODULES = tuple(
    f"dyad._src.{path}" for path in ("context", "jit.dynamic_shapes", "jit.options", "primitive", "tensor")
)


def _has_doors(name):
    return name.startswith(PACKAGE + ".") and not name.startswith((*_PRIVATE, PACKAGE + "._src"))


def _file_below(name, path):
    """The spec of a module that has a file; None for a folder alone, which a moved package may leave behind."""
    spec = PathFinder.find_spec(name, path)
    return None if spec is None or spec.loader is None else spec


class CompatFinder:
    """Comes before the finder of files, so that it can give each module the `__getattr__` below."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        above = fullname.rpartition(".")[0]
        # A module under a second name must not be made a second time from its file.
        is_second_name = above in sys.modules and sys.modules[above].__name__ != above
        if not _has_doors(fullname):
            return MovedFinder.find_spec(fullname) if is_second_name else None
        spec = None if is_second_name else _file_below(fullname, path)
        if spec is None:
            return None if fullname.startswith(STOREY) else load(STOREY).find_spec(fullname)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            look_up_missing_names(module)

        spec.loader.exec_module = exec_module
        return spec


class MovedFinder:
    """Comes last: finds inner modules under the paths of earlier versions, which pickles name."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        return load(STOREY).find_spec(fullname) if fullname.startswith(f"{PACKAGE}._src.") else None


def look_up_missing_names(module):
    """Makes a module ask the storey for names that it lacks, after its own `__getattr__` and the files below it."""
    own, path = vars(module).get("__getattr__"), vars(module).get("__path__")

    shown = module.__name__.replace(f"{STOREY}.", f"{PACKAGE}.")

    def __getattr__(name):
        refused = None
        if own is not None:
            try:
                return own(name)
            except AttributeError as error:
                refused = error
        found, below = None, f"{module.__name__}.{name}"
        if not name.startswith("__") or name == "__all__":
            if path is not None and _file_below(below, path) is not None:
                return load(below)
            found = load(STOREY).attribute(module, name)
        if found is None:
            raise refused or missing_attribute(shown, name, vars(module).get("__all__", ()))
        return found

    module.__getattr__ = __getattr__


def found(path):
    """Returns the object at a path of MindSpore such as "boost.AutoBoost", for a setting that the core passes on."""
    return operator.attrgetter(path)(sys.modules[PACKAGE])


def install():
    """Lets every module of the package that is imported, and every later one, ask the storey."""
    if CompatFinder not in sys.meta_path:
        sys.meta_path.insert(0, CompatFinder)
        sys.meta_path.append(MovedFinder)
        for name, module in list(sys.modules.items()):
            if name == PACKAGE or name in _WERE_MODULES or _has_doors(name):
                look_up_missing_names(module)
