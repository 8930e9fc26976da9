"""The reader of syntax trees: walks the statements and expressions of a function's source."""

import ast

from dyad._src.capture.readers.ast.code import SyntaxTree
from dyad._src.capture.readers.ast.comprehensions import ComprehensionReader
from dyad._src.capture.readers.ast.expressions import ExpressionReader
from dyad._src.capture.readers.ast.loops import LoopReader
from dyad._src.capture.readers.ast.patterns import PatternReader
from dyad._src.capture.readers.ast.source import source_of
from dyad._src.capture.readers.ast.statements import StatementReader
from dyad._src.capture.readers.ast.try_statements import TryReader, WithReader
from dyad._src.capture.semantics.code import Reader


class AstReader(Reader):
    """Reads functions whose source is there.

    Its parts have a method for each class of node: `execute_X` gives the completion of a statement, `evaluate_X` the
    value of an expression.
    """

    def __init__(self, interpreter):
        self.interpreter = interpreter
        self.statements = StatementReader(self)
        self.loops = LoopReader(self)
        self.try_statements = TryReader(self)
        self.with_statements = WithReader(self)
        self.patterns = PatternReader(self)
        self.expressions = ExpressionReader(self)
        self.comprehensions = ComprehensionReader(self)
        # What all parts ask for.
        self.execute_block = self.statements.execute_block
        self.assign = self.statements.assign
        self.evaluate = self.expressions.evaluate
        self.test = self.expressions.test
        self.executors = _methods_by_node(
            "execute_", self.statements, self.loops, self.try_statements, self.with_statements
        )
        self.evaluators = _methods_by_node("evaluate_", self.expressions, self.comprehensions)

    def code_of(self, function):
        """The Code of a function, from its source."""
        source = source_of(function)
        return SyntaxTree(source.node, source)


def _methods_by_node(prefix, *parts):
    """Class of a node -> the method named after it, such as `execute_For` for the prefix `execute_`."""
    return {
        getattr(ast, name.removeprefix(prefix)): getattr(part, name)
        for part in parts
        for name in dir(type(part))
        if name.startswith(prefix) and hasattr(ast, name.removeprefix(prefix))
    }
