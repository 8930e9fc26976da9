"""Checks that docs/design/0003-process-wide-state.md lists every variable that lives as long as the process.

Found are, in src/, variables at namespace scope, static members and static or thread-local variables of functions that
are not constants; in python/dyad, what functions declare `global`, and containers, locks and counters that modules
start with. Prints one line per variable that is missing from the list or no longer there; exits with 1 if there is any.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "docs/design/0003-process-wide-state.md"
# Tables that CPython is given when a type is made, and names with what they stand for, looked up once.
_TABLES = (
    "PyMethodDef",
    "PyGetSetDef",
    "PyMemberDef",
    "PyType_Slot",
    "PyType_Spec",
    "PyModuleDef",
    "const char*",
)
_TABLES += ("KnownOp", "NumpyClass")
_NO_VARIABLE = re.compile(
    r"\b(using|typedef|class|struct|enum|union|template|static_assert|friend|namespace|operator|return|DYAD_\w+)\b"
)
_CONVENTIONS = ("__all__", "__path__")
_MAKERS = {
    "dict",
    "list",
    "set",
    "deque",
    "defaultdict",
    "OrderedDict",
    "Counter",
    "count",
    "local",
    "Lock",
    "RLock",
}
_MAKERS |= {"WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "ContextVar"}


def cpp_variables(text: str) -> list[str]:
    """Variables of a C++ file with static storage duration."""
    scopes: list[str] = []  # of each open brace: namespace, class, or code
    found = []
    statement = ""
    for part in re.split(r"([{};])", _without_literals(text)):
        if part == "{":
            kind = _kind_of_scope(statement, scopes)
            if kind == "value":  # an initializer: part of the statement
                name = _variable(statement, scopes)
                found += [name] if name else []
                kind = "code"
            scopes.append(kind)
            statement = ""
        elif part == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif part == ";":
            name = _variable(statement, scopes)
            found += [name] if name else []
            statement = ""
        else:
            statement += part
    return list(dict.fromkeys(found))


def _without_literals(text: str) -> str:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', '""', text)
    return re.sub(r"^[ \t]*#(.*\\\n)*.*$", "", text, flags=re.MULTILINE)


def _kind_of_scope(statement: str, scopes: list[str]) -> str:
    text = statement.strip()
    if re.search(r"\bnamespace\b", text) or text.startswith("extern"):
        return "namespace"
    if re.search(r"\b(class|struct|union|enum)\b", text) and "(" not in text and "=" not in text:
        return "class"
    if re.search(r"\)\s*(const|noexcept|override|final|mutable|->[^={]*|\s)*$", text) or text.endswith(
        "else"
    ):
        return "code"
    lambda_ = re.search(r"\]\s*$", text) and "=" in text and "[" in text.split("=")[-1]
    return "value" if text and not lambda_ and not text.endswith(("=", "return", ",", "(")) else _after(text)


def _after(text: str) -> str:
    return "value" if text.endswith(("=", "]")) else "code"


def _variable(statement: str, scopes: list[str]) -> str | None:
    """The name that a declaration gives to a variable of the process; None for all else."""
    text = " ".join(statement.split())
    text = re.sub(r"\[\[[^\]]*\]\]|\balignas\([^)]*\)", "", text).strip()
    inside = scopes[-1] if scopes else "namespace"
    kept = re.match(r"(static|thread_local|inline|extern)\b", text)
    if inside != "namespace" and not re.match(r"(static|thread_local)\b", text):
        return None
    if inside == "namespace" and text.startswith("extern"):
        return None
    declared = text.split("=")[0].strip()
    plain = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", declared))
    if not plain or _NO_VARIABLE.search(plain) or any(table in plain for table in _TABLES):
        return None
    if "constexpr" in plain or "constinit const " in plain or re.search(r"\*\s*const\b", plain):
        return None
    if re.search(r"\bconst\b", plain) and "*" not in plain:
        return None
    if "(" in plain:
        function = re.match(r"[\w:\s*&]+\(\*\s*(\w+)\)\s*\(", plain)
        return function[1] if function else None
    name = re.fullmatch(r"(?:[\w:]+[\s*&]+)+(?:\w+::)*(\w+)(\[\w*\])*", plain)
    return name[1] if name and (kept or inside == "namespace") else None


def python_variables(text: str) -> list[str]:
    """Variables of a module that functions change, or that hold mutable containers."""
    tree = ast.parse(text)
    found = [name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names]
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or value is None or not _is_made_empty(value):
            continue
        found += [
            target.id for target in targets if isinstance(target, ast.Name) and target.id not in _CONVENTIONS
        ]
    return list(dict.fromkeys(found))


def _is_made_empty(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict | ast.List):
        return not (value.keys if isinstance(value, ast.Dict) else value.elts)
    if not isinstance(value, ast.Call):
        return False
    maker = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return maker in _MAKERS and (not value.args or maker in ("ContextVar", "defaultdict", "count"))


def variables(root: Path) -> set[tuple[str, str]]:
    """(file, variable) of everything found in the tree."""
    found = set()
    for file in sorted((root / "src").rglob("*")):
        of_tests = file.stem.endswith("_test") or "testing" in file.parts  # a library that only tests load
        if file.suffix in (".h", ".cpp") and not of_tests:
            found |= {(str(file.relative_to(root)), name) for name in cpp_variables(file.read_text())}
    for file in sorted((root / "python/dyad").rglob("*.py")):
        found |= {(str(file.relative_to(root)), name) for name in python_variables(file.read_text())}
    return found


def listed(note: str) -> set[tuple[str, str]]:
    """(file, variable) of the lines ``- `file`: `variable`, `variable` …`` of the note."""
    pairs = set()
    for line in note.splitlines():
        if entry := re.match(r"- `([\w/.]+)`: ((?:`\w+`(?:, )?)+)", line):
            pairs |= {(entry[1], name) for name in re.findall(r"`(\w+)`", entry[2])}
    return pairs


def main() -> None:
    found, told = variables(ROOT), listed((ROOT / NOTE).read_text())
    lines = [
        f"{file}: {name} lives as long as the process and is not in {NOTE}"
        for file, name in sorted(found - told)
    ]
    lines += [f"{NOTE}: {name} of {file} is no longer there" for file, name in sorted(told - found)]
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
