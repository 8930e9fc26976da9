"""Writes the .pyi files of what has no Python source: the extension, and the operators of `dyad.ops`.

The op table knows every function, Tensor method and Primitive class with parameters and documentation, so editors and
type checkers see them although no line of Python defines them. The build runs this; the files are not in the tree.
Usage: stubs.py EXTENSION OUTPUT; OUTPUT is the package folder that receives _core.pyi and ops/__init__.pyi.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import keyword
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType, NoneType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "python/dyad"

# The parameter kinds of the op table (src/ops/signature.h) as Python types. Built-in types are named with their module,
# since Tensor has methods and `ops` has functions of the same names: int, float, complex.
TYPES = {
    "Tensor": "Tensor",
    "Operand": "Tensor | builtins.complex | Sequence[Any]",
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
HEADER = "import builtins\nfrom collections.abc import Sequence\nfrom typing import Any\n"


def load_package(extension: Path) -> ModuleType:
    """Imports dyad from its sources with this extension, and returns the extension.

    In a wheel build the two lie in different folders. The whole package is wanted because it adds members to Tensor.
    """
    spec = importlib.util.spec_from_file_location("dyad._core", extension)
    core = importlib.util.module_from_spec(spec)
    sys.modules["dyad._core"] = core
    spec.loader.exec_module(core)
    sys.path.insert(0, str(PACKAGE.parent))
    importlib.import_module("dyad")
    return core


def parameter(param: dict) -> str:
    kind = TYPES[param["kind"]] + (" | None" if param["optional"] else "")
    if param["gathers"]:
        return f"*{param['name']}: Any"
    return f"{param['name']}: {kind}" + default_text(param)


def default_text(param: dict) -> str:
    if param["default"] is None:
        return ""
    try:
        value = ast.literal_eval(param["default"])
    except (ValueError, SyntaxError):
        return " = ..."
    return f" = {bool(value) if param['kind'] == 'bool' and value is not None else param['default']}"


def parameters(face: dict, first: str = "") -> str:
    """The parameter list of a face; what follows an optional parameter is optional too."""
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


def result_type(op: dict) -> str:
    return "Tensor" if op["results"] == 1 else "builtins.tuple[Tensor, ...]"


def function(name: str, arguments: str, result: str, doc: str = "") -> str:
    body = f"\n{textwrap.indent(docstring(doc), '    ')}" if doc else " ..."
    return f"def {name}({arguments}) -> {result}:{body}\n"


def docstring(doc: object) -> str:
    if not isinstance(doc, str):  # a class whose instances have documentation of their own
        doc = ""
    escaped = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{escaped}\n"""' if "\n" in escaped else f'"""{escaped}"""'


def primitive(op: dict, face: dict) -> str:
    init = function("__init__", parameters(face["init"], "self"), "None")
    call = function("__call__", parameters(face["call"], "self"), result_type(op))
    members = textwrap.indent(init + call, "    ")
    return f"class {face['name']}(Primitive):\n{textwrap.indent(docstring(op['doc']), '    ')}\n{members}"


def ops_stub(table: list[dict]) -> str:
    """All of dyad.ops: what its own source imports, and then what the table gives."""
    lines = [HEADER, "from dyad._core import DType, Tensor", *reexports(PACKAGE / "ops/__init__.py"), ""]
    for op in table:
        for face in op["functions"]:
            if not keyword.iskeyword(face["name"]):
                lines.append(function(face["name"], parameters(face), result_type(op), op["doc"]))
        lines += [primitive(op, face) for face in op["primitives"]]
    return "\n".join(lines)


def reexports(source: Path) -> list[str]:
    """The imports of a module, in the form in which a stub passes the names on."""
    lines = []
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            names = [
                alias.name if alias.name == "*" else f"{alias.name} as {alias.name}" for alias in node.names
            ]
            lines.append(f"from {node.module} import {', '.join(names)}")
    return lines


def core_stub(core: ModuleType, table: list[dict]) -> str:
    """The extension: Tensor with the table's methods, and everything else by name."""
    classes = []
    for name, value in sorted(vars(core).items()):
        if name.startswith("__") and name != "__version__":
            continue
        if name == "Tensor":
            classes.append(tensor_class(value, table))
        elif inspect.isclass(value):
            classes.append(plain_class(value))
        elif callable(value):
            classes.append(function(name, "*args: Any, **kwargs: Any", "Any", value.__doc__ or name))
        else:
            kind = type(value).__name__
            classes.append(f"{name}: {kind if hasattr(core, kind) else 'Any'}\n")
    return HEADER + "\n" + "\n".join(classes)


def tensor_class(tensor: type, table: list[dict]) -> str:
    members: dict[str, str] = {}
    for op in table:
        for face in op["methods"]:
            members[face["name"]] = function(
                face["name"], parameters(face, "self"), result_type(op), op["doc"]
            )
        for name in op["inplace_methods"]:
            doc = f"In place: {op['doc']}"
            members[name] = function(name, "self, *args: Any, **kwargs: Any", "Tensor", doc)
    return class_text("Tensor", tensor, members)


def plain_class(kind: type) -> str:
    return class_text(kind.__name__, kind, {})


# Members that every object has, or that a stub must not repeat.
UNSHOWN = {"__doc__", "__module__", "__hash__", "__new__", "__weakref__", "__dict__", "__repr__", "__str__"}
UNSHOWN |= {"__reduce__", "__name__", "__qualname__", "__text_signature__", "__getattribute__", "__setattr__"}


def base_name(kind: type) -> str:
    """The class an exception is derived from, as the stub names it."""
    base = kind.__mro__[1]
    return f"builtins.{base.__name__}" if base.__module__ == "builtins" else base.__name__


def class_text(name: str, kind: type, known: dict[str, str]) -> str:
    """A class with the members that are known well, and the others with what Python tells about them."""
    members = dict(known)
    for member, value in sorted(vars(kind).items()):
        if member not in members and member not in UNSHOWN:
            members[member] = member_text(member, value)
    body = [docstring(kind.__doc__ or name), *members.values()]
    base = f"({base_name(kind)})" if issubclass(kind, BaseException) else ""
    return f"class {name}{base}:\n{textwrap.indent(chr(10).join(body), '    ')}\n"


def member_text(name: str, value: Any) -> str:
    doc = value.__doc__ or name
    anything = "*args: Any, **kwargs: Any"
    if inspect.isfunction(value):
        return function(name, python_parameters(value), "Any", doc)
    if isinstance(value, staticmethod):
        return f"@staticmethod\n{function(name, anything, 'Any', doc)}"
    if inspect.isgetsetdescriptor(value) or (isinstance(value, property) and not value.fset):
        return f"@property\n{function(name, 'self', 'Any', doc)}"
    if callable(value):
        return function(name, f"self, {anything}", "None" if name == "__init__" else "Any", doc)
    return f"{name}: Any\n"


def python_parameters(value: FunctionType) -> str:
    """The parameter list of a Python function; a default is shown if it is a literal."""
    parts = []
    starred = False
    for name, param in inspect.signature(value).parameters.items():
        if param.kind is param.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or param.kind in (param.KEYWORD_ONLY, param.VAR_POSITIONAL)
        prefix = {param.VAR_POSITIONAL: "*", param.VAR_KEYWORD: "**"}.get(param.kind, "")
        is_literal = isinstance(param.default, (bool, int, float, str, NoneType))
        default = "" if param.default is param.empty else f" = {param.default!r}" if is_literal else " = ..."
        parts.append(f"{prefix}{name}{': Any' if parts else ''}{default}")
    return ", ".join(parts)


def main() -> None:
    extension, output = Path(sys.argv[1]), Path(sys.argv[2])
    core = load_package(extension)
    table = core.op_table()
    for name, text in (("_core.pyi", core_stub(core, table)), ("ops/__init__.pyi", ops_stub(table))):
        ast.parse(text)  # a stub that Python cannot read must stop the build, not an editor
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
