"""Marks on functions and classes that tell the compiler how to treat them. The dynamic graph does not look at them."""

import inspect
import types

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.host_only import JIT_IGNORE
from dyad._src.base.no_effect import say_no_effect

# The attributes that carry the marks; a class passes its own on to subclasses.
JIT_CLASS = "__jit_class__"
NO_INLINE = "__no_inline__"
LAZY_INLINE = "__lazy_inline__"


def jit_class(cls):
    """Marks a plain class whose methods are compiled instead of being left to the Python interpreter."""
    if not inspect.isclass(cls):
        raise TypeError(f"jit_class: cls is {cls!r} of type {type(cls).__name__}; need a class")
    if issubclass(cls, AbstractCell):
        raise TypeError(
            f"jit_class: {cls.__qualname__} is a Cell, which is compiled as it is; need a plain class"
        )
    setattr(cls, JIT_CLASS, True)
    return cls


def jit_ignore(fn):
    """Marks a function that is left to Python: a graph that would have to run it is refused.

    Without `fullgraph` it may be called with values that are known while the graph is captured.
    """
    setattr(_require_function("jit_ignore", fn), JIT_IGNORE, True)
    return fn


def no_inline(fn=None):
    """Marks a function that graphs may keep as a function of its own. Here graphs capture each call where it stands."""
    if fn is None:
        return no_inline
    say_no_effect("mindspore.no_inline", "no_inline")
    setattr(_require_function("no_inline", fn), NO_INLINE, True)
    return fn


def lazy_inline(fn=None, attrs=None, policy=None):
    """Marks the `__init__` of a Cell: graphs may keep one function for all Cells that were made with equal arguments.

    `attrs` names attributes that must be equal as well; `policy` is None or "front". Here graphs capture each call
    where it stands, so nothing changes.
    """
    if policy not in (None, "front"):
        raise ValueError(f"lazy_inline: policy is {policy!r}; need None or 'front'")
    names = [attrs] if isinstance(attrs, str) else attrs
    if names is not None and not (
        isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    ):
        raise TypeError(
            f"lazy_inline: attrs is {attrs!r}; need the names of attributes, a str or a list of str"
        )

    def mark(function):
        _require_function("lazy_inline", function)
        if function.__name__ != "__init__":
            raise ValueError(f"lazy_inline: got {function.__qualname__}; need the __init__ of a Cell")
        say_no_effect("mindspore.lazy_inline", "lazy_inline")
        setattr(function, LAZY_INLINE, {"attrs": tuple(names or ()), "policy": policy})
        return function

    return mark if fn is None else mark(fn)


def _require_function(owner, fn):
    """The function that can carry a mark: a function itself, or the one behind a method."""
    target = fn.__func__ if isinstance(fn, (types.MethodType, staticmethod, classmethod)) else fn
    if not isinstance(target, types.FunctionType) and not getattr(target, "__wrapped_by_jit__", False):
        raise TypeError(f"{owner}: fn is {fn!r} of type {type(fn).__name__}; need a function or a method")
    return target


def is_marked(target, mark):
    """Returns whether a function, method, class or instance carries one of the marks."""
    owner = target if inspect.isroutine(target) or inspect.isclass(target) else type(target)
    return bool(getattr(owner, mark, False))
