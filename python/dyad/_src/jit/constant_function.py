"""`constexpr`: functions that a graph evaluates while it is compiled."""

import functools

from dyad import _core
from dyad._core import Tensor


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function of constants: a graph calls it once, while compiling, and keeps the result as a constant.

    In the dynamic graph it is the function. A value that is known only when the graph runs raises TypeError. With
    `get_instance` False the result is a class whose instances are called. `name` is what messages call it;
    `reuse_result` and `check` are accepted for programs that give them.
    """
    if fn is None:
        return functools.partial(
            constexpr, get_instance=get_instance, name=name, reuse_result=reuse_result, check=check
        )
    if not callable(fn):
        raise TypeError(f"constexpr: fn is of type {type(fn).__name__}; need a function")
    shown = name or getattr(fn, "__name__", type(fn).__name__)

    @functools.wraps(fn)
    def constant_function(*args, **kwargs):
        if _core.current_graph() is not None:
            _require_known(shown, args, kwargs)
        return fn(*args, **kwargs)

    constant_function.__constexpr__ = True
    return constant_function if get_instance else _class_of(shown, constant_function)


def _class_of(name, function):
    def __call__(self, *args, **kwargs):
        return function(*args, **kwargs)

    return type(name, (), {"__call__": __call__, "__doc__": function.__doc__, "__constexpr__": True})


def _require_known(name, args, kwargs):
    for place, value in (*enumerate(args), *kwargs.items()):
        if _varies(value):
            raise TypeError(
                f"{name}: argument {place!r} is known only when the graph runs; "
                "a constexpr function takes constants, give it a shape, a dtype or a number"
            )


def _varies(value):
    if isinstance(value, Tensor):
        return _core.is_symbolic(value)
    if isinstance(value, (tuple, list, set, frozenset)):
        return any(map(_varies, value))
    if isinstance(value, dict):
        return any(map(_varies, value.values()))
    return isinstance(value, _core.GraphNumber)
