"""Functions as their syntax trees tell of them."""

import ast
import functools
import sys

from dyad._src.capture.readers.ast.scopes import parameters_of, scope_of_function
from dyad._src.capture.semantics.code import Code
from dyad._src.capture.semantics.values import returned

_CLEANED = sys.version_info >= (3, 13)  # the compiler takes the indentation of docstrings away
_KEEPS_NAMES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.GeneratorExp,
    ast.Yield,
    ast.YieldFrom,
)


class SyntaxTree(Code):
    """A `def` or `lambda`; `source` is that of the outermost function around it that is read."""

    __slots__ = ("node", "text")

    def __init__(self, node, source):
        self.node = node
        self.text = source

    @property
    def name(self):
        return getattr(self.node, "name", "<lambda>")

    @property
    def identity(self):
        return self.node

    @property
    def position(self):
        return self.node

    @property
    def parameters(self):
        return _parameters(self.node)

    @property
    def scope(self):
        return _scope(self.node)

    @property
    def is_generator(self):
        return _is_generator(self.node)

    @property
    def keeps_names(self):
        return _keeps_names(self.node)

    @property
    def doc(self):
        return None if isinstance(self.node, ast.Lambda) else ast.get_docstring(self.node, clean=_CLEANED)

    @property
    def may_recur(self):
        return _mentions_itself(self.node)

    def run(self, reader):
        """Executes the body; a lambda returns the value of its expression."""
        if isinstance(self.node, ast.Lambda):
            return returned(reader.evaluate(self.node.body))
        return reader.execute_block(self.node.body)


@functools.lru_cache(maxsize=4096)
def _parameters(node):
    return parameters_of(node.args)


@functools.lru_cache(maxsize=4096)
def _scope(node):
    return scope_of_function(node)


@functools.lru_cache(maxsize=4096)
def _is_generator(node):
    stack = list(node.body) if isinstance(node.body, list) else [node.body]
    while stack:
        part = stack.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(part, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)):
            stack.extend(ast.iter_child_nodes(part))
    return False


@functools.lru_cache(maxsize=4096)
def _keeps_names(function):
    """Returns whether the names of a function may be read after it is left, told by its syntax tree."""
    return any(isinstance(part, _KEEPS_NAMES) for part in ast.walk(function) if part is not function)


@functools.lru_cache(maxsize=4096)
def _mentions_itself(node):
    name = getattr(node, "name", None)
    return name is not None and any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, ast.Attribute) and part.attr == name)
        for statement in node.body
        for part in ast.walk(statement)
    )
