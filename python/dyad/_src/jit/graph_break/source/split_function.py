"""A function that Python runs, with graphs for the statements that can be ones."""

import ast
import dataclasses
import types
import weakref
from typing import Any

from dyad._src.capture.readers.ast.scopes import scope_of_function
from dyad._src.capture.readers.ast.source import remember_source, source_of
from dyad._src.jit.graph_break.source.annotations import Annotation
from dyad._src.jit.graph_break.source.build import build_function
from dyad._src.jit.graph_break.source.host_form import CALLEE_NAME, HostForm
from dyad._src.jit.graph_break.source.partition import UNBOUND_NAME, Partition, annotation_name
from dyad._src.jit.graph_break.source.uses import names_captured, own_nodes, suspends
from dyad._src.jit.graph_break.split_program import (
    ASK_FOR_NAMES,
    SEE_GRADIENTS,
    UNBOUND,
    Cut,
    Piece,
    SplitProgram,
)


class SplitFunction(SplitProgram):
    """A function split by its syntax tree: the parts are runs of statements, cuts are statements."""

    def __init__(self, compiled, function, make_part, callees, parent=None):
        super().__init__(compiled, function, make_part, callees, parent)
        self.source = source_of(function)
        self._node = _as_function(self.source.node)
        # An expression -> a statement that returns it.
        self._returns = {} if parent is None else parent._returns
        # A shape -> the part of it that was made last, here or where a part of this function was split.
        self._made = {} if parent is None else parent._made

    def cut(self, statement, because, expression=None):
        """Leaves a statement to Python from now on, without one all of them; `expression` is the cause in it."""
        statements = (node for node in own_nodes(*self._node.body) if isinstance(node, ast.stmt))
        for each in statements if statement is None else [statement]:
            self.cuts.setdefault(each, Cut(each, because))
        if expression is not None:
            self.cuts.setdefault(expression, Cut(expression, ""))
        self._announce()

    def _host_pieces(self):
        return [
            Piece(cut.statement.lineno, _last_line_of_head(cut.statement), False, cut.because)
            for cut in self.cuts.values()
            if cut.because
        ]

    def _suspends(self):
        return suspends(self._node)

    def _rebuilt(self):
        function, node = self.function, self._node
        own = list(own_nodes(*node.body))
        names = {part.id for part in own if isinstance(part, ast.Name)}
        attributes = {part.attr for part in own if isinstance(part, ast.Attribute)}
        if names & ASK_FOR_NAMES or attributes & SEE_GRADIENTS:
            return function
        scope = scope_of_function(node)
        kept, self.parts = self.parts, {}

        def part_name(shape):
            known = kept.get(shape) or self.parts.get(shape)
            if known is None:
                known = f".part_{next(self._numbers)}", self._made_part(shape)
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
        stretch = self._stretch(self._count_before_cut())
        partition = Partition(node, scope, self.cuts, part_name, host, annotations, stretch)
        kind: Any = ast.AsyncFunctionDef if isinstance(node, ast.AsyncFunctionDef) else ast.FunctionDef
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
        return run

    def _count_before_cut(self):
        """The number of statements up to the first that Python executes, that included."""
        for count, statement in enumerate(self._node.body, 1):
            if any(part in self.cuts for part in ast.walk(statement)):
                return count
        return len(self._node.body)

    def _annotations(self):
        """Line -> the type that a comment states for it, for lines of this function."""
        first, last = self._node.lineno, self._node.end_lineno
        return {
            line: Annotation(text, self.source.filename, line)
            for line, text in self.source.typings.items()
            if first <= line <= last
        }

    def _made_part(self, shape):
        """The part of a shape; one that was compiled while a larger part was split is used again."""
        part = self._made.get(shape)
        if part is None:
            part = self._made[shape] = self._new_part(shape)
        else:
            part.__jit_compiler__.belong_to(weakref.ref(self))
        return part

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
    make: Any = ast.FunctionDef
    made = make(name="<lambda>", args=node.args, body=body, decorator_list=[], type_params=[])
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
