"""Members of Tensor that are not operators of the table, read from tools/tensor_members.pyi."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from pathlib import Path

from stub_forms import IGNORED, function

SOURCE = Path(__file__).with_name("tensor_members.pyi")
# `object` compares as a bool, a Tensor element by element; a list repeats itself for anything that is an index.
IGNORED_AT = {"__eq__": "override", "__ne__": "override", "__rmul__": "misc"}


class Qualified(ast.NodeTransformer):
    """Names built-in types with their module, since Tensor has methods called int, float and type."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(getattr(builtins, node.id, None), type):
            return ast.parse(f"builtins.{node.id}", mode="eval").body
        return node


def imports() -> str:
    """Imports that every stub needs."""
    return lines_of(
        node
        for node in ast.parse(SOURCE.read_text()).body
        if isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and not str(node.module).startswith("dyad"))
    )


def aliases() -> str:
    """The types that several members share."""
    return lines_of(node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.AnnAssign))


def lines_of(nodes: Iterable[ast.AST]) -> str:
    return "".join(f"{ast.unparse(node)}\n" for node in nodes)


def members(kind: type) -> dict[str, str]:
    """Name to text of each, with the documentation of the member that the class has."""
    (tensor,) = (node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.ClassDef))
    texts: dict[str, str] = {}
    for node in tensor.body:
        if isinstance(node, ast.FunctionDef):
            doc = getattr(vars(kind)[node.name], "__doc__", None) or node.name
            texts[node.name] = texts.get(node.name, "") + method_text(node, doc)
        elif isinstance(node, ast.AnnAssign):
            texts[ast.unparse(node.target)] = f"{ast.unparse(qualified(node))}\n"
    return texts


def method_text(node: ast.FunctionDef, doc: str) -> str:
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    heads = [f"@{name}{IGNORED if name == 'overload' else ''}\n" for name in decorators]
    remark = f"  # type: ignore[{IGNORED_AT[node.name]}]" if node.name in IGNORED_AT else ""
    parameters, result = qualified(node.args), qualified(node.returns)
    return "".join(heads) + function(node.name, ast.unparse(parameters), ast.unparse(result), doc, remark)


def qualified(node: ast.AST | None) -> ast.AST:
    assert node is not None, "a member of tensor_members.pyi says what it gives"
    return Qualified().visit(node)
