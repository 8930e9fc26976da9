"""Which names are still needed behind each statement of a function, and which are bound for certain."""

import ast
from typing import NamedTuple

from dyad._src.jit.graph_break.source.uses import (
    names_bound_by,
    names_certainly_bound,
    names_read,
    names_written,
)

_NOTHING: frozenset = frozenset()


class Exits(NamedTuple):
    """The names needed where a statement does not go on behind itself: at `break`, `continue` and an exception."""

    on_break: frozenset = _NOTHING
    on_continue: frozenset = _NOTHING
    on_error: frozenset = _NOTHING


class Liveness:
    """`after[statement]`: the names that may be read behind it. `on_error[statement]`: where it raises."""

    def __init__(self, body):
        self.after = {}
        self.on_error = {}
        self.block(body, _NOTHING, Exits())

    def block(self, statements, after, exits):
        """The names needed in front of statements, given those needed behind them."""
        for statement in reversed(statements):
            self.after[statement] = after
            self.on_error[statement] = exits.on_error
            after = self._before(statement, after, exits)
        return after

    def _before(self, statement, after, exits):
        method = getattr(self, f"_before_{type(statement).__name__}", None)
        if method is not None:
            return frozenset(method(statement, after, exits)) | exits.on_error
        return (after - names_certainly_bound(statement)) | names_read(statement) | exits.on_error

    def _before_Return(self, statement, after, exits):
        return names_read(statement)

    _before_Raise = _before_Return

    def _before_Break(self, statement, after, exits):
        return exits.on_break

    def _before_Continue(self, statement, after, exits):
        return exits.on_continue

    def _before_If(self, statement, after, exits):
        arms = self.block(statement.body, after, exits) | self.block(statement.orelse, after, exits)
        return names_read(statement.test) | arms

    def _before_While(self, statement, after, exits):
        ended = self.block(statement.orelse, after, exits)
        return self._loop(statement, names_read(statement.test) | ended, _NOTHING, after, exits)

    def _before_For(self, statement, after, exits):
        ended = self.block(statement.orelse, after, exits)
        bound = names_bound_by(statement.target)
        reads = names_read(statement.target)
        return names_read(statement.iter) | self._loop(statement, reads | ended, bound, after, exits)

    _before_AsyncFor = _before_For

    def _loop(self, statement, head, bound, after, exits):
        """The names needed where a turn begins, the least set that the body does not enlarge."""
        while True:
            inside = exits._replace(on_break=after, on_continue=head)
            larger = head | (self.block(statement.body, head, inside) - bound)
            if larger == head:
                return head
            head = larger

    def _before_With(self, statement, after, exits):
        # The manager may swallow an exception of the body: what is needed behind it is needed then.
        body = self.block(statement.body, after, exits._replace(on_error=exits.on_error | after))
        for item in reversed(statement.items):
            if item.optional_vars is not None:
                body = (body - names_bound_by(item.optional_vars)) | names_read(item.optional_vars)
            body |= names_read(item.context_expr)
        return body

    _before_AsyncWith = _before_With

    def _before_Try(self, statement, after, exits):
        final = self.block(statement.finalbody, after | exits.on_error, exits)
        if statement.finalbody:
            left = final | exits.on_error
            exits = Exits(exits.on_break | left, exits.on_continue | left, left)
        caught = exits.on_error
        for handler in statement.handlers:
            body = self.block(handler.body, final, exits)
            caught = caught | (body - {handler.name})
            if handler.type is not None:
                caught |= names_read(handler.type)
        ended = self.block(statement.orelse, final, exits)
        return self.block(statement.body, ended, exits._replace(on_error=frozenset(caught)))

    _before_TryStar = _before_Try

    def _before_Match(self, statement, after, exits):
        needed = set(after)
        for case in statement.cases:
            needed |= self.block(case.body, after, exits) | names_read(case.pattern)
            if case.guard is not None:
                needed |= names_read(case.guard)
        return needed | names_read(statement.subject)


class Bound:
    """Which names are bound for certain behind statements. `None` stands for a place that is never reached."""

    def after_block(self, statements, bound):
        """The names bound behind statements, given those bound in front of them; None if nothing comes behind."""
        for statement in statements:
            if bound is None:
                return None
            bound = self.after(statement, bound)
        return bound

    def after(self, statement, bound):
        """The names bound behind one statement."""
        method = getattr(self, f"_after_{type(statement).__name__}", None)
        if method is not None:
            return method(statement, bound)
        return bound | names_certainly_bound(statement)

    def _after_leaving(self, statement, bound):
        return None

    _after_Return = _after_Raise = _after_Break = _after_Continue = _after_leaving

    def _after_Delete(self, statement, bound):
        return bound - names_written(statement)

    def _after_If(self, statement, bound):
        return _both(self.after_block(statement.body, bound), self.after_block(statement.orelse, bound))

    def _after_loop(self, statement, bound):
        deleted = self.may_delete(statement)
        return bound - deleted

    _after_For = _after_While = _after_AsyncFor = _after_loop

    def _after_With(self, statement, bound):
        inner = bound
        for item in statement.items:
            if item.optional_vars is not None:
                inner = inner | names_bound_by(item.optional_vars)
        # The body may be left by an exception that the manager swallows.
        return (bound if self.after_block(statement.body, inner) is None else inner) - self.may_delete(
            statement
        )

    _after_AsyncWith = _after_With

    def _after_Try(self, statement, bound):
        start = bound - self.may_delete(statement)
        ends = self.after_block([*statement.body, *statement.orelse], bound)
        for handler in statement.handlers:
            ends = _both(ends, self.after_block(handler.body, start))
        if ends is None:
            return None
        return self.after_block(statement.finalbody, ends)

    _after_TryStar = _after_Try

    def _after_Match(self, statement, bound):
        return bound - self.may_delete(statement)

    def may_delete(self, statement):
        """The names that a statement may unbind."""
        deleted = set()
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del):
                deleted.add(part.id)
            elif isinstance(part, ast.ExceptHandler) and part.name:
                deleted.add(part.name)
        return deleted


def _both(first, second):
    if first is None:
        return second
    return first if second is None else first & second
