"""Entries of the API pages: operators by family, and the Python functions and classes of `ops`, `mint` and `nn`."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from dyad import Tensor, _core, mint, nn, ops
from dyad._src.observe import operator_pages

SOURCES = Path(__file__).resolve().parent.parent / "src/ops"
ENTRY = re.compile(r'DYAD_OP\(\s*"(\w+)\(')


@dataclass
class Entry:
    """One operator, function or class: its signatures, description and results."""

    title: str
    group: str
    doc: str
    calls: list[tuple[str, list[str]]]
    example: list[str]
    description: list[str] = field(default_factory=list)  # paragraphs and blocks; empty: those of `doc`
    sections: list[str] = field(default_factory=list)  # arguments, results, errors: a title and lines each
    further: str = ""  # see also, reference
    names: dict[str, list[str]] = field(default_factory=dict)  # by the reference's package


def families() -> dict[str, list[Entry]]:
    """Public operators by the folder of src/ops that holds them, file by file."""
    found: dict[str, list[Entry]] = {}
    for op, path in sorted(placed(_core.op_table()), key=lambda pair: pair[1]):
        if is_public(op):
            found.setdefault(path.parent.name, []).append(operator(op, path.stem))
    return found


def placed(table: list[dict]) -> Iterator[tuple[dict, Path]]:
    """Each operator with its file; the table has them file by file, and a name that code has made (`max_pool1d`) stands
    after those that are written out."""
    written = {name: path for path in SOURCES.glob("*/*.cpp") for name in ENTRY.findall(path.read_text())}
    path = SOURCES
    for op in table:
        path = written.get(op["name"], path)
        yield op, path


def is_public(op: dict) -> bool:
    return bool(op["functions"] or op["methods"] or op["inplace_methods"] or op["primitives"])


def operator(op: dict, group: str) -> Entry:
    functions, methods = by_name(op, "functions"), by_name(op, "methods")
    calls = [
        ("`ops`", [f"ops.{call}" for call in functions.values() for call in call]),
        ("`Tensor`", [f"Tensor.{call}" for call in methods.values() for call in call]),
        ("in place", [f"Tensor.{name}" for name in op["inplace_methods"]]),
        ("`mint`", [f"mint.{name}" for name in op["mint_functions"]]),
        ("`numpy`", [f"numpy.{name}" for name in op["numpy_functions"]]),
        ("Primitive", [f"ops.{primitive_call(face)}" for face in op["primitives"]]),
    ]
    primitives = [face["name"] for face in op["primitives"]]
    return Entry(
        title=op["name"]
        if op["name"] in functions
        else next(iter([*functions, *methods, *primitives]), op["name"]),
        group=group,
        doc=op["doc"],
        description=[
            *operator_pages.description(op),
            *([f"No gradient: {op['no_grad']}."] if op["gradient"] == "none" else []),
        ],
        sections=operator_pages.sections(op),
        further=operator_pages.further_reading(op),
        calls=calls,
        example=example_of_operator(op, [*functions, *primitives], [*methods, *op["inplace_methods"]]),
        names={
            "mindspore.ops": [*functions, *primitives],
            "mindspore.Tensor": [*methods, *op["inplace_methods"]],
            "mindspore.mint": list(op["mint_functions"]),
        },
    )


def by_name(op: dict, faces: str) -> dict[str, list[str]]:
    """Maps each function or method of an operator to all its signatures, including those of other entries."""
    calls = {face["name"]: [call_text(face)] for face in op[faces]}
    for name in calls:
        calls[name] += [call_text(face) for face in further(faces).get(name, ())]
    return calls


@functools.cache
def further(faces: str) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for op in _core.op_table():
        for face in op[f"further_{faces}"]:
            found.setdefault(face["name"], []).append(face)
    return found


def call_text(face: dict) -> str:
    """`sum(input, dim=None, *, dtype=None)`."""
    parts: list[str] = []
    starred = False
    for param in face["params"]:
        if param["keyword_only"] and not starred:
            parts.append("*")
        starred = starred or param["keyword_only"] or param["gathers"]
        default = "" if param["default"] is None or param["gathers"] else f"={param['default']}"
        parts.append(f"{'*' if param['gathers'] else ''}{param['name']}{default}")
    return f"{face['name']}({', '.join(parts)})"


def primitive_call(face: dict) -> str:
    arguments = call_text({**face["call"], "name": ""})
    return call_text({**face["init"], "name": face["name"]}) + arguments


def example_of_operator(op: dict, functions: list[str], methods: list[str]) -> list[str]:
    """Example of the first face that has one."""
    for owner, names in ((ops, functions), (Tensor, methods)):
        for name in names:
            found = example(inspect.getdoc(getattr(owner, name, None)) or "")
            if found:
                return found
    return []


def example(doc: str) -> list[str]:
    """The lines of the example in a docstring: those below its title that are indented, or blank."""
    _, _, rest = doc.partition("Example:\n")
    lines = itertools.takewhile(lambda line: not line.strip() or line.startswith(" "), rest.splitlines())
    return inspect.cleandoc("\n".join(lines)).splitlines() if rest else []


def python_entries() -> list[Entry]:
    """Functions and classes of `ops` that are not in the operator table."""
    kinds = ("functions", "further_functions", "primitives")
    derived = {face["name"] for op in _core.op_table() for kind in kinds for face in op[kind]}
    return described(ops, "ops", set(ops.__all__) - derived)


def mint_entries() -> list[Entry]:
    """Functions of `mint` that are not those of `ops`."""
    shared = {name for op in _core.op_table() for name in op["mint_functions"]}
    return described(mint, "mint", set(mint.__all__) - shared)


def nn_entries() -> list[Entry]:
    """All of `nn`: layers, losses, optimizers, schedules."""
    return described(nn, "nn", set(nn.__all__))


def described(module: ModuleType, space: str, names: set[str]) -> list[Entry]:
    """Entries for the Python members of a module, sorted by source file; submodules are left out."""
    entries = [
        python_entry(name, getattr(module, name), space)
        for name in names
        if not inspect.ismodule(getattr(module, name))
    ]
    return sorted(entries, key=lambda entry: (entry.group, entry.title.lower(), entry.title))


def python_entry(name: str, value: object, space: str) -> Entry:
    doc = inspect.getdoc(value) or ""
    summary = doc.partition("Example:\n")[0].strip()
    called = f"{space}.{name}{signature_text(value)}"
    home = getattr(value, "__module__", None) or ""
    return Entry(
        title=name,
        group=home.rpartition(".")[2] or space,
        doc=without_signature(summary, name),
        calls=[("", [called])],
        example=example(doc),
        names={f"mindspore.{space}": [name]},
    )


def signature_text(value: object) -> str:
    """Parameters without annotations; empty for an object that cannot be called."""
    if not callable(value):
        return ""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()
    ]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<(?:function|class|object)? ?'?([\w.]+)'?[^>]*>", r"\1", text)


def without_signature(doc: str, name: str) -> str:
    """Removes the first line of a docstring if it repeats the function's signature."""
    head, _, rest = doc.partition("\n\n")
    return rest if head.startswith(f"{name}(") else doc
