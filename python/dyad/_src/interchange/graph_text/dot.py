"""A graph in the language of Graphviz: a box of nodes for each function, an arrow for each use of a value."""

_LONGEST_LABEL = 60


def dot_text(name, functions):
    """The text of a `.dot` file for the functions of a graph. Dashed arrows lead to functions that a node enters."""
    lines = [
        f"digraph {_quoted(name)} {{",
        '  node [shape=box, fontname="monospace", fontsize=10];',
        "  compound=true;",
    ]
    arrows: list = []
    for number, function in enumerate(functions.values()):
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={_quoted('@' + function.name)};")
        lines += [f"    {line}" for line in _function(function, arrows)]
        lines.append("  }")
    return "\n".join([*lines, *(f"  {arrow}" for arrow in arrows), "}", ""])


def _function(function, arrows):
    maker = {}
    for value in function.parameters:
        identity = f"{function.name}.{value.name}"
        maker[value.name] = identity
        yield f"{_quoted(identity)} [shape=ellipse, label={_quoted(f'{value.name}: {value.type}')}];"
    for number, node in enumerate(function.nodes):
        identity = f"{function.name}:{number}"
        yield f"{_quoted(identity)} [label={_label(node)}];"
        arrows += [_arrow(maker[operand], identity) for operand in node.operands if operand in maker]
        arrows += [_arrow(identity, f"{entered}.out", " [style=dashed]") for entered in node.functions]
        maker |= {value.name: identity for value in node.results}
    end = f"{function.name}.out"
    yield f"{_quoted(end)} [shape=plaintext, label={_quoted('(' + ', '.join(function.results) + ')')}];"
    results = dict.fromkeys(result.rpartition(" ")[2] for result in function.results)
    arrows += [_arrow(maker[result], end) for result in results if result in maker]


def _arrow(start, end, style=""):
    return f"{_quoted(start)} -> {_quoted(end)}{style};"


def _label(node):
    body = node.body if len(node.body) <= _LONGEST_LABEL else node.body[:_LONGEST_LABEL] + "…"
    results = [f"{value.name}: {value.type}" for value in node.results]
    place = [f"line {node.line}"] if node.line else []
    return _quoted("\n".join([body, *results, *place]))


def _quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
