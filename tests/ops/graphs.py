"""Operators as static graphs, and how what they give is compared with the dynamic graph."""

import ast
import itertools
import linecache

from comparison import near, same, same_specs, values_are_free
from counted import note_comparison
from faces import materialise
from samples import Case, expand

import dyad
from dyad import Tensor

# Dtypes and layouts are the kernels' business, which graphs share with the dynamic graph: a few cases of each sample.
DTYPES = ["float32", "int32", "bool_"]
CASES = 4

_files = itertools.count()


def chosen_cases(op: dict, text: str) -> list[Case]:
    """A few unlike cases of a sample: plain ones, and the last, where layouts or dtypes differ."""
    if text.startswith("call"):
        return expand(op, text)[:CASES]
    cases = expand(op, text, dtypes=DTYPES) or expand(op, text)
    return [*cases[2:CASES], *cases[-2:]]


def copied(case: Case) -> dict:
    """The arguments of a case, made anew."""
    return {name: materialise(value) for name, value in case.arguments.items()}


def program_of(operator):
    """A program that only calls the operator."""

    def program(arguments):
        return operator(**arguments)

    return program


def compiled(operator, **options):
    return dyad.jit(program_of(operator), **options)


def outcome(call, *arguments):
    """Result of a call, or its exception."""
    try:
        return call(*arguments)
    except Exception as error:
        return error


def tensors_in(value):
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(item)


def difference(op: dict, found, wanted) -> str:
    """Difference between the outcomes of a graph and of the dynamic graph; empty if there is none.

    Elementwise operators and views agree to the bit; what adds up numbers may do so in another order.
    """
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        if type(found) is type(wanted) and message(found) == message(wanted):
            return ""
        return f"gives {found!r}, the dynamic graph {wanted!r}"
    if type(found) is not type(wanted):
        return f"gives a {type(found).__name__}, the dynamic graph a {type(wanted).__name__}"
    note_comparison()
    if not isinstance(wanted, Tensor | tuple | list):
        return "" if found == wanted else f"gives {found!r}, the dynamic graph {wanted!r}"
    if values_are_free(op):
        equal = same_specs(_listed(found), _listed(wanted))
    else:
        equal = (same if op["elementwise"] or op["view"] else near)(found, wanted)
    return "" if equal else f"gives {found}, the dynamic graph {wanted}"


def _listed(result):
    return list(result) if isinstance(result, tuple | list) else [result]


def message(error: Exception) -> str:
    """The first line; a graph adds the place after it."""
    return str(error.args[0]).split("\n")[0] if error.args else ""


def function_of_tensors(expression: str, names: dict):
    """(function, arguments): the expression with each tensor it makes given as an argument instead.

    A graph reads the source of a function, so this one has a source as well.
    """
    tree = ast.parse(expression, mode="eval")
    made = _TakeOut({"ones", "ints", "Tensor"})
    body = ast.unparse(made.visit(tree))
    source = f"def program({', '.join(made.parts)}):\n    return {body}\n"
    path = f"<expression {next(_files)}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    namespace = dict(names)
    exec(compile(source, path, "exec"), namespace)
    return namespace["program"], [eval(part, names) for part in made.parts.values()]


class _TakeOut(ast.NodeTransformer):
    """Replaces calls of the given names by variables."""

    def __init__(self, makers):
        self._makers = makers
        self.parts = {}

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in self._makers:
            name = f"tensor_{len(self.parts)}"
            self.parts[name] = ast.unparse(node)
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        return self.generic_visit(node)
