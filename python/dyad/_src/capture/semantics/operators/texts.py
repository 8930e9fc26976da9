"""Texts: formatting, printing, and texts that exist only when the graph runs."""

import collections
import operator
from typing import Any

from dyad._core import GraphNumber, Tensor
from dyad._src.base.break_reasons import CONDITION
from dyad._src.capture.errors import NEEDS_PYTHON, is_interruption
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    Deferred,
    OneOf,
    RuntimeRange,
    depends_on_run,
    is_symbolic_tensor,
    is_unread,
)
from dyad._src.tensor.parameter import Parameter

# Methods of texts that raise nothing for arguments that fit once.
_TOTAL_METHODS = frozenset(
    (
        "capitalize",
        "casefold",
        "endswith",
        "format",
        "join",
        "lower",
        "lstrip",
        "replace",
        "rstrip",
        "startswith",
    )
    + ("strip", "swapcase", "title", "upper")
)

_CONTAINERS = (list, tuple, dict, collections.deque)


class Texts(Part):
    """Makes texts of captured values; those of run-time values are deferred until they are needed outside."""

    def is_object(self, value):
        """Returns whether the texts of a value are made by methods of the program."""
        return (
            self.interpreter.attributes.user_method(value, "__str__") is not None
            or self.interpreter.attributes.user_method(value, "__repr__") is not None
        )

    def deferred(self, what, function, arguments):
        """A Python value that is computed when it is needed outside of the graph.

        That is later than where the program computes it, so what may raise there is left to Python, where it may help.
        """
        if self.interpreter.lax and not _always_works(function, arguments):
            raise self.interpreter.rejection(
                CONDITION,
                f"{getattr(function, '__name__', what)}: a text that is known only when the graph runs is looked into",
                NEEDS_PYTHON,
            )
        self._require_text_of(arguments)
        return Deferred(what, function, [self.snapshot(value) for value in arguments])

    def _require_text_of(self, value):
        """Refuses ranges and containers of other classes that hold values of the graph: only results become them."""
        if is_unread(value):
            return
        is_other = isinstance(value, _CONTAINERS) and type(value) not in (list, tuple, dict)
        if isinstance(value, RuntimeRange) or (is_other and depends_on_run(value)):
            raise self.interpreter.rejection(
                CONDITION,
                f"text: what a {type(value).__name__} holds is known only when the graph runs",
                NEEDS_PYTHON,
            )
        if isinstance(value, (list, tuple, dict)):
            for member in value.values() if isinstance(value, dict) else value:
                self._require_text_of(member)

    def deferred_method(self, owner, name):
        """The method of a text that exists only when the graph runs."""

        def call(*args, **kwargs):
            return self.deferred("text", call_by_name, [owner, name, args, kwargs])

        if not hasattr(str, name):
            self.interpreter.throwing.throw(AttributeError(f"'str' object has no attribute {name!r}"))
        return _Callback(call)

    def snapshot(self, value):
        """The value as it is now: tensors that the program may still write are copied."""
        if isinstance(value, Parameter) and is_symbolic_tensor(value):
            return _ParameterText(value)
        if is_symbolic_tensor(value):
            return self.interpreter.host.native(_copy, value)
        if isinstance(value, Tensor):
            return value
        if type(value) in (list, tuple):
            return type(value)(self.snapshot(item) for item in value)
        if type(value) is dict:
            return {key: self.snapshot(item) for key, item in value.items()}
        return value

    def printable(self, value):
        """The object that `print` shows: the name of a Parameter, the present values of all others."""
        self._require_text_of(value)
        method = self.interpreter.attributes.user_method(
            value, "__str__"
        ) or self.interpreter.attributes.user_method(value, "__repr__")
        if method is not None and not self.interpreter.cells.is_cell(value):
            return self.interpreter.calls.call(method, (), {})
        return self._with_texts_of_parameters(value)

    def _with_texts_of_parameters(self, value):
        if isinstance(value, Parameter):
            return self.snapshot(value)
        if type(value) in (list, tuple):
            return type(value)(map(self._with_texts_of_parameters, value))
        if type(value) is dict:
            return {key: self._with_texts_of_parameters(item) for key, item in value.items()}
        return value

    def format_value(self, value, conversion, spec):
        """`format(value, spec)` after `!conversion`, as in an f-string."""
        if isinstance(value, OneOf):
            return self.interpreter.branches.split(
                value, lambda chosen: self.format_value(chosen, conversion, spec)
            )
        if conversion and self.is_object(value):
            value, conversion = (
                self.interpreter.calls.call({"s": str, "r": repr, "a": ascii}[conversion], (value,), {}),
                "",
            )
        method = self.interpreter.attributes.user_method(value, "__format__")
        if method is not None and not conversion:
            return self.interpreter.calls.call(method, (spec,), {})
        if self.is_object(value):
            if spec:
                self.interpreter.throwing.throw(
                    TypeError(f"unsupported format string passed to {type(value).__name__}.__format__")
                )
            return self.interpreter.calls.call(str, (value,), {})
        if not depends_on_run((value, spec)):
            self.interpreter.native_calls.require_no_object(format, value)
            return self.interpreter.host.native(_format, value, conversion, spec)
        return self.deferred("text", _format, [value, conversion, spec])

    def join_texts(self, parts):
        """One text of several, as an f-string makes it."""
        if not depends_on_run(parts):
            return "".join(parts)
        return self.deferred("text", _joined, parts)


class _ParameterText:
    """Stands for a Parameter in a text: what it shows is known when it is captured, and guarded."""

    def __init__(self, parameter):
        self._text = repr(parameter)

    def __repr__(self):
        return self._text

    def __format__(self, spec):
        return format(self._text, spec)


class _Callback:
    """A method of a value that exists only when the graph runs."""

    __module__ = "dyad._src.capture"

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _always_works(function, arguments):
    """Returns whether a function raises nothing, whatever the values turn out to be."""
    if function in (_joined, str, repr, len) or function.__name__ == "_out_of_range":
        return True
    if function is call_by_name and arguments[1] not in _TOTAL_METHODS:
        return False
    if function is operator.getitem:
        return False
    try:
        function(*map(_example, arguments))
    except Exception as error:
        if is_interruption(error):
            raise
        return False
    return True


def _example(value):
    """A value of the same kind; TypeError for one of which only the run can tell how it behaves."""
    if isinstance(value, GraphNumber):
        return value.kind(1)
    if isinstance(value, Deferred):
        return value.function(*map(_example, value.arguments))
    if type(value) in (list, tuple):
        return type(value)(map(_example, value))
    if type(value) is dict:
        return {key: _example(item) for key, item in value.items()}
    if is_symbolic_tensor(value):
        return _AnyTensor()
    if type(value) in (int, float, bool, str, bytes, type(None)):
        return value
    raise TypeError


class _AnyTensor:
    """Has a text, as every Tensor has, and nothing else."""


def call_by_name(owner, name, args, kwargs):
    """`owner.name(*args, **kwargs)`."""
    return getattr(owner, name)(*args, **kwargs)


def _format(value, conversion, spec):
    converted: Any = {"s": str, "r": repr, "a": ascii}.get(conversion)
    return format(value if converted is None else converted(value), spec)


def _copy(tensor):
    return tensor.copy()


def _joined(*parts):
    return "".join(parts)
