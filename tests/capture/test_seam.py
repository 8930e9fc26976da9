"""Readers and semantics stay apart: what operations mean knows no syntax, and no class is assembled from mixins."""

import ast
from pathlib import Path

import pytest

import dyad

CAPTURE = Path(dyad.__file__).parent / "_src/capture"
SEMANTICS = sorted((CAPTURE / "semantics").rglob("*.py"))


def imported_by(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", SEMANTICS, ids=lambda path: path.stem)
def test_semantics_know_neither_syntax_nor_readers(path):
    refused = ("ast.", "dis.", "dyad._src.capture.readers.")
    assert [name for name in imported_by(path) if f"{name}.".startswith(refused)] == []


def test_parts_have_one_base():
    for path in (*SEMANTICS, *(CAPTURE / "readers").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                assert len(node.bases) <= 1, f"{path.name}: {node.name}"


def test_each_part_is_an_attribute_of_the_interpreter():
    from dyad._src.capture.semantics.interpreter import Interpreter

    made = ast.parse((CAPTURE / "semantics/interpreter.py").read_text())
    calls = {
        node.func.id
        for node in ast.walk(made)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    parts = {
        node.name
        for path in SEMANTICS
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        and [base.id for base in node.bases if isinstance(base, ast.Name)] == ["Part"]
    }
    assert parts and parts <= calls
    assert Interpreter.__bases__ == (object,)
