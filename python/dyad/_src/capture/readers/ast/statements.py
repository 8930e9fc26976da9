"""Executes statements.

A statement gives None where the program goes on after it, an `Exit` where it leaves the block, or a `OneOf` of these
where that is known only when the graph runs.
"""

import ast
import functools

from dyad._src.base.break_reasons import BYTECODE, EXCEPTION, UNKNOWN
from dyad._src.capture.errors import Rejected, Signal
from dyad._src.capture.readers.ast.code import SyntaxTree
from dyad._src.capture.readers.ast.operators import OPERATORS
from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.values import (
    BREAK,
    CONTINUE,
    OneOf,
    returned,
)


def _always_leaves(statements):
    """Returns whether a block cannot be left at its end, judged by its text."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return True
    return isinstance(last, ast.If) and _always_leaves(last.body) and _always_leaves(last.orelse)


class StatementReader(ReaderPart):
    """Executes statements and blocks. Each gives a completion: None where the program goes on behind it."""

    def execute_block(self, statements):
        """The completion of statements one after the other."""
        for number, statement in enumerate(statements):
            rest = statements[number + 1 :]
            if isinstance(statement, ast.If) and rest:
                # Guard clauses: `if c: return a` with the rest of the block is an if with two arms.
                if _always_leaves(statement.body):
                    return self._noting(
                        statement, self.execute_if, statement.body, [*statement.orelse, *rest]
                    )
                if _always_leaves(statement.orelse):
                    return self._noting(
                        statement, self.execute_if, [*statement.body, *rest], statement.orelse
                    )
            leaving = self.execute(statement)
            if leaving is None:
                continue
            if isinstance(leaving, OneOf):
                return (
                    self.interpreter.completions.go_on_where_normal(
                        leaving, functools.partial(self.execute_block, rest)
                    )
                    if rest
                    else leaving
                )
            return leaving
        return None

    def execute(self, statement):
        """The completion of one statement."""
        self.interpreter.at(statement)
        if self.interpreter.heap.depth:
            self.interpreter.budget.spend()
        method = self.reader.executors.get(type(statement))
        if method is None:
            raise self.interpreter.rejection(
                BYTECODE,
                f"Unsupported statement '{type(statement).__name__}'",
                "It cannot be part of a static graph; call it outside of the compiled function.",
            )
        if not self.interpreter.completions.caught:
            return self._noting(statement, method)
        before = self.interpreter.graph.checking_count
        completion = self._noting(statement, method)
        self.interpreter.try_blocks.note_checks(before, statement)
        return completion

    def _noting(self, statement, method, *args):
        """Executes a statement; a rejection notes that it passes a statement of the captured function itself."""
        interpreter = self.interpreter
        before, around = interpreter.graph.checking_count, interpreter.statement
        if interpreter.frame.caller is None:
            interpreter.statement = statement
        try:
            completion = method(statement, *args)
            if (
                interpreter.lax
                and interpreter.graph.checking_count != before
                and interpreter.external.has_effects()
            ):
                raise interpreter.rejection(
                    EXCEPTION,
                    "an operator checks its data when the graph runs, and what was changed before stays if it raises",
                )
            return completion
        except Rejected as rejected:
            rejected.passes_in_frame(statement)
            if interpreter.frame.caller is None:
                rejected.passes(statement)
            raise
        except Exception as error:
            if interpreter.frame.caller is None and not isinstance(error, Signal):
                interpreter.failed_at = interpreter.failed_at or statement
            raise
        finally:
            interpreter.statement = around

    # ---- simple statements

    def execute_Pass(self, statement):
        pass

    def execute_Expr(self, statement):
        if not isinstance(statement.value, ast.Constant):
            self.reader.evaluate(statement.value)

    def execute_Assign(self, statement):
        value = self.reader.evaluate(statement.value)
        for target in statement.targets:
            self.assign(target, value)

    def execute_AnnAssign(self, statement):
        if statement.value is not None:
            self.assign(statement.target, self.reader.evaluate(statement.value))

    def execute_AugAssign(self, statement):
        target = statement.target
        if isinstance(target, ast.Name):
            old = self.interpreter.variables.read_name(target.id)
            self.assign(
                target,
                self.interpreter.operators.augmented(
                    OPERATORS[type(statement.op)], old, self.reader.evaluate(statement.value)
                ),
            )
        elif isinstance(target, ast.Attribute):
            owner = self.reader.evaluate(target.value)
            old = self.interpreter.attributes.read_attribute(owner, target.attr)
            new = self.interpreter.operators.augmented(
                OPERATORS[type(statement.op)], old, self.reader.evaluate(statement.value)
            )
            self.interpreter.at(statement)
            self.interpreter.attribute_writes.write_attribute(owner, target.attr, new)
        else:
            owner, key = (
                self.reader.evaluate(target.value),
                self.reader.evaluate(target.slice),
            )
            old = self.interpreter.subscripts.read_item(owner, key)
            new = self.interpreter.operators.augmented(
                OPERATORS[type(statement.op)], old, self.reader.evaluate(statement.value)
            )
            self.interpreter.at(statement)
            self.interpreter.subscripts.write_item(owner, key, new)

    def assign(self, target, value):
        """Binds a target (a name, attribute, subscript, or several of them) to a value."""
        if isinstance(target, ast.Name):
            self.interpreter.variables.write_name(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.reader.evaluate(target.value)
            self.interpreter.at(target)
            self.interpreter.attribute_writes.write_attribute(owner, target.attr, value)
        elif isinstance(target, ast.Subscript):
            owner, key = (
                self.reader.evaluate(target.value),
                self.reader.evaluate(target.slice),
            )
            self.interpreter.at(target)
            self.interpreter.subscripts.write_item(owner, key, value)
        else:
            raise self.interpreter.rejection(UNKNOWN, f"cannot assign to {type(target).__name__}")

    def _unpack(self, target, value):
        elements = target.elts
        starred = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)

        def assign_all(items):
            for element, item in zip(elements, items, strict=True):
                self.assign(element.value if isinstance(element, ast.Starred) else element, item)

        self.interpreter.iteration.unpack(value, len(elements), starred, assign_all, target)

    def execute_Delete(self, statement):
        for target in statement.targets:
            self._delete(target)

    def _delete(self, target):
        if isinstance(target, ast.Name):
            self.interpreter.variables.delete_name(target.id)
        elif isinstance(target, ast.Attribute):
            self.interpreter.attribute_writes.delete_attribute(
                self.reader.evaluate(target.value), target.attr
            )
        elif isinstance(target, ast.Subscript):
            self.interpreter.subscripts.delete_item(
                self.reader.evaluate(target.value), self.reader.evaluate(target.slice)
            )
        else:
            for element in target.elts:
                self._delete(element)

    def execute_Global(self, statement):
        pass

    execute_Nonlocal = execute_Global

    def execute_Import(self, statement):
        for alias in statement.names:
            module = self.interpreter.variables.import_module(alias.name)
            if alias.asname:
                for part in alias.name.split(".")[1:]:
                    module = self.interpreter.variables.import_from(module, part)
            self.interpreter.names.write(
                self.interpreter.frame, alias.asname or alias.name.split(".")[0], module
            )

    def execute_ImportFrom(self, statement):
        names = [alias.name for alias in statement.names]
        module = self.interpreter.variables.import_module(statement.module or "", names, statement.level)
        for alias in statement.names:
            value = self.interpreter.variables.import_from(module, alias.name)
            self.interpreter.names.write(self.interpreter.frame, alias.asname or alias.name, value)

    # ---- functions

    def execute_FunctionDef(self, statement):
        decorators = [self.reader.evaluate(decorator) for decorator in statement.decorator_list]
        function = ClosureFunction(
            self.interpreter,
            SyntaxTree(statement, self.interpreter.frame.text),
            self.interpreter.frame,
            *self.reader.expressions.defaults_of(statement.args),
        )
        for decorator in reversed(decorators):
            function = self.interpreter.calls.call(decorator, (function,), {})
        self.interpreter.names.write(self.interpreter.frame, statement.name, function)

    def execute_AsyncFunctionDef(self, statement):
        raise self.interpreter.rejection(
            BYTECODE, "Unsupported statement 'AsyncFunctionDef'", "A graph has no event loop."
        )

    def execute_ClassDef(self, statement):
        raise self.interpreter.rejection(
            BYTECODE,
            "Unsupported statement 'ClassDef'",
            "Define the class outside of the compiled function.",
        )

    def execute_Return(self, statement):
        value = None if statement.value is None else self.reader.evaluate(statement.value)
        self.interpreter.returned_at = self.interpreter.frame.place(statement)
        return returned(value)

    def execute_Break(self, statement):
        return BREAK

    def execute_Continue(self, statement):
        return CONTINUE

    # ---- branches

    def execute_If(self, statement):
        return self.execute_if(statement, statement.body, statement.orelse)

    def execute_if(self, statement, body, otherwise):
        self.interpreter.at(statement.test)
        forced = self.interpreter.frame.text.conditions.get(statement.lineno)
        condition = self.reader.test(statement.test) if forced is None else forced
        self.interpreter.at(statement.test)
        return self.interpreter.branches.branch(
            condition, lambda: self.execute_block(body), lambda: self.execute_block(otherwise)
        )

    def execute_Match(self, statement):
        subject = self.reader.evaluate(statement.subject)
        return self.reader.patterns.match_case(subject, statement.cases)
