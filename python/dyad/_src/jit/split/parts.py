"""Parts of split functions as compiled functions."""

import ast
import functools
import inspect
import types

from dyad._core import Tensor
from dyad._src.abstract_cell import AbstractCell
from dyad._src.autodiff.transformed import TransformedFunction
from dyad._src.autodiff.vmap import VectorizedFunction
from dyad._src.capture.semantics.attributes.object_state import (
    BUFFERS,
    has_unseen_state,
    is_array_type,
    is_readable,
)
from dyad._src.capture.semantics.outside.world import is_plain_number
from dyad._src.jit.call_compiler import CallCompiler, make_compiled
from dyad._src.jit.cell_compiler import compiled_cell
from dyad._src.jit.dressing import dress
from dyad._src.jit.report import CompileReport, location_of
from dyad._src.jit.split.callees import Callees
from dyad._src.jit.split.split_function import SplitFunction

# A part that is compiled this often meets other constants with nearly every call: from then on Python runs it.
MOST_GRAPHS = 16
_GUARDED_BY_VALUE = (bool, int, float, complex, str, bytes, range, tuple, type(None), slice, frozenset)
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)
# A number that has had this many values is an input of the graph.
_CONSTANT_VALUES = 1


def split_function(compiled, function, options, parent=None, callees=None):
    """A function that Python runs, its parts and what it calls compiled with these options."""
    options = _inside(options)
    make_part = functools.partial(_make_part, options.replace(dynamic=1))
    callees = (callees or _callees(options)) if parent is None else parent.callees
    return SplitFunction(compiled, function, make_part, callees, parent)


class CellInPython:
    """Calls a Cell whose `construct` needs Python. Its graphs are its own: networks have many Cells of one class."""

    def __init__(self, options, callees=None):
        self._options = _inside(options)
        self._callees = callees or _callees(self._options)
        self._constructs = {}  # function -> it, compiled

    def __call__(self, cell, *args, **kwargs):
        construct = cell.construct
        function = getattr(construct, "__func__", None)
        if type(function) is types.FunctionType:
            construct = types.MethodType(self._compiled(function), cell)
        return cell._run_in_python(construct, args, kwargs)

    def _compiled(self, function):
        if function not in self._constructs:
            self._constructs[function] = _compile_function(self._options, function, self._callees)
        return self._constructs[function]


class TransformInPython:
    """Calls what transforms made of functions that need Python. `vmap` has none: it is a transform of a graph."""

    def __init__(self, options, refusal, callees=None):
        self._callees = callees or _callees(_inside(options))
        self._error = type(refusal.error), str(refusal.error)

    def __call__(self, transformed, *args, **kwargs):
        if isinstance(transformed, VectorizedFunction):
            kind, text = self._error
            raise kind(text)
        form = self._callees(transformed)
        return form.run(args, kwargs) if isinstance(form, TransformedFunction) else form(*args, **kwargs)


def _inside(options):
    return options.replace(templates={}, variable_numbers=frozenset(), capture_mode="ast")


def _callees(options):
    return Callees(functools.partial(_compile_function, options), functools.partial(_compile_cell, options))


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
        self._numbers = {}  # place of a number -> the values that it has had

    def __call__(self, compiled, args, kwargs):
        if self.split is None and len(self.report.compilations) >= MOST_GRAPHS:
            self.report.falls_back(f"compiled {MOST_GRAPHS} times, so Python runs it where no graph fits")
            self.give_up(compiled)
        return super().__call__(compiled, args, kwargs)

    def give_up(self, compiled):
        """Makes no more graphs; those that were hardly used go."""
        self.split = compiled.python_form = self.function
        if compiled.hits < MOST_GRAPHS:
            compiled.clear()

    def options_for(self, args, kwargs, remember=True):
        options, kind = super().options_for(args, kwargs, remember)
        variable = set()
        for place, value in enumerate(args):
            if is_plain_number(value):
                seen = self._numbers.setdefault(place, set())
                if remember and len(seen) <= _CONSTANT_VALUES:
                    seen.add((type(value), value))
                if len(seen) > _CONSTANT_VALUES:
                    variable.add((place,))
        return options.replace(variable_numbers=frozenset(variable)), kind


class PartCompiler(InnerCompiler):
    """Compiles a part of a split function. Where it needs Python, the function around it is told."""

    def __init__(self, function, options, templates=None, *, shape, owner):
        super().__init__(function, options, templates)
        self._shape = shape
        self._owner = owner  # a weak reference to the SplitFunction
        self._last = {}  # place of an object -> which object it was when a graph was made
        first, last = shape.statements[0].lineno, shape.statements[-1].end_lineno
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        name = f"{function.__qualname__}, {lines}"
        self.report = CompileReport(name, (function.__code__.co_filename, first), hints=False, inner=True)

    def takes(self, args, kwargs):
        return True

    def _compile(self, compiled, args, kwargs):
        unfit = {
            name: why
            for place, name in enumerate(self._shape.takes)
            if (why := self._unfit(place, args[place]))
        }
        if unfit:
            self._split(compiled, _statements_with(unfit, self._shape.statements))
            return None, None
        entry, kind = super()._compile(compiled, args, kwargs)
        owner = self._owner()
        if entry is not None and owner is not None and not entry.program.report["nodes_before"]:
            # Nothing is computed: Python itself moves values faster.
            self.split = compiled.python_form = self.function
            for statement in self._shape.statements:
                owner.cut(statement, "")
        return entry, kind

    def give_up(self, compiled):
        super().give_up(compiled)
        owner = self._owner()
        if owner is not None and not compiled.entries:
            for statement in self._shape.statements:
                owner.cut(statement, "what it is given changes from call to call")

    def _unfit(self, place, value):
        """Why a value is not looked at by graphs, in words; empty if it may be."""
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
        before = self._last.get(place)
        self._last[place] = id(value)
        if before is not None and before != id(value):
            return f"it works on an object of class {cls.__name__}, another one in each call"
        return ""

    def split_at(self, compiled, refusal, options):
        own = {part for each in self._shape.statements for part in ast.walk(each)}
        left = [refusal.statement] if refusal.statement in own else self._shape.statements
        self._split(compiled, dict.fromkeys(left, refusal.because), refusal.expression)

    def _split(self, compiled, cuts, expression=None):
        cuts = cuts or dict.fromkeys(self._shape.statements, "what it is given is not looked at by graphs")
        self.split = split_function(compiled, self.function, self.options, self._owner())
        for statement, because in cuts.items():
            self.split.cut(statement, because, expression)
            self.report.splits(because, statement.lineno)


def _statements_with(names, statements):
    """The innermost statements that mention one of the names -> what is said of the name."""
    found = {}
    stack = list(statements)
    while stack:
        statement = stack.pop()
        heads = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, _BLOCKS)]
        mentioned = [
            part.id
            for head in heads
            for part in ast.walk(head)
            if isinstance(part, ast.Name) and part.id in names
        ]
        if mentioned:
            found[statement] = names[mentioned[0]]
        stack += _blocks(statement)
    return found


def _blocks(statement):
    """The statements directly inside of a compound one."""
    for part in ast.iter_child_nodes(statement):
        if isinstance(part, ast.stmt):
            yield part
        elif isinstance(part, (ast.ExceptHandler, ast.match_case)):
            yield from part.body
