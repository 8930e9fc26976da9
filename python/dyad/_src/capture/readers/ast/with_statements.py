"""Reads `with`."""

import functools

from dyad._src.capture.readers.ast.part import ReaderPart


class WithReader(ReaderPart):
    """Hands the block of `with` to the semantics as a callable, each manager inside of the one before."""

    def execute_With(self, statement, first=0):
        if first == len(statement.items):
            return self.reader.execute_block(statement.body)
        item = statement.items[first]
        manager = self.reader.evaluate(item.context_expr)
        self.interpreter.at(item.context_expr)
        inside = functools.partial(self._inside_with, statement, first)
        return self.interpreter.with_blocks.with_block(manager, inside, item.context_expr, statement.body[0])

    def _inside_with(self, statement, first, value):
        target = statement.items[first].optional_vars
        if target is not None:
            self.reader.assign(target, value)
        return self.execute_With(statement, first + 1)
