"""Callees of host code: programs are compiled by themselves, everything else is called as it is."""

import contextlib
import functools
import types
import weakref
from typing import Any

from dyad._core import Tensor
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.host_only import JIT_IGNORE
from dyad._src.capture.semantics.calls.frameworks import is_captured
from dyad._src.jit.api.cell_compiler import call_cell

_METHODS = frozenset().union(*map(dir, (str, bytes, list, tuple, dict, set, float, Tensor)))
_SUSPENDING = 0x2A0  # code flags of generators and coroutines


class Callees:
    """The compiled forms of what one split function calls.

    `compile_function` and `compile_cell` make them, and share them with what is called in turn. A function that closes
    over names of another one is made again and again, and is left as it is. `keys`, the BytecodeOptions, say of which
    functions and Cells there is a compiled form at all.
    """

    def __init__(self, compile_function, compile_cell, keys):
        self._compile_function = compile_function
        self._compile_cell = compile_cell
        self._keys = keys
        self._refused = []  # RefusedCallee, of functions that the call under way is known to split
        self._because: Any = None  # the Refusal that they led to
        self._functions = {}  # code -> (function, its compiled form or None)
        self._cells: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def __call__(self, callee):
        """The callee in the form in which host code calls it."""
        kind = type(callee)
        if kind is types.FunctionType:
            return self._function(callee)
        if kind is types.MethodType:
            function = callee.__func__
            if type(function) is types.FunctionType:
                form = self._function(function)
                return callee if form is function else types.MethodType(form, callee.__self__)
        elif issubclass(kind, AbstractCell):
            return self._cell(callee)
        elif issubclass(kind, TransformedFunction):
            return self._transformed(callee)
        return callee

    @contextlib.contextmanager
    def splitting(self, refusal):
        """Inside: functions that led to a refusal are split where they are first called, and not captured in vain."""
        before = self._refused, self._because
        self._refused, self._because = list(refusal.callees), refusal
        try:
            yield
        finally:
            self._refused, self._because = before

    @property
    def reason(self):
        """(kind of the break, why) of the functions that are known to be split."""
        return self._because.kind, self._because.because

    def knows(self, function, receiver):
        """Returns whether it is known that a function, as a method of a Cell if that is given, will be split."""
        return self._find(function, receiver) is not None

    def take_refusal(self, function, receiver):
        """The Refusal of a function that will be split, once; None for another one."""
        at = self._find(function, receiver)
        if at is None:
            return None
        return self._because._replace(
            statement=self._refused.pop(at).statement, expression=None, result=None, callees=()
        )

    def _find(self, function, receiver):
        """The place of the outermost call of a function."""
        for at, known in reversed(list(enumerate(self._refused))):
            is_same = known.receiver is None or known.receiver() is receiver
            if known.statement is not None and known.code is function.__code__ and is_same:
                return at
        return None

    def leaves(self, found, attribute):
        """Returns whether what a name or attribute gives now is called as it is; `is_no_program` says what is asked."""
        return is_no_program(found, attribute)

    def _function(self, function):
        known = self._functions.get(function.__code__)
        if known is None:
            wanted = _is_compilable(function) and self._keys.compiles_callee(function)
            compiled = self._compile_function(function, self) if wanted else None
            known = self._functions[function.__code__] = (function, compiled)
        first, compiled = known
        return compiled if compiled is not None and _means_the_same(first, function) else function

    def _cell(self, cell):
        form = self._cells.get(cell)
        if form is None:
            wanted = self._keys.compiles_cell(cell)
            form = self._cells[cell] = self._compile_cell(cell, self) if wanted else call_cell
        return functools.partial(form, cell)

    def _transformed(self, transformed):
        """A gradient function takes a compiled function where it would call the function."""
        fn = transformed.__wrapped__
        if isinstance(transformed, VectorizedFunction) or not isinstance(fn, types.FunctionType):
            return transformed
        return transformed.over(self._function(fn), transformed.parameters)


def _is_compilable(function):
    if function.__code__.co_flags & _SUSPENDING or function.__name__ == "__init__":
        return False
    if any(name != "__class__" for name in function.__code__.co_freevars):
        return False
    return is_captured(function) and not getattr(function, JIT_IGNORE, False)


def _means_the_same(first, second):
    return first is second or (
        first.__globals__ is second.__globals__
        and first.__closure__ == second.__closure__
        and first.__defaults__ is second.__defaults__
        and first.__kwdefaults__ is second.__kwdefaults__
    )


def is_no_program(found, attribute):
    """Returns whether a callee is, as far as the module tells now, neither a function of the program nor a Cell.

    `found` is the object, None if the module does not tell; `attribute` is the name of the attribute that is called, if
    it is one.
    """
    if found is None and attribute in _METHODS:
        return True  # most likely of a container or Tensor: asking each time costs more than the call
    return isinstance(found, (type, types.BuiltinFunctionType)) or (
        isinstance(found, types.FunctionType) and _is_installed(found)
    )


def _is_installed(function):
    """Returns whether a function comes with NumPy or the framework."""
    return (function.__module__ or "").partition(".")[0] in ("dyad", "numpy")
