"""Nodes: the statements of a network, as operations that take and give values."""

import ast
from enum import Enum

from dyad._src.base.argument_checks import a_value
from dyad.compat.mindspore.rewrite.scoped_value import ScopedValue, ValueType, as_value
from dyad.nn import Cell

__all__ = ["Node", "NodeType"]


class NodeType(Enum):
    """Kinds of Nodes."""

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12


class Node:
    """A statement of a SymbolTree: an input, a call, arithmetic, a branch or loop, or the output.

    Nodes are found by a tree, or made by `create_call_cell` and `create_call_function` for a tree to insert.
    """

    def __init__(self, node_type, statement, name, instance=None, tree=None):
        self._type, self._statement, self._name = node_type, statement, name
        self._instance, self._tree = instance, tree
        self._wanted = None  # (targets, args, kwargs) of a Node that no tree has yet
        self._sub_tree = None

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False):
        """A call of a Cell, which becomes a member of the network called `name`, or after its class."""
        if not isinstance(cell, Cell):
            raise TypeError(f"Node.create_call_cell: cell is {a_value(cell)}; need a Cell")
        made = Node(NodeType.CallCell, None, name or type(cell).__name__, cell)
        return made._with_values("Node.create_call_cell", targets, args, kwargs)

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None):
        """A call of a function or of a Primitive."""
        if not callable(function):
            raise TypeError(f"Node.create_call_function: function is {a_value(function)}; need a function")
        name = getattr(function, "__name__", None) or getattr(function, "name", type(function).__name__)
        made = Node(NodeType.CallFunction, None, name, function)
        return made._with_values("Node.create_call_function", targets, args, kwargs)

    def _with_values(self, owner, targets, args, kwargs):
        if not isinstance(targets, (list, tuple)) or not targets:
            raise TypeError(f"{owner}: targets is {targets!r}; need a list of names")
        self._wanted = (list(targets), list(args or ()), dict(kwargs or {}))
        return self

    def get_name(self):
        """The name of the Node, which no other of its tree has."""
        return self._name

    def get_node_type(self):
        """Kind of the Node."""
        return self._type

    def get_instance(self):
        """The Cell, the Primitive or the function that is called; None if nothing is known of it."""
        return self._instance

    def get_instance_type(self):
        """The class of what is called."""
        return type(self._instance)

    def get_symbol_tree(self):
        """The tree that has the Node; None before it is inserted."""
        return self._tree

    def get_sub_tree(self):
        """The tree of the network that a Node of the type Tree calls; None of other Nodes."""
        if self._type is NodeType.Tree and self._sub_tree is None:
            self._sub_tree = type(self._tree).create(self._instance)
        return self._sub_tree

    def get_targets(self):
        """The values that the Node gives names to."""
        if self._wanted is not None:
            return [_naming(target) for target in self._wanted[0]]
        if self._type is NodeType.Input:
            return [ScopedValue.create_naming_value(self._statement.arg)]
        targets = getattr(self._statement, "targets", None) or [getattr(self._statement, "target", None)]
        found = [part for each in targets if each is not None for part in getattr(each, "elts", [each])]
        return [as_value(each) for each in found]

    def get_args(self):
        """The values that the Node takes by position."""
        if self._wanted is not None:
            return [_naming(arg) for arg in self._wanted[1]]
        return [as_value(each) for each in self._operands()]

    def get_kwargs(self):
        """{name: value} of what the Node takes by name."""
        if self._wanted is not None:
            return dict(self._wanted[2])
        call = getattr(self._statement, "value", None)
        keywords = call.keywords if isinstance(call, ast.Call) else []
        return {each.arg: as_value(each.value) for each in keywords}

    def _operands(self):
        statement = self._statement
        if isinstance(statement, (ast.If, ast.While)):
            return [statement.test]
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call):
            return value.args
        if isinstance(value, ast.BinOp):
            return [value.left, value.right]
        if isinstance(value, ast.UnaryOp):
            return [value.operand]
        if isinstance(value, ast.Compare):
            return [value.left, *value.comparators]
        if self._type is NodeType.Output and isinstance(value, ast.Tuple):
            return value.elts
        return [] if value is None else [value]

    def get_inputs(self):
        """The Nodes that give the values which this one takes, in order."""
        given = [*self.get_args(), *self.get_kwargs().values()]
        found = [self._tree._provider(self, value) for value in given if value.type is ValueType.NamingValue]
        return list(dict.fromkeys(node for node in found if node is not None))

    def get_users(self):
        """The Nodes that take what this one gives."""
        return [node for node in self._tree._all_nodes() if self in node.get_inputs()]

    def set_arg(self, index, arg):
        """Take another value at a place; gives the old one back as well: (new, old)."""
        args = self.get_args()
        if not 0 <= index < len(args):
            raise IndexError(f"Node.set_arg: index is {index}; {self._name} takes {len(args)} values")
        if self._wanted is not None:
            self._wanted[1][index] = arg
        else:
            self._put(index, self._tree._expression(arg))
        return self.get_args()[index], args[index]

    def _put(self, index, expression):
        statement, value = self._statement, getattr(self._statement, "value", None)
        if isinstance(statement, (ast.If, ast.While)):
            statement.test = expression
        elif isinstance(value, ast.Call):
            value.args[index] = expression
        elif isinstance(value, ast.BinOp):
            setattr(value, ("left", "right")[index], expression)
        elif isinstance(value, ast.UnaryOp):
            value.operand = expression
        elif isinstance(value, ast.Compare):
            if index == 0:
                value.left = expression
            else:
                value.comparators[index - 1] = expression
        elif self._type is NodeType.Output and isinstance(value, ast.Tuple):
            value.elts[index] = expression
        else:
            statement.value = expression

    def set_arg_by_node(self, arg_idx, src_node, out_idx=None):
        """Take what another Node gives, its only value or the one at `out_idx`."""
        targets = src_node.get_targets()
        if out_idx is None and len(targets) != 1:
            raise ValueError(
                f"Node.set_arg_by_node: {src_node.get_name()} gives {len(targets)} values; need out_idx"
            )
        self.set_arg(arg_idx, targets[out_idx or 0])

    def __repr__(self):
        text = "" if self._statement is None else ast.unparse(self._statement).splitlines()[0]
        return f"Node({self._type.name}, {self._name}: {text})"


def _naming(value):
    if isinstance(value, str):
        scope, _, name = value.rpartition(".")
        return ScopedValue.create_naming_value(name, scope)
    return value
