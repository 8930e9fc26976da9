"""Finds the callables in the statements of a network: members of the network, functions, operators."""

import ast
import builtins

from dyad._src.primitive.primitive import Primitive
from dyad.compat.mindspore.rewrite.flattening import stem_of
from dyad.compat.mindspore.rewrite.node import NodeType
from dyad.compat.mindspore.rewrite.scoped_value import is_path
from dyad.nn import Cell, SequentialCell

_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp)
_CONTROL = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_missing = object()


class Resolver:
    """Finds the objects behind the names of a function."""

    def __init__(self, network, function):
        self._network = network
        self._self = function.__code__.co_varnames[0]
        self._locals = set(function.__code__.co_varnames[1:])
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.names = {**function.__globals__, **{name: _content(cell) for name, cell in cells}}

    def resolve(self, statement):
        """(type, stem of the name, object) of the Node of a statement."""
        if isinstance(statement, ast.Return):
            return NodeType.Output, "return_1", None
        if isinstance(statement, _CONTROL):
            return NodeType.ControlFlow, f"{type(statement).__name__.lower()}_node", None
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call):
            found = self._object(value.func)
            return self._kind(value.func, found), stem_of(value), None if found is _missing else found
        if isinstance(value, _ARITHMETIC):
            return NodeType.MathOps, _arithmetic_name(value), None
        return NodeType.Python, type(statement).__name__.lower(), None

    def _kind(self, func, found):
        if isinstance(found, SequentialCell):
            return NodeType.CellContainer
        if isinstance(found, Cell):
            is_own = type(found).__module__.partition(".")[0] == "dyad"
            return NodeType.CallCell if is_own else NodeType.Tree
        if isinstance(found, Primitive):
            return NodeType.CallPrimitive
        is_method = isinstance(func, ast.Attribute) and self._is_variable(self._root(func))
        return NodeType.CallMethod if is_method else NodeType.CallFunction

    def _is_variable(self, name):
        return (
            name == self._self or name in self._locals or not (name in self.names or hasattr(builtins, name))
        )

    def _root(self, expression):
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        return getattr(expression, "id", None)

    def _object(self, path):
        """Resolves a path before the network runs; `_missing` if it contains a variable."""
        if not is_path(path) or (self._root(path) != self._self and self._is_variable(self._root(path))):
            return _missing
        if isinstance(path, ast.Attribute):
            owner = self._object(path.value)
            return _missing if owner is _missing else getattr(owner, path.attr, _missing)
        if path.id == self._self:
            return self._network
        return self.names.get(path.id, getattr(builtins, path.id, _missing))


def _arithmetic_name(value):
    """ "binop_add", "compare_gt": the kind of the expression and its first operator."""
    operator = value.ops[0] if isinstance(value, ast.Compare) else value.op
    return f"{type(value).__name__}_{type(operator).__name__}".lower()


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _missing
