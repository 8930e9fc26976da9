"""Signatures of an operator in a stub: parameters and results from the op table, one for each face."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass

# The parameter kinds of the op table (src/ops/signature.h) as Python types. Built-in types are named with their module,
# since Tensor has methods and `ops` has functions of the same names: int, float, complex.
TYPES = {
    "Tensor": "Tensor",
    "Operand": "Tensor | builtins.complex | builtins.list[Any] | builtins.tuple[Any, ...]",
    "Number": "builtins.complex",
    "int": "builtins.int",
    "float": "builtins.float",
    "bool": "builtins.bool",
    "str": "builtins.str",
    "dtype": "DType",
    "ints": "builtins.int | Sequence[builtins.int]",
    "sizes": "builtins.int | Sequence[builtins.int | None] | None",
    "floats": "builtins.float | Sequence[builtins.float]",
    "pairs": "Sequence[Sequence[builtins.int]] | Tensor",
    "Tensors": "Sequence[Tensor]",
    "Order": "builtins.float | builtins.str",
}
# What one of the gathered arguments may be: `x.reshape(2, 3)`, `x.reshape((2, 3))`.
GATHERED = {"ints": TYPES["ints"], "Tensors": "Tensor | Sequence[Tensor]"}
SEVERAL = "builtins.tuple[Tensor, ...]"
# Faces are tried in their order, which a type checker need not find wise.
IGNORED = "  # type: ignore[overload-overlap, overload-cannot-match]"


@dataclass(frozen=True)
class Form:
    """One signature of a function."""

    arguments: str
    result: str
    doc: str


def parameter(param: dict) -> str:
    if param["gathers"]:
        return f"*{param['name']}: {GATHERED.get(param['kind'], 'Any')}"
    kind = TYPES[param["kind"]] + (" | None" if param["optional"] else "")
    return f"{param['name']}: {param.get('type', kind)}" + default_text(param)


def default_text(param: dict) -> str:
    if param["default"] is None:
        return ""
    try:
        value = ast.literal_eval(param["default"])
    except (ValueError, SyntaxError):
        return " = ..."
    return f" = {bool(value) if param['kind'] == 'bool' and value is not None else param['default']}"


def parameters(face: dict, first: str = "") -> str:
    """Parameter list of a face; parameters after an optional one are optional too."""
    parts = [first] if first else []
    optional = starred = False
    for param in face["params"]:
        if param["keyword_only"] and not starred:
            parts.append("*")
        starred = starred or param["keyword_only"] or param["gathers"]
        text = parameter(param)
        if optional and "=" not in text and not starred:
            text += " = ..."
        optional = optional or "=" in text
        parts.append(text)
    return ", ".join(parts)


def page(op: dict, params: list[dict] | None = None) -> str:
    """The docstring of one face: summary, formulas, and the arguments where the face names them."""
    from dyad._src.observe.operator_pages import described  # the package can be imported once _core is loaded

    return described(op, params)


def result_type(op: dict) -> str:
    """One Tensor for each result; a tuple if the arguments decide the number."""
    count = op["results"]
    if count < 0:
        return SEVERAL
    return "Tensor" if count == 1 else f"builtins.tuple[{', '.join(['Tensor'] * count)}]" if count else "None"


def forms(op: dict, face: dict, first: str = "") -> list[Form]:
    """Overloads of a face: more than one if flags (`return_indices`) add results."""
    flags = asking_flags(op, face)
    if not flags:
        return [Form(parameters(face, first), result_type(op), page(op, face["params"]))]
    plain = {name: ("Literal[False]", False) for name in flags}
    ways = [(plain, "Tensor"), *(({name: ("Literal[True]", True)}, SEVERAL) for name in flags)]
    ways.append(({}, f"Tensor | {SEVERAL}"))
    doc = page(op, face["params"])
    return [Form(parameters(with_flags(face, how), first), result, doc) for how, result in ways]


def asking_flags(op: dict, face: dict) -> list[str]:
    if op["results"] >= 0:
        return []
    return [p["name"] for p in face["params"] if p["kind"] == "bool" and p["name"].startswith("return_")]


def with_flags(face: dict, how: dict[str, tuple[str, bool]]) -> dict:
    """The face with other types for some flags; a required one comes last, as a keyword."""
    stay, required = [], []
    for param in face["params"]:
        kind, needed = how.get(param["name"], (None, False))
        changed = {**param, "type": kind} if kind else param
        if needed:
            required.append({**changed, "default": None, "keyword_only": True})
        else:
            stay.append(changed)
    return {**face, "params": stay + required}


def inplace_face(op: dict) -> dict:
    """Signature of `add_`: that of the operator's first method, or its own parameters but the first."""
    if op["methods"]:
        return op["methods"][0]
    plain = {"keyword_only": False, "gathers": False}
    return {"params": [{**param, **plain} for param in op["params"][1:]]}


def function(name: str, arguments: str, result: str, doc: str = "", remark: str = "") -> str:
    body = f"\n{textwrap.indent(docstring(doc), '    ')}" if doc else " ..."
    return f"def {name}({arguments}) -> {result}:{remark}{body}\n"


def overloads(name: str, ways: list[Form]) -> str:
    """The function with all its signatures."""
    if len(ways) == 1:
        return function(name, ways[0].arguments, ways[0].result, ways[0].doc)
    return "".join(
        f"@overload{IGNORED}\n{function(name, way.arguments, way.result, way.doc)}" for way in ways
    )


def docstring(doc: object) -> str:
    if not isinstance(doc, str):  # a class whose instances have documentation of their own
        doc = ""
    escaped = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{escaped}\n"""' if "\n" in escaped else f'"""{escaped}"""'
