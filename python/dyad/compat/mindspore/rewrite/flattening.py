"""Statements in which every operation has a name: what stands inside an expression becomes a statement before it.

Operands are named in the order in which Python evaluates them. What Python may leave out (the arms of a conditional
expression, the rest of an `and`) or repeat (the condition of a `while`) stays where it is.
"""

import ast

from dyad.compat.mindspore.rewrite.scoped_value import is_path

_OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare)


class Flattener:
    """Flattens the statements of one function; `taken` are the names that it has already."""

    def __init__(self, taken):
        self.taken = taken

    def fresh(self, stem):
        """A name that nothing has."""
        name, number = stem, 0
        while name in self.taken:
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        return name

    def statements(self, given):
        """The statements of a body."""
        made = []
        for statement in given:
            made += self._statement(statement)
        return made

    def _statement(self, statement):
        before: list = []
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            if statement.value is not None:
                statement.value = self._operation(statement.value, before)
        elif isinstance(statement, ast.Return):
            if statement.value is not None:
                statement.value = self._atom(statement.value, before)
        elif isinstance(statement, ast.If):
            if isinstance(statement.test, _OPERATIONS):
                statement.test = self._atom(statement.test, before)
            self._bodies(statement)
        elif isinstance(statement, (ast.For, ast.While, ast.With)):
            self._bodies(statement)
        return [*before, statement]

    def _bodies(self, statement):
        for name in ("body", "orelse"):
            if getattr(statement, name, None):
                setattr(statement, name, self.statements(getattr(statement, name)))

    def _operation(self, expression, before):
        """The expression with atoms for operands."""
        if isinstance(expression, ast.Call):
            if not is_path(expression.func) and isinstance(expression.func, ast.Attribute):
                expression.func.value = self._atom(expression.func.value, before)
            expression.args = [self._atom(each, before) for each in expression.args]
            for keyword in expression.keywords:
                keyword.value = self._atom(keyword.value, before)
        elif isinstance(expression, ast.BinOp):
            expression.left = self._atom(expression.left, before)
            expression.right = self._atom(expression.right, before)
        elif isinstance(expression, ast.UnaryOp):
            expression.operand = self._atom(expression.operand, before)
        elif isinstance(expression, ast.Compare) and len(expression.comparators) == 1:
            expression.left = self._atom(expression.left, before)
            expression.comparators = [self._atom(expression.comparators[0], before)]
        return expression

    def _atom(self, expression, before):
        """The expression itself if it is a name, a path or a constant; else a name for it."""
        if isinstance(expression, (ast.Constant, ast.Lambda)) or is_path(expression):
            return expression
        if isinstance(expression, ast.Starred):
            expression.value = self._atom(expression.value, before)
            return expression
        if isinstance(expression, (ast.Tuple, ast.List)):
            expression.elts = [self._atom(each, before) for each in expression.elts]
            return expression
        value = self._operation(expression, before)
        name = self.fresh(f"{stem_of(value)}_var")
        target = ast.Name(name, ast.Store())
        before.append(ast.copy_location(ast.Assign([target], value), expression))
        return ast.copy_location(ast.Name(name, ast.Load()), expression)


def stem_of(expression):
    """Base of the name of an operation."""
    if isinstance(expression, ast.Call):
        func = expression.func
        return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "call")
    if isinstance(expression, ast.Compare):
        return "compare"
    if isinstance(expression, (ast.BinOp, ast.UnaryOp)):
        return type(expression.op).__name__.lower()
    return type(expression).__name__.lower()
