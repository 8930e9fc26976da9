"""Reads `raise`, `assert` and `try`."""

import functools

from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.semantics.control.try_blocks import Handler
from dyad._src.capture.semantics.values import MISSING


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


class TryReader(ReaderPart):
    """Hands the blocks of `try` to the semantics as callables."""

    def execute_Raise(self, statement):
        if statement.exc is None:
            return self.interpreter.throwing.raise_again()
        error = self.reader.evaluate(statement.exc)
        cause = self.reader.evaluate(statement.cause) if statement.cause is not None else MISSING
        self.interpreter.at(statement)
        return self.interpreter.throwing.raise_exception(error, cause)

    def execute_Assert(self, statement):
        def fail():
            self.interpreter.at(statement)
            arguments = () if statement.msg is None else (self.reader.evaluate(statement.msg),)
            self.interpreter.throwing.throw(AssertionError(*arguments))

        self.interpreter.branches.branch(self.reader.test(statement.test), lambda: None, fail)

    def execute_Try(self, statement):
        body = functools.partial(self._execute_handled, statement)
        if not statement.finalbody:
            return body()
        finalbody = functools.partial(self.reader.execute_block, statement.finalbody)
        return self.interpreter.try_blocks.try_finally(body, finalbody, statement, statement.body[0])

    def _execute_handled(self, statement):
        """`try` without its `finally`."""
        body = functools.partial(self.reader.execute_block, statement.body)
        if not statement.handlers:
            return body()
        orelse = functools.partial(self.reader.execute_block, statement.orelse) if statement.orelse else None
        handlers = [self._handler(handler) for handler in statement.handlers]
        return self.interpreter.try_blocks.try_except(body, handlers, orelse, statement, statement.body[0])

    def _handler(self, handler):
        classes = None if handler.type is None else functools.partial(self.reader.evaluate, handler.type)
        body = functools.partial(self.reader.execute_block, handler.body)
        return Handler(classes, handler.type, handler.name, body)
