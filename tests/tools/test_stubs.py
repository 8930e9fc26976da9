"""What the stub generator makes of an entry of the op table."""

import ast

import stubs


def param(name, kind, default=None, optional=False, keyword_only=False, gathers=False):
    return {
        "name": name,
        "kind": kind,
        "default": default,
        "optional": optional,
        "keyword_only": keyword_only,
        "gathers": gathers,
    }


def face(name, *params):
    return {"name": name, "params": list(params)}


def signature(*params, first=""):
    return stubs.parameters(face("f", *params), first)


def test_kinds_become_types():
    assert (
        signature(param("x", "Tensor"), param("axis", "ints"))
        == "x: Tensor, axis: builtins.int | Sequence[builtins.int]"
    )
    assert signature(param("weight", "Tensor", "None", optional=True)) == "weight: Tensor | None = None"


def test_every_kind_of_the_table_has_a_type():
    import dyad._core

    kinds = {p["kind"] for op in dyad._core.op_table() for p in op["params"]}
    assert kinds <= set(stubs.TYPES)


def test_defaults_that_are_no_literals_are_left_open():
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
        "self, *shape: Any, keepdims: builtins.bool = False"
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
    from dyad import _core

    members = ast.parse(stubs.tensor_class(_core.Tensor, _core.op_table())).body[0].body
    assert {"asnumpy", "tolist"} <= {member.name for member in members if isinstance(member, ast.FunctionDef)}


def test_an_entry_gives_function_and_primitive():
    op = {
        "doc": "Largest element.\n\nNaN wins.",
        "results": 2,
        "functions": [face("largest", param("x", "Tensor"))],
        "primitives": [
            {"name": "Largest", "init": face("Largest"), "call": face("Largest", param("x", "Tensor"))}
        ],
    }
    names = {getattr(node, "name", None): node for node in ast.parse(stubs.ops_stub([op])).body}
    assert ast.get_docstring(names["largest"]) == "Largest element.\n\nNaN wins."
    assert ast.unparse(names["largest"].returns) == "builtins.tuple[Tensor, ...]"
    assert [member.name for member in names["Largest"].body[1:]] == ["__init__", "__call__"]
