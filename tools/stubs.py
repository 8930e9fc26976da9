"""Writes the .pyi files of modules without Python source: the extension, and the operators of `dyad.ops`.

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

import stub_members
from stub_forms import (
    SEVERAL,
    Form,
    asking_flags,
    docstring,
    forms,
    function,
    inplace_face,
    overloads,
    page,
    parameters,
    result_type,
)

OLDER_OPS = "dyad.compat.mindspore.ops"  # which adds MindSpore's older Primitives to `dyad.ops`
PACKAGE = Path(__file__).resolve().parent.parent / "python/dyad"


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


def primitive(op: dict, face: dict) -> str:
    init = function("__init__", parameters(face["init"], "self"), "None")
    asks = asking_flags(op, face["init"])
    result = f"Tensor | {SEVERAL}" if asks else result_type(op)
    call = function("__call__", parameters(face["call"], "self"), result)
    members = textwrap.indent(init + call, "    ")
    doc = page(op, [*face["init"]["params"], *face["call"]["params"]])
    return f"class {face['name']}(Primitive):\n{textwrap.indent(docstring(doc), '    ')}\n{members}"


def ops_stub(table: list[dict]) -> str:
    """Stub of dyad.ops: its own imports, the names its modules list, and the operators of the table."""
    lines = [
        stub_members.imports(),
        "from dyad._core import DType, Tensor",
        *reexports(PACKAGE / "ops/__init__.py"),
        "auto_generate: Any  # a module, imported at the first use",
        *(f"from dyad.ops.{module} import *" for module in importlib.import_module("dyad.ops")._MODULES),
        *(f"from {module.__name__} import *" for module in importlib.import_module(OLDER_OPS).OLDER),
        "",
    ]
    lines += [
        overloads(name, ways)
        for name, ways in called_by_name(table, "functions").items()
        if not keyword.iskeyword(name)
    ]
    lines += [primitive(op, face) for op in table for face in op["primitives"]]
    return "\n".join(lines)


def called_by_name(table: list[dict], faces: str, first: str = "") -> dict[str, list[Form]]:
    """All signatures of each function or method, in the order in which they are tried."""
    ways: dict[str, list[Form]] = {}
    for kind in (faces, f"further_{faces}"):
        for op in table:
            for face in op[kind]:
                ways.setdefault(face["name"], []).extend(forms(op, face, first))
    return ways


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
    return stub_members.imports() + "\n" + stub_members.aliases() + "\n" + "\n".join(classes)


def tensor_class(tensor: type, table: list[dict]) -> str:
    members = {name: overloads(name, ways) for name, ways in called_by_name(table, "methods", "self").items()}
    for op in table:
        for name in op["inplace_methods"]:
            taken = parameters(inplace_face(op), "self")
            members[name] = function(name, taken, "Self", f"In place: {op['doc']}")
    return class_text("Tensor", tensor, members | stub_members.members(tensor))


def plain_class(kind: type) -> str:
    """A class whose constructor and, if its instances have a `__dict__`, attributes accept anything."""
    members = {}
    if "__new__" in vars(kind) and "__init__" not in vars(kind):
        members["__init__"] = function("__init__", "self, *args: Any, **kwargs: Any", "None", kind.__name__)
    if kind.__dictoffset__ and not issubclass(kind, BaseException):
        members["__getattr__"] = function("__getattr__", "self, name: str", "Any", "An attribute of its own.")
    return class_text(kind.__name__, kind, members)


# Members that every object has, or that a stub must not repeat.
UNSHOWN = {"__doc__", "__module__", "__hash__", "__new__", "__weakref__", "__dict__", "__repr__", "__str__"}
UNSHOWN |= {"__reduce__", "__name__", "__qualname__", "__text_signature__", "__getattribute__", "__setattr__"}


def base_name(kind: type) -> str:
    """The class an exception is derived from, as the stub names it."""
    base = kind.__mro__[1]
    return f"builtins.{base.__name__}" if base.__module__ == "builtins" else base.__name__


def class_text(name: str, kind: type, known: dict[str, str]) -> str:
    """A class: members with full types, and the others with the signatures that Python reports."""
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
