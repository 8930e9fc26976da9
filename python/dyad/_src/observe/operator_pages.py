"""Docstrings of operators, written from the entries of the operator table when they are read.

An entry has the summary, formulas, the meaning of each argument and where to read on. Kinds and defaults come from the
signature, dtypes and shapes of operands from the samples and the inference rule, errors from the calls that must fail,
and the example from `examples`.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence

from dyad import _core
from dyad._src.observe.examples import example, operators

_WIDTH = 100
_CONDITIONS_AT = 60  # least width of formulas with conditions
_KINDS = {
    "ints": "tuple of ints",
    "sizes": "tuple of ints",
    "floats": "tuple of floats",
    "pairs": "tuple of pairs",
    "Operand": "Tensor or number",
    "Tensors": "tuple of Tensors",
    "Order": "number or str",
    "Number": "number",
}
_WALKS = ("unary", "binary", "ternary")
_GROUP_NAMES = {"bool": "bools", "int": "integers", "float": "floats", "complex": "complex numbers"}
_GROUPS = {"real": ("int", "float"), "numeric": ("int", "float", "complex"), "all": tuple(_GROUP_NAMES)}
_REPRESENTATIVES = {"bool": "bool_", "int": "int32", "float": "float32", "complex": "complex64"}


def docstring(function, operator: str) -> str:
    """The page of a function, method or call of a Primitive.

    A function starts with its signature, as NumPy's do: `help` shows that of what binds only.
    """
    name = function.__name__
    method = isinstance(function, _core.OpMethod)
    face = face_of(operators()[operator], name, method)
    op = with_names_of(face, operators()[operator], method)
    called = f"{name}{function.__signature__} -> {result_type(op)}"
    head = [called] if not method and name in {face["name"] for face in op["functions"]} else []
    shown = _section("Example:", example(operator, name, method), fill=False)
    rest = [*sections(op, face), shown, further_reading(op, name)]
    return "\n\n".join([*head, *description(op), "\n".join(filter(None, rest))])


def described(op: dict, face: list[dict] | None) -> str:
    """The page without errors and example: for stubs."""
    op = with_names_of(face, op, False)
    return "\n\n".join([*description(op), "\n".join(sections(op, face, with_errors=False))])


def result_type(op: dict) -> str:
    """Describes the result of a call: a Tensor for each result of the operator."""
    if op["results"] < 0:
        return "Tensor or tuple of Tensors" if op["lone_result"] else "tuple of Tensors"
    counted = {0: "None", 1: "Tensor"}
    return counted.get(op["results"], f"tuple of {op['results']} Tensors")


# --- Parts of a page ------------------------------------------------------------------------------------------------


def description(op: dict) -> list[str]:
    """Paragraphs: the first sentence, the formulas, the rest of the summary."""
    first, rest = _first_sentence(op["doc"])
    return [text for text in (_filled(first), formulas(op), _filled(rest)) if text]


def _first_sentence(doc: str) -> tuple[str, str]:
    first, stop, rest = doc.partition(". ")
    return (first + ".", rest) if stop else (doc, "")


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH)


def formulas(op: dict) -> str:
    """The formulas as an indented block, conditions in a column."""
    longest = max((len(text) for text, condition in op["formulas"] if condition), default=0)
    width = max(_CONDITIONS_AT, longest) + 4
    return "\n".join(
        f"    {text.ljust(width) if condition else text}{condition}" for text, condition in op["formulas"]
    )


def sections(op: dict, face: list[dict] | None = None, *, with_errors: bool = True) -> list[str]:
    """Arguments, with their names in the face, results, and errors."""
    own = [{**param, "target": param["name"], "gathers": False} for param in op["params"]]
    found = [
        _section("Args:", arguments(op, own if face is None else face)),
        _section("Returns:", [returned(op)] if op["results"] else []),
        _section("Raises:", errors(op) if with_errors else []),
    ]
    return [text for text in found if text]


def _section(title: str, items: Sequence[str], *, fill: bool = True) -> str:
    """A title with indented items below; empty without items."""
    if not items:
        return ""
    shown = [_indented(item) if fill else f"    {item}" for item in items]
    return "\n".join([title, *shown])


def _indented(item: str) -> str:
    return textwrap.fill(item, _WIDTH, initial_indent="    ", subsequent_indent="        ")


def arguments(op: dict, face: list[dict]) -> list[str]:
    """`input (Tensor): floats, any shape.` for each parameter of the face."""
    own = {param["name"]: param for param in op["params"]}
    lines = []
    for shown in face:
        param = own[shown["target"]]
        kind = _KINDS.get(param["kind"], param["kind"])
        meaning = meaning_of(op, param)
        default = "" if shown["default"] is None or shown["gathers"] else f" Default: {shown['default']}."
        star = "*" if shown["gathers"] else ""
        lines.append(f"{star}{shown['name']} ({kind}): {meaning}{default}".rstrip())
    return lines


def meaning_of(op: dict, param: dict) -> str:
    """The meaning of an argument, from the entry or from the samples of an elementwise operator."""
    return param["meaning"] or (_operand_meaning(op, param) if param in operands(op) else "")


def operands(op: dict) -> list[dict]:
    """Parameters of an operator whose samples walk it element by element: its leading tensors and numbers."""
    count = max((_WALKS.index(walk) + 1 for walk, *_ in _walks(op)), default=0)
    return op["params"][:count]


def _walks(op: dict) -> Iterator[tuple[str, str | None, str | None]]:
    """(walk, only, exclude) of the samples that vary operands over dtypes, shapes and layouts."""

    def walk(name):
        return lambda lo=0, hi=0, only=None, exclude=None: (name, only, exclude)

    names = {name: walk(name) for name in _WALKS}
    yield from (eval(sample, names) for sample in op["samples"] if sample.startswith(_WALKS))


def _groups(op: dict) -> list[str]:
    """The kinds of numbers that the samples walk: "int", "float"."""
    found: set[str] = set()
    for _, only, exclude in _walks(op):
        walked = {kind for group in (only or "all").split("+") for kind in _GROUPS.get(group, (group,))}
        found |= walked - {
            kind for group in (exclude or "").split("+") for kind in _GROUPS.get(group, (group,))
        }
    return [group for group in _GROUP_NAMES if group in found] + sorted(found - set(_GROUP_NAMES))


def _operand_meaning(op: dict, param: dict) -> str:
    names = [_GROUP_NAMES.get(group, group) for group in _groups(op)]
    dtypes = "any dtype" if len(names) == len(_GROUP_NAMES) else _enumerated(names, "or")
    others = [f"`{other['name']}`" for other in operands(op) if other is not param]
    return f"{dtypes}, any shape{f' that broadcasts with {_enumerated(others)}' if others else ''}."


def _enumerated(words: list[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def returned(op: dict) -> str:
    """Shape and dtype of the result, as the entry says it or as the inference rule of an elementwise operator does."""
    if op["returns"]:
        return op["returns"]
    if any(param["name"] == "reduction" for param in op["params"]):
        return "Tensor of shape (); with reduction='none' an element for each loss."
    names = [f"`{param['name']}`" for param in operands(op)]
    if op["results"] != 1 or not (names or op["elementwise"]):
        text = result_type(op)
        return f"{text[0].upper()}{text[1:]}."
    dtype = _changed_dtypes(op, len(names))
    if len(names) == 1:
        return (
            f"Tensor with the shape{'' if dtype.startswith(' and') else ' and dtype'} of {names[0]}{dtype}."
        )
    operands_named = f" of {_enumerated(names)}" if names else ""
    promoted = "" if dtype.startswith(" and") or not names else " and their promoted dtype"
    return f"Tensor with the broadcast shape{operands_named}{promoted}{dtype}."


def _changed_dtypes(op: dict, count: int) -> str:
    """Where the result has another dtype than the operands: " and dtype bool", "; float32 for integers"."""
    inferred = {group: _inferred(op, group, count) for group in _groups(op)}
    changed = {
        group: dtype for group, dtype in inferred.items() if dtype not in (None, _representative(group))
    }
    if changed and len(set(inferred.values())) == 1:
        return f" and dtype {_dtype_name(next(iter(changed.values())))}"
    parts = []
    for dtype in dict.fromkeys(changed.values()):
        groups = [_GROUP_NAMES.get(group, group) for group, other in changed.items() if other == dtype]
        parts.append(f"{_dtype_name(dtype)} for {_enumerated(groups)}")
    return f"; {', '.join(parts)}" if parts else ""


def _dtype_name(dtype) -> str:
    return str(dtype).lower().removesuffix("_")


def _representative(group: str):
    return getattr(_core, _REPRESENTATIVES.get(group, group))


def _inferred(op: dict, group: str, count: int):
    """dtype of the result for operands of this kind; None where a trial without further arguments fails."""
    try:
        placeholders = [_core.Tensor([0]).astype(_representative(group)) for _ in range(count)]
        ((dtype, _),) = _core.infer(op["name"], placeholders)
    except Exception:
        return None
    return dtype


def errors(op: dict) -> list[str]:
    """Calls that must fail, with class and words of the error: the tests of the table make them."""
    found = []
    for call, error, message in op["rejects"]:
        words = message.removeprefix(f"{op['name']}: ")
        if "named_op" not in call:
            found.append(f"{error}: {'' if words == op['name'] else f'{words}, as '}in `{call}`.")
    return found


def further_reading(op: dict, shown: str = "") -> str:
    """Related operators but the one that is shown, and a reference."""
    related = [name for name in op["see"].split(", ") if name and name != f"ops.{shown}"]
    see = f"See also: {', '.join(related)}." if related else ""
    reference = f"Reference: {op['reference']}." if op["reference"] else ""
    return " ".join(text for text in (see, reference) if text)


# --- Faces ----------------------------------------------------------------------------------------------------------


def face_of(op: dict, name: str, method: bool) -> list[dict] | None:
    """Parameters of the function, method or Primitive of that name."""
    if method:
        faces = [*op["methods"], *op["further_methods"]]
        if name in op["inplace_methods"]:
            return op["methods"][0]["params"] if op["methods"] else None
    else:
        faces = [*op["functions"], *op["further_functions"]]
        for face in op["primitives"]:
            if face["name"] == name:
                return [*face["init"]["params"], *face["call"]["params"]]
    return next((face["params"] for face in faces if face["name"] == name), None)


def with_names_of(face: list[dict] | None, op: dict, method: bool) -> dict:
    """The entry with the names of a face in formulas, in the summary and in what is said of results.

    The first argument of a method is `self`.
    """
    names = {param["target"]: param["name"] for param in face or ()}
    if method:
        names[op["params"][0]["name"]] = "self"
    names = {own: name for own, name in names.items() if own != name}
    if not names:
        return op
    words = re.compile(rf"(?<![A-Za-z0-9_.])({'|'.join(map(re.escape, names))})(?![A-Za-z0-9_(])")
    quoted = re.compile(f"`({'|'.join(map(re.escape, names))})(?=[`.])")

    def in_formula(text: str) -> str:
        return words.sub(lambda found: names[found[1]], text)

    def in_prose(text: str) -> str:
        return quoted.sub(lambda found: f"`{names[found[1]]}", text)

    params = [{**param, "meaning": in_prose(meaning_of(op, param))} for param in op["params"]]
    return {
        **op,
        "params": params,
        "doc": in_prose(op["doc"]),
        "formulas": [(in_formula(text), in_formula(condition)) for text, condition in op["formulas"]],
        "returns": in_prose(returned(op)),
    }
