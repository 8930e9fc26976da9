"""Reads `with`."""

import functools


class WithReader:
    """Hands the block of `with` to the semantics as a callable, each manager inside of the one before."""

    def execute_With(self, statement, first=0):
        if first == len(statement.items):
            return self.execute_block(statement.body)
        item = statement.items[first]
        manager = self.evaluate(item.context_expr)
        self.at(item.context_expr)
        inside = functools.partial(self._inside_with, statement, first)
        return self.with_block(manager, inside, item.context_expr, statement.body[0])

    def _inside_with(self, statement, first, value):
        target = statement.items[first].optional_vars
        if target is not None:
            self.assign(target, value)
        return self.execute_With(statement, first + 1)
