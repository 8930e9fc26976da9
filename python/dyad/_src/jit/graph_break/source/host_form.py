"""Statements and expressions as Python executes them: what they call, and long expressions in them, may be compiled."""

import ast
import builtins
import copy
import types

from dyad._src.jit.graph_break.callees import is_no_program
from dyad._src.jit.graph_break.source.uses import COMPREHENSIONS, FUNCTIONS, names_read

# The name under which the rewritten function finds what makes a callee compiled.
CALLEE_NAME = ".callee"

# An expression of this many operations is worth a graph of its own.
_LEAST_OPERATIONS = 3
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)
_BOUND_TO_PLACE = (
    *(ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Starred, ast.JoinedStr, *FUNCTIONS),
    *COMPREHENSIONS,
)


class HostForm:
    """Copies of statements in which `f(x)` is `.callee(f)(x)`, unless `f` is known to be no program.

    An expression that is evaluated as a whole and may be a graph becomes the call of a part, at its own place:
    `part_name(expression, names)` gives the name of the part that takes these names, or None.
    """

    def __init__(self, names, namespace, part_name, rebound):
        self._names = names  # of the function itself
        self._rebound = rebound  # those that functions inside of it rebind, as part of an expression even
        self._namespace = namespace
        self._part_name = part_name
        self.bound: frozenset = frozenset()  # names that are bound for certain where the statement stands

    def __call__(self, node, bound=frozenset()):
        self.bound = bound
        return self._copied(node, is_own=True)

    def _copied(self, node, is_own):
        """`is_own`: it is evaluated by the function itself, not by a comprehension inside."""
        # What is defined here runs when it is called.
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return node
        if is_own and isinstance(node, _OPERATIONS):
            call = self._part_call(node)
            if call is not None:
                return call
        is_own = is_own and not isinstance(node, COMPREHENSIONS)
        made = copy.copy(node)
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(made, field, self._copied(value, is_own))
            elif isinstance(value, list):
                setattr(
                    made,
                    field,
                    [self._copied(part, is_own) if isinstance(part, ast.AST) else part for part in value],
                )
        return self._called(made) if isinstance(made, ast.Call) else made

    # ---- expressions that are graphs

    def _part_call(self, expression):
        parts = list(ast.walk(expression))
        if sum(isinstance(part, _OPERATIONS) for part in parts) < _LEAST_OPERATIONS:
            return None
        names = names_read(expression) & self._names
        if "super" in names_read(expression) or not names <= self.bound or names & self._rebound:
            return None
        if any(isinstance(part, _BOUND_TO_PLACE) for part in parts):
            return None
        taken = tuple(sorted(names))
        name = self._part_name(expression, taken)
        if name is None:
            return None
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(each, ast.Load()) for each in taken], [])
        return ast.fix_missing_locations(ast.copy_location(call, expression))

    # ---- callees

    def _called(self, call):
        if not self._is_no_program(call.func):
            name = ast.copy_location(ast.Name(CALLEE_NAME, ast.Load()), call.func)
            call.func = ast.copy_location(ast.Call(name, [call.func], []), call.func)
        return call

    def _is_no_program(self, function):
        """Returns whether a callee is, as far as the module tells now, neither a function of the program nor a Cell."""
        if isinstance(function, ast.Name) and function.id == "super":
            return True
        attribute = function.attr if isinstance(function, ast.Attribute) else None
        return is_no_program(self._resolve(function), attribute)

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
