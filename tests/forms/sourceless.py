"""Functions and modules whose source cannot be found."""

import linecache
import pkgutil
import sys
import types
from pathlib import Path

NOWHERE = "<nowhere>"


def code_without_source(code):
    """The code object, and those inside of it, as if they had been compiled from text that is gone."""
    inside = tuple(code_without_source(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=NOWHERE, co_consts=inside)


def without_source(function):
    """A copy of a function, or of a method for the same object, whose source cannot be found.

    It has the globals, defaults, attributes and closure of the original. Other callables are given back.
    """
    if isinstance(function, types.MethodType):
        return types.MethodType(without_source(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        return function
    code = code_without_source(function.__code__)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__annotations__, made.__doc__ = function.__annotations__, function.__doc__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def import_without_source(package):
    """Imports every module of a package once more, under another name and without a source: all it defines has none."""
    for found in pkgutil.iter_modules(package.__path__):
        module = types.ModuleType(f"{package.__name__}_without_source.{found.name}")
        sys.modules[module.__name__] = module
        path = Path(package.__path__[0], f"{found.name}.py")
        module.__file__ = str(path)  # for programs that open it
        exec(compile(path.read_text(), NOWHERE, "exec"), module.__dict__)


def forget_texts():
    """Takes away the texts of programs that were never in a file."""
    for name in [name for name in linecache.cache if name.startswith("<")]:
        del linecache.cache[name]
