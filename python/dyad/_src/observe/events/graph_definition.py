"""A graph as the message `GraphDef`, which TensorBoard draws.

GraphDef { repeated NodeDef node = 1 }
NodeDef  { string name = 1; string op = 2; repeated string input = 3 }
"""

import re

from dyad._src.base.protobuf.wire import bytes_field
from dyad._src.interchange.graph_text.listing import read_graph

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")


def graph_definition(text):
    """The GraphDef of a graph's text. Each of its functions is a scope; the first is the entry."""
    functions = read_graph(text)
    return b"".join(node for function in functions.values() for node in _function_nodes(function))


def _function_nodes(function):
    scope = _plain(function.name)
    made_by = {}
    for value in function.parameters:
        made_by[value.name] = f"{scope}/{_plain(value.name)}"
        yield _node(made_by[value.name], "Variable" if value.is_state else "Placeholder", ())
    for number, node in enumerate(function.nodes):
        name = f"{scope}/{_plain(node.called or node.name)}_{number}"
        inputs = [made_by[operand] for operand in node.operands if operand in made_by]
        for value in node.results:
            made_by[value.name] = name
        yield _node(name, _plain(node.name), dict.fromkeys(inputs))


def _plain(name):
    """The name without what names in a GraphDef may not have."""
    return _NOT_IN_NAMES.sub("_", name.lstrip("%")) or "_"


def _node(name, operation, inputs):
    parts = (bytes_field(1, name), bytes_field(2, operation), *(bytes_field(3, each) for each in inputs))
    return bytes_field(1, b"".join(parts))
