"""A function that Python runs, with graphs for the statements that can be ones."""

import ast
import dataclasses
import itertools
import types
import weakref

from dyad._src.capture.readers.ast.scopes import scope_of_function
from dyad._src.capture.readers.ast.source import remember_source, source_of
from dyad._src.jit.split.annotations import Annotation
from dyad._src.jit.split.build import build_function
from dyad._src.jit.split.host_form import CALLEE_NAME, HostForm
from dyad._src.jit.split.partition import UNBOUND_NAME, Partition, annotation_name
from dyad._src.jit.split.timing import Timing
from dyad._src.jit.split.uses import names_captured, own_nodes, suspends

# The call, after the function was written, in which its parts are timed: the ones before compile them.
_TIMED_CALL = 4
_SLOW = 1e-3  # seconds of host code that are worth a word
# A function that asks for its own names as a dict is run as it is written.
_ASK_FOR_NAMES = frozenset(("locals", "vars", "dir", "eval", "exec"))


class Unbound:
    """Stands for a name that is not bound, where names are handed from one part to the next."""

    def __repr__(self):
        return "<unbound>"


UNBOUND = Unbound()


@dataclasses.dataclass(frozen=True)
class Cut:
    """A statement that Python executes, and why; `because` is empty where there is nothing to compute in a graph."""

    statement: ast.stmt
    because: str


@dataclasses.dataclass(frozen=True)
class Piece:
    """A stretch of a split function, from line to line: a part that is a graph, or a statement that Python runs.

    `because` says why Python runs it. `graphs` is how many graphs a part has, `calls` how often it was called,
    `seconds` how long it took in the call that was timed.
    """

    first_line: int
    last_line: int
    is_graph: bool
    because: str = ""
    graphs: int = 0
    calls: int = 0
    seconds: float | None = None
    compiled: object = dataclasses.field(default=None, repr=False)


class SplitFunction:
    """Runs one function in Python. Where it can, a part of the function is a compiled function of its own.

    `make_part(function, shape, owner)` compiles a part, `callees` gives what host code calls. Parts that turn out to
    need Python add a cut here; the next call runs a function that is made anew. The function as it is now is the
    `python_form` of `compiled`, so that a call need not come through here.
    """

    def __init__(self, compiled, function, make_part, callees, parent=None):
        self._compiled = weakref.ref(compiled)
        self.function = function
        self.source = source_of(function)
        self._node = _as_function(self.source.node)
        self._make_part = make_part
        self.callees = callees
        self.root = self if parent is None else parent.root
        self.cuts = {} if parent is None else parent.cuts
        # An expression -> a statement that returns it.
        self._returns = {} if parent is None else parent._returns
        self._numbers = itertools.count()
        self.parts = {}  # PartShape -> (name, compiled part)
        self._part_cells = {}  # name of a part -> the cell in which the function finds it
        self._version = None
        self._run = function
        self._calls = 0  # since it was written
        self.timing = None  # of a call in which nothing was compiled
        self.on_slow = None  # called with the Timing if host code takes most of the time

    def __call__(self, *args, **kwargs):
        run = self.runnable()
        self._calls += 1
        if self._calls < _TIMED_CALL:
            return run(*args, **kwargs)
        self._install(run)
        if self.timing is not None or self.root is not self or suspends(self._node):
            return run(*args, **kwargs)
        self.timing = Timing()
        try:
            return self.timing.run(self._part_cells, run, args, kwargs)
        finally:
            if self.on_slow is not None and self.timing.host > max(_SLOW, self.timing.whole / 2):
                self.on_slow(self.timing)

    def runnable(self):
        """The function as Python runs it now."""
        if self._version != len(self.cuts):
            self._rebuild()
            self._calls, self.timing = 0, None
        return self._run

    def cut(self, statement, because, expression=None):
        """Leaves a statement to Python from now on, without one all of them; `expression` is the cause in it."""
        for each in self._node.body if statement is None else [statement]:
            self.cuts.setdefault(each, Cut(each, because))
        if expression is not None:
            self.cuts.setdefault(expression, Cut(expression, ""))
        self.root._install(self.root)
        self._install(self)

    def pieces(self):
        """The stretches of the function in the order of their lines."""
        self.runnable()
        found = [
            Piece(cut.statement.lineno, _last_line_of_head(cut.statement), False, cut.because)
            for cut in self.cuts.values()
            if cut.because
        ]
        times = {} if self.timing is None else self.timing.parts
        for shape, (name, part) in self.parts.items():
            first, last = shape.statements[0].lineno, shape.statements[-1].end_lineno
            calls = part.hits + part.misses
            found.append(Piece(first, last, True, "", len(part.entries), calls, times.get(name), part))
        return sorted(found, key=lambda piece: (piece.first_line, piece.is_graph))

    def _install(self, form):
        compiled = self._compiled()
        if compiled is not None:
            compiled.python_form = form

    def _rebuild(self):
        version = len(self.cuts)
        function, node = self.function, self._node
        mentioned = {part.id for part in own_nodes(*node.body) if isinstance(part, ast.Name)}
        if mentioned & _ASK_FOR_NAMES:
            self._run, self._version = function, version
            return
        scope = scope_of_function(node)
        kept, self.parts = self.parts, {}

        def part_name(shape):
            known = kept.get(shape) or self.parts.get(shape)
            if known is None:
                known = f".part_{next(self._numbers)}", self._new_part(shape)
            self.parts[shape] = known
            return known[0]

        def expression_part(expression, takes):
            statement = self._returns.setdefault(expression, _returning(expression))
            if statement in self.cuts or any(part in self.cuts for part in ast.walk(expression)):
                return None
            return part_name(partition.expression_shape(statement, takes))

        names = scope.bound | set(function.__code__.co_freevars)
        host = HostForm(names, function.__globals__, expression_part, names_captured(node)[1])
        annotations = self._annotations()
        partition = Partition(node, scope, self.cuts, part_name, host, annotations)
        kind = ast.AsyncFunctionDef if isinstance(node, ast.AsyncFunctionDef) else ast.FunctionDef
        rewritten = kind(
            name=node.name, args=_without_values(node.args), body=partition.body(), decorator_list=[]
        )
        rewritten.type_params = []
        cells = self._part_cells = {name: types.CellType(part) for name, part in self.parts.values()}
        cells = cells | {
            annotation_name(line): types.CellType(stated) for line, stated in annotations.items()
        }
        cells |= {CALLEE_NAME: types.CellType(self.callees), UNBOUND_NAME: types.CellType(UNBOUND)}
        run = build_function(ast.copy_location(rewritten, node), function, cells)
        run.__defaults__, run.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        run.__module__, run.__qualname__ = function.__module__, function.__qualname__
        self._run, self._version = run, version

    def _annotations(self):
        """Line -> the type that a comment states for it, for lines of this function."""
        first, last = self._node.lineno, self._node.end_lineno
        return {
            line: Annotation(text, self.source.filename, line)
            for line, text in self.source.typings.items()
            if first <= line <= last
        }

    def _new_part(self, shape):
        node = shape.function(self.function.__name__)
        function = build_function(node, self.function, {UNBOUND_NAME: types.CellType(UNBOUND)})
        function.__module__, function.__qualname__ = self.function.__module__, self.function.__qualname__
        remember_source(function.__code__, dataclasses.replace(self.source, node=node))
        return self._make_part(function, shape, weakref.ref(self))


def _returning(expression):
    return ast.copy_location(ast.Return(expression), expression)


def _last_line_of_head(statement):
    """Where a statement ends; of a compound one, its header."""
    body = getattr(statement, "body", None)
    if not isinstance(body, list):
        cases = getattr(statement, "cases", None)
        return statement.end_lineno if not cases else statement.lineno
    return max(statement.lineno, body[0].lineno - 1)


def _as_function(node):
    if not isinstance(node, ast.Lambda):
        return node
    body = [ast.copy_location(ast.Return(node.body), node.body)]
    made = ast.FunctionDef(name="<lambda>", args=node.args, body=body, decorator_list=[], type_params=[])
    return ast.copy_location(made, node)


def _without_values(arguments):
    """Parameters without defaults and annotations: the function object has them."""

    def bare(argument):
        return None if argument is None else ast.copy_location(ast.arg(argument.arg), argument)

    return ast.arguments(
        posonlyargs=list(map(bare, arguments.posonlyargs)),
        args=list(map(bare, arguments.args)),
        vararg=bare(arguments.vararg),
        kwonlyargs=list(map(bare, arguments.kwonlyargs)),
        kw_defaults=[None] * len(arguments.kwonlyargs),
        kwarg=bare(arguments.kwarg),
        defaults=[],
    )
