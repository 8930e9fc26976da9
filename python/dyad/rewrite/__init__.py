"""`dyad.rewrite`: networks changed statement by statement."""

from dyad.rewrite.node import Node, NodeType
from dyad.rewrite.pattern_engine import PatternEngine, PatternNode, Replacement, VarNode
from dyad.rewrite.scoped_value import ScopedValue, ValueType
from dyad.rewrite.symbol_tree import SymbolTree

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
