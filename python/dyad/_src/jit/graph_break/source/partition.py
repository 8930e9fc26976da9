"""The body of a function that Python runs, with calls of parts in place of the statements that become graphs."""

import ast
import copy
import dataclasses
from typing import Any

from dyad._src.jit.graph_break.source.liveness import Bound, Exits, Liveness
from dyad._src.jit.graph_break.source.uses import (
    DEFINITIONS,
    argument_names,
    leaves_loop,
    names_bound_by,
    names_bound_once,
    names_captured,
    names_kept,
    names_read,
    names_written,
    own_nodes,
    returns,
    scope_of_block,
    statements_with,
    suspends,
)

_COMPOUND = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)
_ALWAYS_HOST = (*DEFINITIONS, ast.Import, ast.ImportFrom, ast.Delete, ast.Raise)
_DECLARATIONS = (ast.Global, ast.Nonlocal)

# What stands for a name that is not bound. Names with a dot cannot be written in a program.
UNBOUND_NAME = ".unbound"


def annotation_name(line):
    """The name under which the rewritten function finds the type that is stated in a line."""
    return f".annotation_{line}"


@dataclasses.dataclass(frozen=True)
class PartShape:
    """Statements that become one graph, and how they are tied to the rest of the function.

    `takes` are the names that the part is given, `gives` those that it hands back; of the `unsure_` ones it is only
    known when the function runs whether they are bound. A part that `ends` gives what the function returns.
    """

    statements: tuple
    takes: tuple
    unsure_takes: tuple
    gives: tuple
    unsure_gives: tuple
    ends: bool
    declarations: tuple

    @property
    def first_line(self):
        """The line in which the statements begin."""
        return self.statements[0].lineno

    @property
    def last_line(self):
        """The line in which they end."""
        return self.statements[-1].end_lineno

    def held(self, statement):
        """The statement, if it is one of them or inside of one; else None."""
        inside = any(part is statement for each in self.statements for part in ast.walk(each))
        return statement if inside else None

    def given_by(self, result=None):
        """The statements that make what the part gives back; none where that is not told."""
        return ()

    def line_of(self, statement):
        """The line in which a statement begins."""
        return statement.lineno

    def statements_with(self, names):
        """The innermost statements that mention one of the names -> what `names` says of it."""
        return statements_with(names, self.statements)

    def function(self, name):
        """The part as the syntax tree of a function."""
        first, last = self.statements[0], self.statements[-1]
        body = [*self.declarations]
        body += [_if_unbound(taken, [_delete(taken)], first) for taken in self.unsure_takes]
        body += self.statements
        if not self.ends:
            body += [_note_bound(f".out_{given}", given, last) for given in self.unsure_gives]
            given = [f".out_{name}" if name in self.unsure_gives else name for name in self.gives]
            body.append(_glue(last, ast.Return(_packed(given, ast.Load()) if given else None)))
        arguments = ast.arguments(
            posonlyargs=[_at(first, ast.arg(taken)) for taken in self.takes],
            args=[], kwonlyargs=[], kw_defaults=[], defaults=[],
        )  # fmt: skip
        node: Any = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[])
        node.type_params = []
        return ast.fix_missing_locations(
            ast.copy_location(node, ast.Pass(**{**_span(first), **_end_of(last)}))
        )


class Partition:
    """Rewrites one function. `cuts` are the statements that Python executes itself; of a compound one, the header.

    `part_name(shape)` gives the name under which the rewritten function finds a part; `host(node, bound)` the form in
    which Python executes a statement or expression. `annotations` are the types that comments state, by line. With a
    `stretch` parts have so many statements of the function's own block at most.
    """

    def __init__(self, node, scope, cuts, part_name, host, annotations=None, stretch=None):
        self._body = node.body
        self._cuts = cuts
        self._part_name = part_name
        self._host = host
        self._annotations = annotations or {}
        self._stretch = stretch
        self._names = scope.bound
        self._parameters = argument_names(node.args)
        self._liveness = Liveness(node.body)
        self._captured, self._rebound_inside = names_captured(node)
        for annotation in self._annotations.values():
            self._captured.update(annotation.names)
        self._bound_once = names_bound_once(node)
        self._handles = False  # whether what is rewritten stands in a handler of exceptions
        self._declared: dict = {}
        for part in own_nodes(*node.body):
            if isinstance(part, _DECLARATIONS):
                self._declared.update((name, type(part)) for name in part.names)

    def body(self):
        """The statements of the rewritten function."""
        declarations = [part for part in own_nodes(*self._body) if isinstance(part, _DECLARATIONS)]
        body = [*declarations, *self._block(self._body, frozenset(self._parameters), tail=True)]
        return [*body, *self._still_local(body)]

    def _still_local(self, body):
        """A statement that does nothing and keeps names local whose assignments are all in parts now."""
        named = {each.id for part in body for each in ast.walk(part) if isinstance(each, ast.Name)}
        lost = sorted((named & self._names) - scope_of_block(body).bound - set(self._parameters))
        last = self._body[-1]
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in lost]
        never = ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], [])
        return [_glue(last, _at(last, never))] if lost else []

    def _block(self, statements, bound, tail):
        statements = [each for each in statements if not _does_nothing(each)]
        in_graph = [self._fits_graph(statement) for statement in statements]
        self._keep_whole_returns(statements, in_graph, tail)
        run: list = []
        made = []
        for at, statement in enumerate(statements):
            if bound is None:
                bound = frozenset()
            if not in_graph[at]:
                bound_before = self._bound_before(run, bound)
                made += self._flush(run, bound, ends=False)
                run = []
                bound = bound_before
                made.append(self._in_python(statement, bound, tail and at == len(statements) - 1))
                made += self._checks(statement)
                bound = Bound().after(statement, bound) or frozenset()
                continue
            run.append(statement)
            if self._is_long(run, statements) or self._must_end(statement) or _always_returns(statement):
                bound_behind = self._bound_before(run, bound)
                made += self._flush(run, bound, ends=returns(statement))
                run, bound = [], bound_behind
        made += self._flush(run, bound, ends=tail or any(map(returns, run)))
        return made or [ast.Pass()]

    def _is_long(self, run, statements):
        """Returns whether a part ends for its length; one that may return goes on to the end of the function."""
        if self._stretch is None or len(run) < self._stretch or statements[-1] is not self._body[-1]:
            return False
        return run[-1] is not self._body[-1] and not any(map(returns, run))

    def _bound_before(self, run, bound):
        return Bound().after_block(run, bound) or frozenset()

    # ---- which statements become graphs

    def _fits_graph(self, statement):
        if is_glue(statement) or any(part in self._cuts for part in ast.walk(statement)):
            return False
        if isinstance(statement, _ALWAYS_HOST) or suspends(statement) or leaves_loop(statement):
            return False
        written = names_written(statement)
        if written & self._captured or (written | names_read(statement)) & self._rebound_inside:
            return False
        if self._handles and any(
            isinstance(part, (ast.Try, ast.TryStar, ast.Raise)) for part in ast.walk(statement)
        ):
            return False  # what it raises has the exception that is handled as its context
        kept = names_kept(statement) & self._names
        if any(self._bound_once.get(name, statement.lineno) >= statement.lineno for name in kept):
            return False  # a function made here sees what the name is bound to later
        return not (isinstance(statement, _COMPOUND) and self._must_end(statement))

    def _must_end(self, statement):
        """Returns whether an exception after a statement must find its writes: nothing else may follow in its part."""
        return bool(names_written(statement) & self._liveness.on_error[statement])

    def _keep_whole_returns(self, statements, in_graph, tail):
        """A statement that may return is part of a graph only if that graph goes on to the end of the function."""
        closing = tail
        for at in reversed(range(len(statements))):
            statement = statements[at]
            if not in_graph[at]:
                closing = False
                continue
            closing = closing or _always_returns(statement)
            if returns(statement) and not closing:
                in_graph[at] = False
            elif self._must_end(statement) and not _always_returns(statement):
                closing = False

    # ---- statements that Python executes

    def _in_python(self, statement, bound, tail):
        if is_glue(statement):
            return statement
        if not isinstance(statement, _COMPOUND):
            return self._host(statement, bound)
        opened = copy.copy(statement)
        kept = bound - Bound().may_delete(statement)
        in_loop = isinstance(statement, ast.While)  # its test is evaluated again behind the body
        for name, value in ast.iter_fields(statement):
            if isinstance(value, ast.expr) and name != "target":
                setattr(opened, name, self._host(value, kept if in_loop else bound))
        method = getattr(self, f"_open_{type(statement).__name__}")
        method(statement, opened, bound, kept, tail)
        return opened

    def _checks(self, statement):
        """The check of what a statement gives, where a comment states its type."""
        line = next(
            (at for at in range(statement.lineno, statement.end_lineno + 1) if at in self._annotations), None
        )
        if (
            line is None
            or not isinstance(statement, ast.Assign)
            or not isinstance(statement.targets[0], ast.Name)
        ):
            return []
        names = [statement.targets[0].id, *self._annotations[line].names]
        check = ast.Attribute(ast.Name(annotation_name(line), ast.Load()), "check", ast.Load())
        call = ast.Call(check, [ast.Name(name, ast.Load()) for name in names], [])
        return [_at(statement, ast.Expr(call))]

    def _open_If(self, statement, opened, bound, kept, tail):
        opened.body = self._block(statement.body, bound, tail)
        opened.orelse = self._block(statement.orelse, bound, tail) if statement.orelse else []

    def _open_While(self, statement, opened, bound, kept, tail):
        opened.body = self._block(statement.body, kept, False)
        opened.orelse = self._block(statement.orelse, kept, False) if statement.orelse else []

    def _open_For(self, statement, opened, bound, kept, tail):
        opened.body = self._block(statement.body, kept | names_bound_by(statement.target), False)
        opened.orelse = self._block(statement.orelse, kept, False) if statement.orelse else []

    _open_AsyncFor = _open_For

    def _open_With(self, statement, opened, bound, kept, tail):
        opened.items = [
            ast.withitem(self._host(item.context_expr, bound), item.optional_vars) for item in statement.items
        ]
        for item in statement.items:
            if item.optional_vars is not None:
                bound = bound | names_bound_by(item.optional_vars)
        opened.body = self._block(statement.body, bound, tail)

    _open_AsyncWith = _open_With

    def _open_Try(self, statement, opened, bound, kept, tail):
        last = tail and not statement.finalbody
        opened.body = self._block(statement.body, bound, last and not statement.orelse)
        opened.handlers = []
        for handler in statement.handlers:
            made = copy.copy(handler)
            inside = kept | {handler.name} if handler.name else kept
            before, self._handles = self._handles, True
            made.body = self._block(handler.body, inside, last and isinstance(statement, ast.Try))
            self._handles = before
            opened.handlers.append(made)
        if statement.orelse:
            behind = Bound().after_block(statement.body, bound) or frozenset()
            opened.orelse = self._block(statement.orelse, behind, last)
        if statement.finalbody:
            opened.finalbody = self._block(statement.finalbody, kept, False)

    _open_TryStar = _open_Try

    def expression_shape(self, statement, takes):
        """The shape of a part that gives the value of an expression, which `statement` returns."""
        return PartShape((statement,), takes, (), (), (), True, ())

    def _open_Match(self, statement, opened, bound, kept, tail):
        opened.cases = []
        for case in statement.cases:
            made = copy.copy(case)
            if case.guard is not None:
                made.guard = self._host(case.guard)
            made.body = self._block(case.body, bound, tail)
            opened.cases.append(made)

    # ---- parts

    def _flush(self, run, bound, ends):
        """The statements of a run: the call of a part, or themselves where no operator can be in them."""
        front, run, back = _trimmed(run, keep_end=ends and any(map(returns, run)))
        made = [self._host(statement, bound) for statement in front]
        bound = self._bound_before(front, bound)
        if run:
            made += self._call(run, bound, ends and not back)
        return [*made, *(self._host(statement) for statement in back)]

    def _call(self, run, bound, ends):
        shape = self._shape(run, bound, ends)
        name, first = self._part_name(shape), run[0]
        made = [_note_bound(f".in_{taken}", taken, first) for taken in shape.unsure_takes]
        given = [f".in_{name}" if name in shape.unsure_takes else name for name in shape.takes]
        call = ast.Call(
            func=ast.Name(name, ast.Load()),
            args=[ast.Name(taken, ast.Load()) for taken in given],
            keywords=[],
        )
        if ends:
            made.append(_at(first, ast.Return(call)))
        elif shape.gives:
            made.append(_at(first, ast.Assign([_packed(shape.gives, ast.Store())], call)))
        else:
            made.append(_at(first, ast.Expr(call)))
        if not ends:
            made += [_if_unbound(given, [_delete(given)], first) for given in shape.unsure_gives]
        return made

    def _shape(self, run, bound, ends):
        written = frozenset().union(*map(names_written, run)) & self._names
        gives = frozenset() if ends else written & self._liveness.after[run[-1]]
        mentioned = frozenset().union(
            *(names_read(statement) | names_written(statement) for statement in run)
        )
        needed = Liveness([]).block(run, gives, Exits())
        takes = sorted(needed & self._names)
        if "super" in mentioned and self._parameters:
            # super() without arguments asks for the first parameter.
            takes = [self._parameters[0], *(name for name in takes if name != self._parameters[0])]
        behind = Bound().after_block(run, frozenset(bound & set(takes))) or frozenset()
        declared = {
            kind: sorted(name for name in mentioned if self._declared.get(name) is kind)
            for kind in _DECLARATIONS
        }
        return PartShape(
            tuple(run),
            tuple(takes),
            tuple(name for name in takes if name not in bound),
            tuple(sorted(gives)),
            tuple(sorted(gives - behind)),
            ends,
            tuple(_at(run[0], kind(names)) for kind, names in declared.items() if names),
        )


def _does_nothing(statement):
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    return isinstance(statement, (ast.Pass, *_DECLARATIONS))


def _always_returns(statement):
    """Returns whether a statement cannot be left at its end, judged by its text."""
    if isinstance(statement, (ast.Return, ast.Raise)):
        return True
    if not isinstance(statement, ast.If) or not statement.orelse:
        return False
    return _always_returns(statement.body[-1]) and _always_returns(statement.orelse[-1])


def _trimmed(run, keep_end):
    """(statements in front, the run, statements behind) with what only moves values taken off both ends."""
    first, last = 0, len(run)
    while first < last and _only_moves(run[first]):
        first += 1
    while last > first and _only_moves(run[last - 1]) and not keep_end:
        last -= 1
    return run[:first], run[first:last], run[last:]


def _only_moves(statement):
    if isinstance(statement, ast.Assign):
        return _is_plain(statement.value) and all(
            isinstance(target, ast.Name) for target in statement.targets
        )
    if isinstance(statement, ast.Return):
        return statement.value is None or _is_plain(statement.value)
    return False


def _is_plain(value):
    if isinstance(value, ast.Tuple):
        return all(map(_is_plain, value.elts))
    return isinstance(value, (ast.Constant, ast.Name))


# ---- small pieces of syntax trees


def _span(node):
    return {"lineno": node.lineno, "col_offset": node.col_offset, **_end_of(node)}


def _end_of(node):
    return {"end_lineno": node.end_lineno, "end_col_offset": node.end_col_offset}


def _at(place, node):
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _glue(place, node):
    """Ties a part to the rest of the function: no statement of the program, and never in a graph by itself."""
    node.is_glue = True
    return _at(place, node)


def is_glue(node):
    """Returns whether a statement was made here."""
    return getattr(node, "is_glue", False)


def _packed(names, context):
    if len(names) == 1:
        return ast.Name(names[0], context)
    return ast.Tuple([ast.Name(name, context) for name in names], context)


def _delete(name):
    return ast.Delete([ast.Name(name, ast.Del())])


def _if_unbound(name, then, place):
    test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(UNBOUND_NAME, ast.Load())])
    return _glue(place, ast.If(test, then, []))


def _note_bound(target, name, place):
    """`target = name`, or the mark of a name that is not bound."""
    read = ast.Assign([ast.Name(target, ast.Store())], ast.Name(name, ast.Load()))
    mark = ast.Assign([ast.Name(target, ast.Store())], ast.Name(UNBOUND_NAME, ast.Load()))
    handler = ast.ExceptHandler(None, None, [mark])
    return _glue(place, ast.Try([read], [handler], [], []))
