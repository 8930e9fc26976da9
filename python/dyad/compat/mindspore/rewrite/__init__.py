"""`dyad.rewrite`: networks changed statement by statement."""

from dyad.compat.mindspore.rewrite.node import Node, NodeType
from dyad.compat.mindspore.rewrite.pattern_engine import PatternEngine, PatternNode, Replacement, VarNode
from dyad.compat.mindspore.rewrite.scoped_value import ScopedValue, ValueType
from dyad.compat.mindspore.rewrite.symbol_tree import SymbolTree

__all__ = [
    "Node",
    "NodeType",
    "PatternEngine",
    "PatternNode",
    "Replacement",
    "ScopedValue",
    "SymbolTree",
    "ValueType",
    "VarNode",
]
