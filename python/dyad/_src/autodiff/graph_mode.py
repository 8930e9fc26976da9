"""Graph mode: the result of a transform is compiled as a whole when it is called."""

from typing import Any

from dyad import _core
from dyad._src.context.environment import jit_is_off

GRAPHS_OF_TRANSFORMS = "__graphs_of_transforms__"
_compile: Any = None  # root -> what is compiled for it; see `install`
_at_no_object: dict = {}  # for functions without attributes: built-in ones, which are never deleted


def install(compiled_transform):
    """Sets the function that makes the compiled callable for transforms of `root`."""
    global _compile
    _compile = compiled_transform


def runs_as_graph():
    """In Graph mode: whether a call is one of a compiled graph, and not part of one that is being captured."""
    return not jit_is_off() and _core.current_graph() is None


def graph_of(root):
    """The compiled callable for all transforms of `root`; its first argument is the transformed function.

    It is stored in an attribute of `root`, a function or another callable, and is released with it.
    """
    root = getattr(root, "__func__", root)
    kept = getattr(root, "__dict__", None)
    kept, key = (kept, GRAPHS_OF_TRANSFORMS) if isinstance(kept, dict) else (_at_no_object, root)
    compiled = kept.get(key)
    if compiled is None:
        compiled = kept[key] = _compile(root)
    return compiled
