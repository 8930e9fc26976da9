"""The compiled callable of a call as a static graph."""

import dataclasses
import inspect
import types
from typing import Any

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.context.settings import settings
from dyad._src.jit.api.cell_compiler import compiled_cell
from dyad._src.jit.api.metadata import is_jitted
from dyad._src.jit.api.wrapping import wrap
from dyad._src.jit.cache.compile_cache import fits
from dyad._src.jit.options.options import JitOptions


@dataclasses.dataclass(frozen=True)
class Target:
    """A compiled callable, its arguments before those of the call, and the reason why it is the target."""

    compiled: Any
    receivers: tuple
    reason: str
    is_jitted: bool

    @property
    def compiler(self):
        """The compiler of the target's calls."""
        return self.compiled.__jit_compiler__

    @property
    def report(self):
        """The report on its compilations."""
        return self.compiler.report

    def serving_entry(self, args, kwargs):
        """The entry that would run for this call, or None."""
        entries = (*self.compiled.entries, *self.compiler.waiting)
        return next((entry for entry in entries if fits(entry, args, kwargs)), None)

    def options_for(self, entry, args, kwargs):
        """The options that the entry was compiled with; without one, those that the call would be compiled with."""
        known = self.report.compilation_of(entry) if entry is not None else None
        return known.options if known else self.compiler.options_for(args, kwargs, remember=False)


def find_target(name, target):
    """The target of a function, a method, a Cell, or a result of `jit`; `name` is that of the caller in messages."""
    if isinstance(target, AbstractCell):
        return _cell_target(target)
    function, receivers = target, tuple[Any, ...]()
    if isinstance(target, types.MethodType):
        function, receivers = target.__func__, (target.__self__,)
    if is_jitted(function):
        return Target(function, receivers, "it is jitted", True)
    if isinstance(function, types.FunctionType):
        return Target(
            wrap(function, JitOptions()), receivers, "it is not jitted: this is what jit would do", False
        )
    kind = target.__qualname__ if inspect.isclass(target) else f"of type {type(target).__name__}"
    raise TypeError(f"{name}: function is {kind}; need a function, a method, a Cell, or what jit returned")


def _cell_target(cell):
    if not settings.mode:
        return Target(cell._compiled_call(), (cell,), "Graph mode compiles a Cell as a whole", True)
    construct = getattr(cell.construct, "__func__", None)
    if is_jitted(construct):
        return Target(construct, (cell,), "its construct is jitted", True)
    if cell._graph_call is not None:
        return Target(cell._graph_call, (cell,), "it was compiled as a whole", True)
    return Target(
        compiled_cell(cell, JitOptions()), (cell,), "it is not jitted: this is what jit would do", False
    )
