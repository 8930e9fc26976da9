"""What each statement does.

A statement gives None where the program goes on after it, an `Exit` where it leaves the block, or a `OneOf` of these
where that is known only when the graph runs.
"""

import ast
import functools

from dyad._src.capture.errors import rejection
from dyad._src.capture.readers.ast.code import SyntaxTree
from dyad._src.capture.readers.ast.dispatch import methods_by_node
from dyad._src.capture.readers.ast.loops import LoopReader
from dyad._src.capture.readers.ast.operators import OPERATORS
from dyad._src.capture.readers.ast.source import source_of
from dyad._src.capture.readers.ast.try_statements import TryReader
from dyad._src.capture.readers.ast.with_statements import WithReader
from dyad._src.capture.semantics.code import Reader
from dyad._src.capture.semantics.functions import ClosureFunction
from dyad._src.capture.semantics.values import (
    BREAK,
    CONTINUE,
    OneOf,
    returned,
)

# Loops of at least this many turns are tried as one node of the graph before they are written out.
# Statements that may be captured inside of branches and loops that depend on the run, attempts included.


def _always_leaves(statements):
    """Whether a block cannot be left at its end, judged by its text."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    return isinstance(last, ast.If) and _always_leaves(last.body) and _always_leaves(last.orelse)


class Statements(LoopReader, TryReader, WithReader):
    def code_of(self, function):
        source = source_of(function)
        return SyntaxTree(source.node, source)

    can_read = Reader.can_read

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._executors = methods_by_node(cls, "execute_")

    def execute_block(self, statements):
        for number, statement in enumerate(statements):
            rest = statements[number + 1 :]
            if isinstance(statement, ast.If) and rest:
                # Guard clauses: `if c: return a` with the rest of the block is an if with two arms.
                if _always_leaves(statement.body):
                    return self.execute_if(statement, statement.body, [*statement.orelse, *rest])
                if _always_leaves(statement.orelse):
                    return self.execute_if(statement, [*statement.body, *rest], statement.orelse)
            leaving = self.execute(statement)
            if leaving is None:
                continue
            if isinstance(leaving, OneOf):
                return (
                    self.go_on_where_normal(leaving, functools.partial(self.execute_block, rest))
                    if rest
                    else leaving
                )
            return leaving
        return None

    def execute(self, statement):
        self.at(statement)
        if self.heap.depth:
            self.spend()
        method = self._executors.get(type(statement))
        if method is None:
            raise rejection(
                self.place,
                f"Unsupported statement '{type(statement).__name__}'",
                "It cannot be part of a static graph; call it outside of the compiled function.",
            )
        if not self.caught:
            return method(self, statement)
        before = self.graph.checking_count
        completion = method(self, statement)
        self.note_checks(before, statement)
        return completion

    # ---- simple statements

    def execute_Pass(self, statement):
        pass

    def execute_Expr(self, statement):
        if not isinstance(statement.value, ast.Constant):
            self.evaluate(statement.value)

    def execute_Assign(self, statement):
        value = self.evaluate(statement.value)
        for target in statement.targets:
            self.assign(target, value)

    def execute_AnnAssign(self, statement):
        if statement.value is not None:
            self.assign(statement.target, self.evaluate(statement.value))

    def execute_AugAssign(self, statement):
        target = statement.target
        if isinstance(target, ast.Name):
            old = self.read_name(target.id)
            self.assign(
                target, self.augmented(OPERATORS[type(statement.op)], old, self.evaluate(statement.value))
            )
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            old = self.read_attribute(owner, target.attr)
            new = self.augmented(OPERATORS[type(statement.op)], old, self.evaluate(statement.value))
            self.at(statement)
            self.write_attribute(owner, target.attr, new)
        else:
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            old = self.read_item(owner, key)
            new = self.augmented(OPERATORS[type(statement.op)], old, self.evaluate(statement.value))
            self.at(statement)
            self.write_item(owner, key, new)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.write_name(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.evaluate(target.value)
            self.at(target)
            self.write_attribute(owner, target.attr, value)
        elif isinstance(target, ast.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            self.at(target)
            self.write_item(owner, key, value)
        else:
            raise rejection(self.place, f"cannot assign to {type(target).__name__}")

    def _unpack(self, target, value):
        elements = target.elts
        starred = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)

        def assign_all(items):
            for element, item in zip(elements, items, strict=True):
                self.assign(element.value if isinstance(element, ast.Starred) else element, item)

        self.unpack(value, len(elements), starred, assign_all, target)

    def execute_Delete(self, statement):
        for target in statement.targets:
            self._delete(target)

    def _delete(self, target):
        if isinstance(target, ast.Name):
            self.delete_name(target.id)
        elif isinstance(target, ast.Attribute):
            self.delete_attribute(self.evaluate(target.value), target.attr)
        elif isinstance(target, ast.Subscript):
            self.delete_item(self.evaluate(target.value), self.evaluate(target.slice))
        else:
            for element in target.elts:
                self._delete(element)

    def execute_Global(self, statement):
        pass

    execute_Nonlocal = execute_Global

    def execute_Import(self, statement):
        for alias in statement.names:
            module = self.import_module(alias.name)
            if alias.asname:
                for part in alias.name.split(".")[1:]:
                    module = getattr(module, part)
            self.names.write(self.frame, alias.asname or alias.name.split(".")[0], module)

    def execute_ImportFrom(self, statement):
        names = [alias.name for alias in statement.names]
        module = self.import_module(statement.module or "", names, statement.level)
        for alias in statement.names:
            value = self.import_from(module, alias.name)
            self.names.write(self.frame, alias.asname or alias.name, value)

    # ---- functions

    def execute_FunctionDef(self, statement):
        decorators = [self.evaluate(decorator) for decorator in statement.decorator_list]
        function = ClosureFunction(
            self, SyntaxTree(statement, self.frame.text), self.frame, *self.defaults_of(statement.args)
        )
        for decorator in reversed(decorators):
            function = self.call(decorator, (function,), {})
        self.names.write(self.frame, statement.name, function)

    def execute_AsyncFunctionDef(self, statement):
        raise rejection(self.place, "Unsupported statement 'AsyncFunctionDef'", "A graph has no event loop.")

    def execute_ClassDef(self, statement):
        raise rejection(
            self.place,
            "Unsupported statement 'ClassDef'",
            "Define the class outside of the compiled function.",
        )

    def execute_Return(self, statement):
        value = None if statement.value is None else self.evaluate(statement.value)
        self.returned_at = self.frame.place(statement)
        return returned(value)

    def execute_Break(self, statement):
        return BREAK

    def execute_Continue(self, statement):
        return CONTINUE

    # ---- branches

    def execute_If(self, statement):
        return self.execute_if(statement, statement.body, statement.orelse)

    def execute_if(self, statement, body, otherwise):
        self.at(statement.test)
        forced = self.frame.text.conditions.get(statement.lineno)
        condition = self.test(statement.test) if forced is None else forced
        self.at(statement.test)
        return self.branch(condition, lambda: self.execute_block(body), lambda: self.execute_block(otherwise))

    def execute_Match(self, statement):
        subject = self.evaluate(statement.subject)
        return self.match_case(subject, statement.cases)
