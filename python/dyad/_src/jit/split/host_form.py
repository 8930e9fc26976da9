"""Statements and expressions as Python executes them: what they call may still be compiled."""

import ast
import builtins
import copy
import types

from dyad._src.jit.split.uses import FUNCTIONS

# The name under which the rewritten function finds what makes a callee compiled.
CALLEE_NAME = ".callee"


class HostForm(ast.NodeTransformer):
    """Copies of statements in which `f(x)` is `.callee(f)(x)`, unless `f` is known to be no program."""

    def __init__(self, names, namespace):
        self._names = names  # of the function itself
        self._namespace = namespace

    def __call__(self, node):
        return self.visit(copy.deepcopy(node))

    def visit(self, node):
        # What is defined here runs when it is called.
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return node
        return super().visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if not self._is_no_program(node.func):
            name = ast.copy_location(ast.Name(CALLEE_NAME, ast.Load()), node.func)
            node.func = ast.copy_location(ast.Call(name, [node.func], []), node.func)
        return node

    def _is_no_program(self, function):
        """Whether a callee is, as far as the module tells now, neither a function of the program nor a Cell."""
        if isinstance(function, ast.Name) and function.id == "super":
            return True
        found = self._resolve(function)
        return isinstance(found, (type, types.BuiltinFunctionType)) or (
            isinstance(found, types.FunctionType)
            and found.__globals__ is not self._namespace
            and _is_installed(found)
        )

    def _resolve(self, function):
        if isinstance(function, ast.Name):
            if function.id in self._names:
                return None
            return self._namespace.get(function.id, getattr(builtins, function.id, None))
        if isinstance(function, ast.Attribute):
            owner = self._resolve(function.value)
            if isinstance(owner, types.ModuleType):
                return vars(owner).get(function.attr)
        return None


def _is_installed(function):
    """Whether a function comes with Python or the framework."""
    return (function.__module__ or "").partition(".")[0] in ("dyad", "numpy")
