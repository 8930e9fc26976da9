"""Reads `while` and `for`."""

import ast
import functools

from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.semantics.control.loops import Loop


class LoopReader(ReaderPart):
    """Hands the blocks of a loop to the semantics as callables."""

    def execute_While(self, statement):
        return self.interpreter.loops.while_loop(
            self._loop(statement),
            functools.partial(self.reader.test, statement.test),
            statement.test,
        )

    def execute_For(self, statement):
        iterable = self.reader.evaluate(statement.iter)
        self.interpreter.at(statement.iter)
        return self.interpreter.loops.for_loop(
            self._loop(statement),
            iterable,
            functools.partial(self.reader.assign, statement.target),
        )

    def _loop(self, statement):
        return Loop(
            statement,
            statement,
            functools.partial(self.reader.execute_block, statement.body),
            functools.partial(self.reader.execute_block, statement.orelse),
            functools.partial(_has_conditional_exit, statement.body),
        )


def _has_conditional_exit(statements, inside_if=False):
    """Returns whether a loop's body leaves the turn or the loop under a condition, judged by its text."""
    for statement in statements:
        if isinstance(statement, (ast.Return, ast.Break)) and inside_if:
            return True
        if isinstance(statement, (ast.For, ast.While)):
            if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                return True
            continue
        blocks = [getattr(statement, name, None) for name in ("body", "orelse", "finalbody")]
        blocks += [case.body for case in getattr(statement, "cases", ())]
        branches = isinstance(statement, (ast.If, ast.Match)) or inside_if
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        if any(_has_conditional_exit(block, branches) for block in blocks if isinstance(block, list)):
            return True
    return False
