"""Finds the source of a function: its syntax tree with the line and column numbers of the place it was written in.

The whole text a function stands in is parsed, and the function is found in it by the positions that its code object
carries. So neither indentation nor decorators nor several lambdas on one line matter.
"""

import ast
import dataclasses
import functools
import types
import weakref
from typing import Any

from dyad._src.capture.readers.ast.private_names import class_around, with_stored_names
from dyad._src.capture.readers.ast.source_comments import comments_in
from dyad._src.capture.readers.ast.source_text import text_lines

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of one function.

    `node` is a FunctionDef, AsyncFunctionDef or Lambda. `lines` are the lines from `first_line` (where its decorators
    begin) to its end, as they are written. `conditions` and `typings` hold what the comments `# @jit.cond:` and
    `# @jit.typing:` say, by the number of the line they apply to.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    lines: tuple
    filename: str
    first_line: int
    conditions: dict
    typings: dict

    def line(self, number):
        """One line of the text by its number, without the end of line; empty outside the function."""
        index = number - self.first_line
        return self.lines[index].rstrip("\r\n") if 0 <= index < len(self.lines) else ""


# id of a code object -> (weak reference to it, its Source). Equal code of two files is not the same code.
_found: dict = {}


def source_of(function):
    """The Source of a function, method or code object.

    OSError if there is no text of it, or if the text has changed since; TypeError if several lambdas stand on its line
    and cannot be told apart.
    """
    code = _code_of(function)
    known = _found.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    source = _find(code, getattr(function, "__globals__", None))
    remember_source(code, source)
    return source


def remember_source(code, source):
    """Lets `source_of` answer for code that was made from a syntax tree."""
    identity = id(code)
    _found[identity] = (weakref.ref(code, lambda _: _found.pop(identity, None)), source)


def _code_of(function):
    if isinstance(function, types.CodeType):
        return function
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise TypeError(f"source: {function!r} is of type {type(function).__name__}; need a Python function")
    return code


def _find(code, module_globals):
    lines = text_lines(code, module_globals)
    tree = _parsed(code.co_filename, "".join(lines))
    node = _node_of(code, _functions_at(tree, code.co_firstlineno))
    first = _first_line(node)
    text = tuple(lines[first - 1 : node.end_lineno])
    owner = class_around(tree, node)
    node = node if owner is None else with_stored_names(node, owner)
    conditions, typings = comments_in(text, first, code.co_filename)
    return Source(node, text, code.co_filename, first, conditions, typings)


@functools.lru_cache(maxsize=32)
def _parsed(filename, text):
    try:
        return ast.parse(text, filename)
    except SyntaxError as error:
        raise OSError(
            f"source: {filename} can no longer be parsed ({error.msg}, line {error.lineno})"
        ) from error


def _functions_at(tree, line):
    """The functions and lambdas that begin in a line; of the tree only what covers the line is looked at."""
    found, stack = [], [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, _FUNCTIONS) and _first_line(node) == line:
            found.append(node)
        child: Any
        for child in ast.iter_child_nodes(node):
            # Parts without a place of their own, as the arguments of a function, hold others that have one.
            if not hasattr(child, "lineno") or _first_line(child) <= line <= child.end_lineno:
                stack.append(child)
    return found


def _first_line(node):
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _node_of(code, functions):
    name = code.co_name
    alike = [
        node
        for node in functions
        if getattr(node, "name", "<lambda>") == name and _parameters(node) == _parameters_of_code(code)
    ]
    positions = {position for position in code.co_positions() if None not in position}
    alike = [node for node in alike if _holds(node, positions)]
    if not alike:
        raise OSError(
            f"source: {code.co_qualname} is not found in line {code.co_firstlineno} of {code.co_filename}; "
            "the text has changed since it was loaded, load it again"
        )
    if len(alike) > 1:
        alike = _told_apart(alike, positions, code)
    if len(alike) > 1:
        raise TypeError(
            f"source: {len(alike)} lambdas on line {code.co_firstlineno} of {code.co_filename} cannot be told apart; "
            "write each in a statement of its own"
        )
    return alike[0]


def _parameters(node):
    spec = node.args
    named = [argument.arg for argument in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    return [*named, *(extra.arg for extra in (spec.vararg, spec.kwarg) if extra is not None)]


def _parameters_of_code(code):
    # Inside a class a name such as __x is stored as _Class__x; the text has it as written.
    has_var_positional, has_var_keyword = bool(code.co_flags & 0x04), bool(code.co_flags & 0x08)
    count = code.co_argcount + code.co_kwonlyargcount + has_var_positional + has_var_keyword
    return [_unmangled(name, code) for name in code.co_varnames[:count]]


def _unmangled(name, code):
    owners = code.co_qualname.split(".")[:-1]
    for owner in owners:
        prefix = f"_{owner.lstrip('_')}__"
        if name.startswith(prefix) and not name.endswith("__"):
            return name[len(prefix) - 2 :]
    return name


def _holds(node, positions):
    """Returns whether the code that has these positions can come from this function."""
    return all(
        _first_line(node) <= line and end_line <= node.end_lineno for line, end_line, _, _ in positions
    )


def _told_apart(lambdas, positions, code):
    """The lambda whose body is one of the positions: evaluating the body is what the code ends with."""
    exact = [node for node in lambdas if _place(node.body) in positions]
    if exact:
        return exact
    # A constant body has no place in code since Python 3.12; it is known by what it compiles to.
    lambdas = [node for node in lambdas if _instructions(_compiled(node)) == _instructions(code)] or lambdas
    # Python was asked to leave columns out. Lambdas that read the same mean the same.
    return lambdas[:1] if len({ast.dump(node) for node in lambdas}) == 1 else lambdas


def _compiled(node):
    """The code of a lambda, all of whose names that are not its own are read as global ones."""
    (code,) = (
        part for part in compile(ast.Expression(node), "", "eval").co_consts if hasattr(part, "co_code")
    )
    return code


def _instructions(code):
    return code.co_code, code.co_names, [part for part in code.co_consts if not hasattr(part, "co_code")]


def _place(node):
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
