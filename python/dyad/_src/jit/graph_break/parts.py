"""Parts of split functions as compiled functions."""

import functools
import inspect
import sys
import types

from dyad._core import Tensor
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.capture.semantics.attributes.object_state import (
    BUFFERS,
    has_unseen_state,
    is_array_type,
    is_readable,
)
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.jit.api.cell_compiler import compiled_cell
from dyad._src.jit.api.metadata import dress
from dyad._src.jit.cache.call_compiler import MOST_GRAPHS, CallCompiler, make_compiled
from dyad._src.jit.cache.report import CompileReport, location_of
from dyad._src.jit.dynamic_shapes.dynamic_numbers import NumberPolicy
from dyad._src.jit.graph_break.bytecode.split_code import SplitCode
from dyad._src.jit.graph_break.callees import Callees
from dyad._src.jit.graph_break.source.split_function import SplitFunction

_OURS = "dyad"


def without_part(error, frame):
    """Takes the frame of a part that Python ran out of a traceback where the function around it has the same line.

    `frame` is where the part was called from.
    """
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    before, entry = None, error.__traceback__
    while entry is not None and _is_ours(entry.tb_frame):
        before, entry = entry, entry.tb_next
    if frame is None or before is None or entry is None:
        return
    if (_place(frame), frame.f_lineno) == (_place(entry.tb_frame), entry.tb_lineno):
        before.tb_next = entry.tb_next


def _is_ours(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0] == _OURS


def _place(frame):
    return frame.f_code.co_filename, frame.f_code.co_name


_GUARDED_BY_VALUE = (bool, int, float, complex, str, bytes, range, tuple, type(None), slice, frozenset)
# A number that has had this many values is an input of the graph.
_CONSTANT_VALUES = 1


def split_function(compiled, function, options, parent=None, callees=None, shape=None):
    """A function that Python runs, its parts and what it calls compiled with these options.

    With a `parent` it is a part of that one, of this `shape`.
    """
    options = _inside(options)
    make_part = functools.partial(_make_part, options.replace(dynamic=1))
    callees = (callees or _callees(options)) if parent is None else parent.callees
    if options.capture_mode == "bytecode":
        in_loops = options.bytecode.recapture_loop_body
        return SplitCode(compiled, function, make_part, callees, parent, shape, in_loops)
    return SplitFunction(compiled, function, make_part, callees, parent)


class CellInPython:
    """Calls a Cell whose `construct` needs Python. Its graphs are its own: networks have many Cells of one class."""

    def __init__(self, options, callees=None):
        self._options = _inside(options)
        self.callees = callees or _callees(self._options)
        self._constructs = {}  # function -> it, compiled

    def __call__(self, cell, *args, **kwargs):
        call = type(cell).__call__
        if is_framework_module(module_of(call)):
            return self.call_construct(cell, args, kwargs)
        compiled = self._compiled(call) if type(call) is types.FunctionType else call
        return compiled(cell, *args, **kwargs)

    def call_construct(self, cell, args, kwargs):
        """The call of a Cell without a `__call__` of its own class."""
        construct = cell.construct
        function = getattr(construct, "__func__", None)
        if type(function) is types.FunctionType:
            construct = types.MethodType(self._compiled(function), cell)
        return cell._run_in_python(construct, args, kwargs)

    def _compiled(self, function):
        if function not in self._constructs:
            self._constructs[function] = _compile_function(self._options, function, self.callees)
        return self._constructs[function]


class ConstructInPython(CellInPython):
    """Calls what a Cell's own `__call__` leaves to that of `Cell`."""

    def __call__(self, cell, *args, **kwargs):
        return self.call_construct(cell, args, kwargs)


class TransformInPython:
    """Calls what transforms made of functions that need Python. `vmap` has none: it is a transform of a graph."""

    def __init__(self, options, refusal, callees=None):
        self.callees = callees or _callees(_inside(options))
        self._error = type(refusal.error), str(refusal.error)

    def __call__(self, transformed, *args, **kwargs):
        if isinstance(transformed, VectorizedFunction):
            kind, text = self._error
            raise kind(text)
        form = self.callees(transformed)
        return form.run(args, kwargs) if isinstance(form, TransformedFunction) else form(*args, **kwargs)


def _inside(options):
    mode = "bytecode" if options.capture_mode == "bytecode" else "ast"
    return options.replace(templates={}, variable_numbers=frozenset(), capture_mode=mode, keeps_sharing=True)


def _callees(options):
    compile_function = functools.partial(_compile_function, options)
    return Callees(compile_function, functools.partial(_compile_cell, options), options.bytecode)


def _make_part(options, function, shape, owner):
    kind = functools.partial(PartCompiler, shape=shape, owner=owner)
    compiled, compiler = make_compiled(function, options, None, kind)
    return dress(compiled, compiler, function, inspect.signature(function))


def _compile_cell(options, cell, callees):
    compiled = compiled_cell(cell, options)
    compiled.__jit_compiler__.callees = callees
    return compiled


def _compile_function(options, function, callees):
    compiled, compiler = make_compiled(function, options, None, InnerCompiler)
    compiler.callees = callees
    compiler.report = CompileReport(function.__qualname__, location_of(function), hints=False, inner=True)
    return dress(compiled, compiler, function, inspect.signature(function))


class InnerCompiler(CallCompiler):
    """Compiles what host code calls. What it is given changes more freely than what a program gives to `jit`.

    A number that changes becomes an input of the graph, and the number of graphs is bounded.
    """

    def __init__(self, function, options, templates=None):
        super().__init__(function, options, templates)
        self.numbers = NumberPolicy(_CONSTANT_VALUES)

    def makes_too_many(self, compiled):
        return len(self.report.compilations) >= MOST_GRAPHS


class PartCompiler(InnerCompiler):
    """Compiles a part of a split function. Where it needs Python, the function around it is told."""

    def __init__(self, function, options, templates=None, *, shape, owner):
        super().__init__(function, options, templates)
        self._shape = shape
        self._owner = owner  # a weak reference to the SplitProgram
        self._objects = {}  # place of an object -> which ones there were when graphs were made
        # Code objects tell what of an object is looked at, so that another one may do.
        self._most_objects = 2 if options.capture_mode == "bytecode" else 1
        first, last = shape.first_line, shape.last_line
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        name = f"{function.__qualname__}, {lines}"
        self.report = CompileReport(name, (function.__code__.co_filename, first), hints=False, inner=True)

    def takes(self, args, kwargs):
        return True

    def belong_to(self, owner):
        """Lets another split function be told where the part needs Python."""
        self._owner = owner

    def _compile(self, compiled, args, kwargs, runs_nothing=False):
        unfit = {
            name: why
            for place, name in enumerate(self._shape.takes)
            if (why := self._unfit(place, args[place]))
        }
        if unfit:
            self._split(compiled, self._shape.statements_with(unfit))
            return None, None
        entry, options = super()._compile(compiled, args, kwargs, runs_nothing)
        owner = self._owner()
        if entry is not None and owner is not None and not entry.program.report["nodes_before"]:
            # Nothing is computed: Python itself moves values faster.
            self.split = self.function
            if not self._raises():
                compiled.python_form = self.function
            for statement in self._shape.statements:
                owner.cut(statement, "")
        return entry, options

    def _raises(self):
        """Returns whether there is a `raise` among its instructions: then a call comes here, which mends tracebacks."""
        return any(getattr(each, "name", "") == "RAISE_VARARGS" for each in self._shape.statements)

    def run_split(self, args, kwargs):
        try:
            return super().run_split(args, kwargs)
        except BaseException as error:
            without_part(error, sys._getframe())
            raise

    def stop_compiling(self, compiled):
        super().stop_compiling(compiled)
        owner = self._owner()
        if owner is not None and not compiled.entries:
            for statement in self._shape.statements:
                owner.cut(statement, "what it is given changes from call to call")

    def _unfit(self, place, value):
        """Returns why graphs do not read a value, in words; empty if they may."""
        cls = type(value)
        unseen = has_unseen_state(cls) or issubclass(cls, BaseException)
        if unseen or is_array_type(cls) or cls in BUFFERS or not is_readable(cls):
            return f"it works on an object of class {cls.__name__}"
        if cls in (dict, set) and any(issubclass(type(key), Tensor) for key in value):
            return f"it works on a {cls.__name__} that finds Tensors by their identity"
        if cls in _GUARDED_BY_VALUE or issubclass(
            cls, (Tensor, AbstractCell, type, list, dict, set, types.ModuleType)
        ):
            return ""
        seen = self._objects.setdefault(place, [])
        if all(known != id(value) for known in seen):
            seen.append(id(value))
        if len(seen) > self._most_objects:
            return f"it works on an object of class {cls.__name__}, another one in each call"
        return ""

    def split_at(self, compiled, refusal, options):
        held = self._shape.held(refusal.statement)
        # What a graph cannot give back is told without a place.
        left = (self._shape.given_by(refusal.result) or self._shape.statements) if held is None else [held]
        self._refusal = refusal if refusal.callees else None
        self._split(compiled, dict.fromkeys(left, refusal.because), refusal.expression)

    def _split(self, compiled, cuts, expression=None):
        cuts = cuts or dict.fromkeys(self._shape.statements, "what it is given is not looked at by graphs")
        self.split = split_function(compiled, self.function, self.options, self._owner(), shape=self._shape)
        for statement, because in cuts.items():
            self.split.cut(statement, because, expression)
            self.report.splits(because, self._shape.line_of(statement))
