"""`constexpr`: functions that a graph evaluates while it is compiled."""

import functools
import types
from collections.abc import Callable

from dyad import _core
from dyad._core import Tensor


class ConstantFunction:
    """A function of constants. A graph calls it as it calls an operator: now, with what is known now."""

    __wrapped__: Callable

    def __init__(self, function, name=None):
        functools.update_wrapper(self, function)
        self.name = name or getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args, **kwargs):
        for place, value in (*enumerate(args), *kwargs.items()):
            if _varies(value):
                raise TypeError(
                    f"{self.name}: argument {place!r} is known only when the graph runs; "
                    "a constexpr function takes constants, such as shapes, dtypes and numbers"
                )
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<constexpr {self.name}>"


def _varies(value):
    if isinstance(value, Tensor):
        return _core.is_symbolic(value)
    if isinstance(value, (tuple, list)):
        return any(map(_varies, value))
    if isinstance(value, dict):
        return any(map(_varies, value.values()))
    return isinstance(value, _core.GraphNumber)


def constexpr(fn=None, get_instance=True, name=None, reuse_result=True, check=True):
    """Marks a function of constants: a graph calls it while it is compiled and keeps the result as a constant.

    In the dynamic graph it is the function. A value that is known only when the graph runs raises TypeError. With
    `get_instance` False the result is a class whose instances are called. `name` is what messages call it;
    `reuse_result` and `check` are accepted for programs that give them.

    Example:
        >>> from dyad import ops
        >>> @ops.constexpr
        ... def half(size):
        ...     return size // 2
        ...
        >>> half(5)
        2
    """
    if fn is None:
        return functools.partial(
            constexpr, get_instance=get_instance, name=name, reuse_result=reuse_result, check=check
        )
    if not callable(fn):
        raise TypeError(f"constexpr: fn is of type {type(fn).__name__}; need a function")
    if get_instance:
        return ConstantFunction(fn, name)

    class ConstantOperator(ConstantFunction):
        def __init__(self):
            super().__init__(fn, name)

    return ConstantOperator
