"""Patterns of calls that are looked for in a network, and what is put in their place."""

import abc
from collections import OrderedDict

from dyad._src.base.argument_checks import a_value
from dyad.compat.mindspore.rewrite.node import Node, NodeType
from dyad.compat.mindspore.rewrite.scoped_value import ValueType
from dyad.compat.mindspore.rewrite.symbol_tree import SymbolTree

__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]


def _require_node(owner, node):
    if not isinstance(node, Node):
        raise TypeError(f"{owner}: node is {a_value(node)}; need a Node")
    return node


class PatternNode:
    """A call in a pattern: of a Cell or Primitive of a class, or of a function, with what gives it its inputs.

    Args:
        pattern_node_name (str): Its name in the pattern, by which a `Replacement` finds what was matched.
        match_type (type): The class of what is called, or the function. Default: ``None``, which matches no call.
        inputs (list[PatternNode]): What the Nodes that give its inputs have to match. Default: ``None``, anything.

    Example:
        >>> from dyad import nn
        >>> from dyad.rewrite import PatternNode, VarNode
        >>> pattern = PatternNode("act", nn.ReLU, [PatternNode("fc", nn.Dense, [VarNode()])])
        >>> print(pattern.name(), [node.name() for node in pattern.get_inputs()])
        act ['fc']
    """

    def __init__(self, pattern_node_name, match_type=None, inputs=None):
        if not isinstance(pattern_node_name, str):
            raise TypeError(f"PatternNode: pattern_node_name is {a_value(pattern_node_name)}; need a str")
        self._name, self._type, self._inputs = pattern_node_name, match_type, []
        if inputs is not None:
            self.set_inputs(inputs)

    @staticmethod
    def from_node(node):
        """A pattern of one call, like that of a Node."""
        _require_node("PatternNode.from_node", node)
        return PatternNode(node.get_name(), _called(node))

    @staticmethod
    def create_pattern_from_node(node):
        """The pattern of a call like that of a Node, with the calls that give its inputs, and theirs."""
        made = PatternNode.from_node(node)
        for given in node.get_inputs():
            is_call = _called(given) is not None
            made.add_input(PatternNode.create_pattern_from_node(given) if is_call else VarNode())
        return made

    @staticmethod
    def create_pattern_from_list(type_list):
        """The pattern of calls in a row, each of what the one before it gives; the last one is its root."""
        if not isinstance(type_list, (list, tuple)) or not type_list:
            raise TypeError(
                f"PatternNode.create_pattern_from_list: type_list is {a_value(type_list)}; need a list of types"
            )
        made = None
        for number, kind in enumerate(type_list):
            made = PatternNode(f"{number}-{kind}", kind, None if made is None else [made])
        return made

    def add_input(self, node):
        """One more input, which has to match a PatternNode."""
        if not isinstance(node, PatternNode):
            raise TypeError(f"PatternNode.add_input: node is {a_value(node)}; need a PatternNode")
        self._inputs.append(node)

    def set_inputs(self, inputs):
        """Patterns of the inputs, in order."""
        if not isinstance(inputs, list):
            raise TypeError(
                f"PatternNode.set_inputs: inputs is {a_value(inputs)}; need a list of PatternNodes"
            )
        self._inputs = []
        for each in inputs:
            self.add_input(each)

    def match(self, node):
        """True if a Node calls the pattern's callable. Inputs are not compared."""
        _require_node("PatternNode.match", node)
        return self._type is not None and self._type is _called(node)

    def get_inputs(self):
        """The patterns of the inputs."""
        return self._inputs

    def name(self):
        """The name in the pattern."""
        return self._name

    def type(self):
        """The class or the function that is looked for."""
        return self._type


class VarNode(PatternNode):
    """An input that may be anything."""

    def __init__(self):
        super().__init__("var")

    def match(self, node):
        """True."""
        _require_node("VarNode.match", node)
        return True


def _called(node):
    """The class of the Cell or Primitive that a Node calls, or the function; None if it calls neither."""
    if node.get_node_type() in (NodeType.Input, NodeType.Output) or node.get_instance() is None:
        return None
    function = node.get_node_type() in (NodeType.CallFunction, NodeType.CallModule)
    return node.get_instance() if function else node.get_instance_type()


class Replacement(abc.ABC):
    """Says what is put in the place of a match."""

    @abc.abstractmethod
    def build(self, pattern, is_chain_pattern, matched):
        """New Nodes for a match, in order; the last one gives what the root of the match gave.

        `matched` is an OrderedDict of the Nodes by their names in the pattern, inputs first; `is_chain_pattern` says
        whether each has one input at most.
        """


class PatternEngine:
    """Looks for a pattern in a network and replaces what it finds.

    The last new Node's results have the names of the replaced root's results. A match is not replaced where another
    statement needs a value from its middle, or where its inputs have other values by the time of its last call.

    Args:
        pattern (Union[PatternNode, list]): The root of a pattern, or the classes of calls in a row.
        replacement (Replacement): Makes the new Nodes of each match.

    Example:
        >>> from dyad import nn
        >>> from dyad.rewrite import Node, PatternEngine, Replacement, SymbolTree
        >>> class Net(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.relu = nn.ReLU()
        ...     def construct(self, x):
        ...         return self.relu(x)
        >>> class Smooth(Replacement):
        ...     def build(self, pattern, is_chain_pattern, matched):
        ...         old = matched[pattern.name()]
        ...         return [Node.create_call_cell(nn.GELU(), old.get_targets(), old.get_args(), name="gelu")]
        >>> tree = SymbolTree.create(Net())
        >>> print(PatternEngine([nn.ReLU], Smooth()).apply(tree), [node.get_name() for node in tree.nodes()])
        True ['input_x', 'gelu', 'return_1']
    """

    def __init__(self, pattern, replacement=None):
        if isinstance(pattern, (list, tuple)):
            pattern = PatternNode.create_pattern_from_list(pattern)
        if not isinstance(pattern, PatternNode):
            raise TypeError(
                f"PatternEngine: pattern is {a_value(pattern)}; need a PatternNode or a list of types"
            )
        if replacement is not None and not isinstance(replacement, Replacement):
            raise TypeError(f"PatternEngine: replacement is {a_value(replacement)}; need a Replacement")
        self._pattern, self._replacement = pattern, replacement
        self._is_chain = _is_chain(pattern)

    def pattern(self):
        """The root of the pattern."""
        return self._pattern

    def apply(self, stree):
        """Replaces every match in a tree; gives whether there was one."""
        if not isinstance(stree, SymbolTree):
            raise TypeError(f"PatternEngine.apply: stree is {a_value(stree)}; need a SymbolTree")
        changed = False
        for root in list(stree._all_nodes()):
            if root.get_symbol_tree() is not stree or not stree._has(root):
                continue  # gone with an earlier match
            matched: OrderedDict = OrderedDict()
            if self._matches(self._pattern, root, matched) and _can_go(stree, root, matched):
                changed = self._replace(stree, root, matched) or changed
        return changed

    def _matches(self, pattern, node, matched):
        if isinstance(pattern, VarNode):
            return True
        if node is None or not pattern.match(node):
            return False
        wanted = pattern.get_inputs()
        if wanted:
            given = [
                node._tree._provider(node, value)
                for value in (*node.get_args(), *node.get_kwargs().values())
                if value.type is ValueType.NamingValue
            ]
            if len(given) != len(wanted):
                return False
            if not all(self._matches(each, node, matched) for each, node in zip(wanted, given, strict=True)):
                return False
        known = matched.setdefault(pattern.name(), node)
        return known is node

    def _replace(self, stree, root, matched):
        if self._replacement is None:
            return False
        made = self._replacement.build(self._pattern, self._is_chain, matched)
        if not made:
            return False
        if not isinstance(made, list) or not all(isinstance(node, Node) for node in made):
            raise TypeError(f"PatternEngine: the replacement gives {a_value(made)}; need a list of Nodes")
        _require_there(stree, root, list(matched.values()), made)
        stree._take_over_targets(made[-1], root)
        for node in matched.values():
            if node is not root:
                stree.erase(node)
        stree.replace(root, made)
        return True


def _require_there(stree, root, matched, made):
    """ValueError if a new Node takes a value that goes with the match."""
    outside = [
        value
        for node in matched
        for value in (*node.get_args(), *node.get_kwargs().values())
        if stree._provider(node, value) not in matched
    ]
    given = []
    for node in made:
        for value in (*node.get_args(), *node.get_kwargs().values()):
            if value.type is ValueType.NamingValue and value not in given and value not in outside:
                provider = stree._provider(root, value)
                if provider in matched:
                    raise ValueError(
                        f"PatternEngine: {node.get_name()} takes {value} of {provider.get_name()}, which is replaced; "
                        "need values from outside of the match"
                    )
        given += node.get_targets()


def _is_chain(pattern):
    while pattern.get_inputs():
        if len(pattern.get_inputs()) > 1:
            return False
        [pattern] = pattern.get_inputs()
    return True


def _can_go(stree, root, matched):
    """True if no other Node uses intermediate results of the match, and its inputs are unchanged at its end."""
    nodes = list(matched.values())
    inner = [node for node in nodes if node is not root]
    if any(user not in nodes for node in inner for user in node.get_users()):
        return False
    body, end = stree._place(root)
    gone = {id(node._statement) for node in nodes}
    for node in inner:
        if node._statement not in body:
            return False
        between = [each for each in body[body.index(node._statement) : end] if id(each) not in gone]
        taken = [value for value in (*node.get_args(), *node.get_kwargs().values())]
        if any(value in stree._nodes[each].get_targets() for value in taken for each in between):
            return False
    return True
