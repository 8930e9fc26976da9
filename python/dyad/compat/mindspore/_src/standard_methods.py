"""Methods of lists, dicts and Tensors and Python's builtin functions as plain functions, by one rule of names.

`list_append(items, x)` and `dict_get(table, key)` are methods of containers, of which one that gives nothing gives the
container; `ms_len(x)` and `bool_(x)` are builtin functions; any other name is a method of Tensors: `mean(x, 0)`.
"""

import builtins
import functools

from dyad._core import Tensor
from dyad._src.base.missing import missing_attribute
from dyad.compat.mindspore._src.compile_switches import CompileSwitches

compile_config = CompileSwitches()
_CONTAINERS = {"list": list, "dict": dict, "tuple": tuple}
_BUILTINS = {
    name: function for name, function in vars(builtins).items() if callable(function) and name.islower()
}


__all__ = [
    *(f"{kind}_{name}" for kind, cls in _CONTAINERS.items() for name in dir(cls) if not name.startswith("_")),
    *(f"ms_{name}" for name in _BUILTINS if not name.startswith("_")),
    *(name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))),
]


def __getattr__(name):
    found = None if name.startswith("__") else _found(name)
    if found is None:
        raise missing_attribute(__name__, name, __all__)
    return found


@functools.cache
def _found(name):
    """The function of that name; None if there is none."""
    kind, _, method = name.partition("_")
    if kind in _CONTAINERS and hasattr(_CONTAINERS[kind], method):
        return _of_container(name, getattr(_CONTAINERS[kind], method))
    function = method if kind == "ms" else name.removesuffix("_") if name.endswith("_") else ""
    if function in _BUILTINS:
        return _BUILTINS[function]
    return _of_tensor(name) if callable(getattr(Tensor, name, None)) else None


def _of_container(name, method):
    def call(container, *args):
        given = method(container, *args)
        return container if given is None else given

    return _as_program(name, call)


def _of_tensor(name):
    def call(tensor, *args, **kwargs):
        return getattr(tensor, name)(*args, **kwargs)

    return _as_program(name, call)


def _as_program(name, function):
    """The function under its name, which a graph reads like one of the program."""
    function.__name__ = function.__qualname__ = name
    function._is_program = True
    return function
