"""Output of the stub generator for an entry of the op table."""

import ast
import functools
import re
import runpy
import types
import typing
from pathlib import Path

import stub_forms
import stub_members
import stubs
from dyad import Tensor, _core


@functools.cache
def tensor_stub():
    return stubs.tensor_class(Tensor, _core.op_table())


def param(name, kind, default=None, optional=False, keyword_only=False, gathers=False):
    return {
        "name": name,
        "target": name,
        "kind": kind,
        "default": default,
        "meaning": "",
        "optional": optional,
        "keyword_only": keyword_only,
        "gathers": gathers,
    }


def face(name, *params):
    return {"name": name, "params": list(params)}


def entry(doc, results, *params):
    """Entry from which the page of an operator is written."""
    said = {"doc": doc, "formulas": [("out = x", "")], "returns": "The result."}
    return {
        **said,
        "name": "f",
        "results": results,
        "params": list(params),
        "samples": [],
        "elementwise": False,
    }


def signature(*params, first=""):
    return stub_forms.parameters(face("f", *params), first)


def test_kinds_become_types():
    assert (
        signature(param("x", "Tensor"), param("axis", "ints"))
        == "x: Tensor, axis: builtins.int | Sequence[builtins.int]"
    )
    assert signature(param("weight", "Tensor", "None", optional=True)) == "weight: Tensor | None = None"


def test_every_kind_of_the_table_has_a_type():
    kinds = {p["kind"] for op in _core.op_table() for p in op["params"]}
    assert kinds <= set(stub_forms.TYPES)


def test_defaults_that_are_not_literals_are_left_open():
    assert (
        signature(param("a", "float", "0.5"), param("b", "dtype", "float32"))
        == "a: builtins.float = 0.5, b: DType = ..."
    )


def test_what_follows_a_default_has_one():
    assert (
        signature(param("a", "int", "1"), param("b", "int")) == "a: builtins.int = 1, b: builtins.int = ..."
    )


def test_keyword_only_and_gathering_parameters():
    keyword = param("keepdims", "bool", "False", keyword_only=True)
    assert signature(param("x", "Tensor"), keyword) == "x: Tensor, *, keepdims: builtins.bool = False"
    assert signature(param("shape", "ints", gathers=True), keyword, first="self") == (
        "self, *shape: builtins.int | Sequence[builtins.int], keepdims: builtins.bool = False"
    )


def test_a_bool_stays_one():
    assert signature(param("x", "bool", "0")) == "x: builtins.bool = False"
    assert signature(param("x", "bool", "None", optional=True)) == "x: builtins.bool | None = None"


MARK = object()


def test_parameters_of_python_functions():
    def sample(self, axis, deep=True, *, kind=MARK, name="a", **rest): ...

    assert stubs.python_parameters(sample) == (
        "self, axis: Any, deep: Any = True, *, kind: Any = ..., name: Any = 'a', **rest: Any"
    )


def test_members_that_python_adds_to_tensor():
    members = ast.parse(tensor_stub()).body[0].body
    assert {"asnumpy", "tolist"} <= {member.name for member in members if isinstance(member, ast.FunctionDef)}


def test_an_entry_gives_function_and_primitive():
    op = {
        **entry("Largest element. NaN wins.", 2, param("x", "Tensor")),
        "functions": [face("largest", param("x", "Tensor"))],
        "further_functions": [],
        "primitives": [
            {"name": "Largest", "init": face("Largest"), "call": face("Largest", param("x", "Tensor"))}
        ],
    }
    names = {getattr(node, "name", None): node for node in ast.parse(stubs.ops_stub([op])).body}
    assert ast.get_docstring(names["largest"]) == (
        "Largest element.\n\n    out = x\n\nNaN wins.\n\nArgs:\n    x (Tensor):\nReturns:\n    The result."
    )
    assert ast.unparse(names["largest"].returns) == "builtins.tuple[Tensor, Tensor]"
    assert [member.name for member in names["Largest"].body[1:]] == ["__init__", "__call__"]


def methods_of_table():
    table = _core.op_table()
    faces = (op[kind] for op in table for kind in ("methods", "further_methods"))
    return {face["name"] for each in faces for face in each} | {
        name for op in table for name in op["inplace_methods"]
    }


def test_every_member_of_tensor_has_types():
    members = {name for name in vars(Tensor) if name not in stubs.UNSHOWN}
    assert set(stub_members.members(Tensor)) == members - methods_of_table()


def test_further_faces_are_overloads():
    stub = tensor_stub()
    faces = [
        face
        for op in _core.op_table()
        for kind in ("methods", "further_methods")
        for face in op[kind]
        if face["name"] == "gather"
    ]
    assert len(faces) == 2 == len(re.findall(r"@overload.*\n    def gather\(", stub))


def test_a_flag_that_asks_for_more_results_makes_overloads():
    flag = param("return_indices", "bool", "False")
    op = entry("Largest.", -1, *(param(name, "Tensor") for name in ("x", "return_indices", "k")))
    ways = stub_forms.forms(op, face("f", param("x", "Tensor"), flag, param("k", "int", "1")))
    assert [(way.arguments, way.result) for way in ways] == [
        ("x: Tensor, return_indices: Literal[False] = False, k: builtins.int = 1", "Tensor"),
        ("x: Tensor, k: builtins.int = 1, *, return_indices: Literal[True]", stub_forms.SEVERAL),
        (
            "x: Tensor, return_indices: builtins.bool = False, k: builtins.int = 1",
            f"Tensor | {stub_forms.SEVERAL}",
        ),
    ]


def test_methods_in_place_take_what_the_others_take():
    stub = tensor_stub()
    (add,) = re.findall(r"def add\((.*)\) -> Tensor", stub)
    assert re.findall(r"def add_\((.*)\) -> Self", stub) == [add]


def is_of(value, kind):
    """True if a value is of a type annotation."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return any(is_of(value, part) for part in parts)
    if origin is tuple and parts[-1] is ...:
        return isinstance(value, tuple) and all(is_of(each, parts[0]) for each in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(is_of, value, parts))
    if origin is list:
        return isinstance(value, list) and all(is_of(each, parts[0]) for each in value)
    return isinstance(value, kind)


def test_the_types_of_the_typed_program_are_those_of_its_values(monkeypatch):
    seen = []

    def look(value, kind):
        assert is_of(value, kind), f"{value!r} is no {kind}"
        seen.append(kind)
        return value

    monkeypatch.setattr(typing, "assert_type", look)
    runpy.run_path(str(Path(__file__).with_name("typed_program.py")))
    assert len(seen) > 50


def test_plain_members_give_what_their_types_say():
    """Properties, attributes and methods without arguments, on a matrix of one element."""
    names = {"Tensor": Tensor, "DType": _core.DType, "np": __import__("numpy"), "Any": object, "Self": Tensor}
    tensor = Tensor([[2]])
    checked = 0
    for name, text in stub_members.members(Tensor).items():
        found = re.fullmatch(
            r"(?s)(?:@property\n)?def \w+\(self\) -> ([^:]+):.*|\w+: (.+)\n", text.replace("builtins.", "")
        )
        if found is None or name in ("__iter__", "backward"):
            continue
        value = getattr(tensor, name)
        value = value() if "@property" not in text and "def " in text else value
        assert is_of(value, eval(found[1] or found[2], names) or type(None)), name
        checked += 1
    assert checked > 45
