"""Evaluates expressions."""

import ast

from dyad._src.base.break_reasons import BYTECODE, YIELD
from dyad._src.capture.errors import Rejected
from dyad._src.capture.readers.ast.code import SyntaxTree
from dyad._src.capture.readers.ast.operators import OPERATORS
from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.semantics.calls.functions import ClosureFunction


class ExpressionReader(ReaderPart):
    """Evaluates expressions, operands in Python's order."""

    def evaluate(self, node):
        """The value of an expression."""
        method = self.reader.evaluators.get(type(node))
        if method is None:
            self.interpreter.at(node)
            raise self.interpreter.rejection(
                BYTECODE,
                f"Unsupported expression '{type(node).__name__}'",
                "It cannot be part of a static graph; compute it outside of the compiled function.",
            )
        try:
            return method(node)
        except Rejected as rejected:
            if rejected.expression is None and self.interpreter.frame.caller is None:
                rejected.expression = node
            raise

    def evaluate_Constant(self, node):
        return node.value

    def evaluate_Name(self, node):
        return self.interpreter.variables.read_name(node.id, node)

    def evaluate_NamedExpr(self, node):
        value = self.evaluate(node.value)
        self.interpreter.names.write(self.interpreter.frame.function_frame(), node.target.id, value)
        return value

    # ---- containers

    def elements(self, nodes):
        """The values of the elements of a literal, starred ones written out."""
        values = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.interpreter.iteration.items_of(self.evaluate(node.value)))
            else:
                values.append(self.evaluate(node))
        return values

    def evaluate_Tuple(self, node):
        return tuple(self.elements(node.elts))

    def evaluate_List(self, node):
        return self.interpreter.heap.note_birth(self.elements(node.elts))

    def evaluate_Set(self, node):
        values = self.elements(node.elts)
        self.interpreter.at(node)
        self.interpreter.subscripts.require_known(values, "set")
        return self.interpreter.heap.note_birth(set(values))

    def evaluate_Dict(self, node):
        made = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.interpreter.iteration.known_mapping(self.evaluate(value)))
                continue
            key = self.evaluate(key)
            self.interpreter.subscripts.require_key(key)
            made[key] = self.evaluate(value)
        return self.interpreter.heap.note_birth(made)

    def evaluate_Slice(self, node):
        parts = [
            None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step)
        ]
        return slice(*parts)

    # ---- operators

    def evaluate_BinOp(self, node):
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        self.interpreter.at(node)
        return self.interpreter.operators.binary(OPERATORS[type(node.op)], left, right)

    def evaluate_UnaryOp(self, node):
        operand = self.evaluate(node.operand)
        self.interpreter.at(node)
        return self.interpreter.operators.unary(OPERATORS[type(node.op)], operand)

    def test(self, node):
        """The truth of an expression; `and`, `or` and `not` need no common type where only their truth is asked."""
        if isinstance(node, ast.BoolOp):
            return self._test_all(node.values, isinstance(node.op, ast.And))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.interpreter.operators.negated(self.test(node.operand))
        return self.interpreter.operators.truth(self.evaluate(node))

    def _test_all(self, nodes, is_and):
        truth = self.test(nodes[0])
        if len(nodes) == 1:
            return truth
        self.interpreter.at(nodes[0])

        def rest():
            return self._test_all(nodes[1:], is_and)

        if is_and:
            return self.interpreter.branches.branch(truth, rest, lambda: False)
        return self.interpreter.branches.branch(truth, lambda: True, rest)

    def evaluate_BoolOp(self, node):
        return self._bool_op(node, 0, isinstance(node.op, ast.And))

    def _bool_op(self, node, number, is_and):
        value = self.evaluate(node.values[number])
        if number + 1 == len(node.values):
            return value
        self.interpreter.at(node)
        truth = self.interpreter.operators.truth(value)

        def rest():
            return self._bool_op(node, number + 1, is_and)

        if is_and:
            return self.interpreter.branches.branch(truth, rest, lambda: value)
        return self.interpreter.branches.branch(truth, lambda: value, rest)

    def evaluate_Compare(self, node):
        return self._compare(node, 0, self.evaluate(node.left))

    def _compare(self, node, number, left):
        right = self.evaluate(node.comparators[number])
        self.interpreter.at(node)
        result = self.interpreter.operators.compare(OPERATORS[type(node.ops[number])], left, right)
        if number + 1 == len(node.ops):
            return result
        return self.interpreter.branches.branch(
            self.interpreter.operators.truth(result),
            lambda: self._compare(node, number + 1, right),
            lambda: result,
        )

    def evaluate_IfExp(self, node):
        condition = self.test(node.test)
        self.interpreter.at(node)
        return self.interpreter.branches.branch(
            condition, lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse)
        )

    # ---- attributes, subscripts, calls

    def evaluate_Attribute(self, node):
        owner = self.evaluate(node.value)
        self.interpreter.at(node)
        name = node.attr
        if name == "has_key" and type(self.interpreter.external.look(owner)) is dict:
            name = "__contains__"  # graphs read from source have this method besides those of Python
        return self.interpreter.attributes.read_attribute(owner, name)

    def evaluate_Subscript(self, node):
        owner, key = self.evaluate(node.value), self.evaluate(node.slice)
        self.interpreter.at(node)
        return self.interpreter.subscripts.read_item(owner, key)

    def evaluate_Call(self, node):
        function = self.evaluate(node.func)
        args = self.elements(node.args)
        kwargs: dict = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                self.interpreter.calls.merge_keywords(function, kwargs, self.evaluate(keyword.value))
            else:
                kwargs[keyword.arg] = self.evaluate(keyword.value)
        self.interpreter.at(node)
        return self.interpreter.calls.call(function, tuple(args), kwargs)

    def evaluate_Lambda(self, node):
        return ClosureFunction(
            self.interpreter,
            SyntaxTree(node, self.interpreter.frame.text),
            self.interpreter.frame,
            *self.defaults_of(node.args),
        )

    def defaults_of(self, arguments):
        """(defaults of the last positional parameters, defaults of keyword-only ones by name)."""
        defaults = tuple(self.evaluate(default) for default in arguments.defaults)
        keyword_defaults = {
            argument.arg: self.evaluate(default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
        return defaults, keyword_defaults

    def evaluate_Yield(self, node):
        on_yield = self.interpreter.frame.on_yield
        if on_yield is None:
            self.interpreter.at(node)
            raise self.interpreter.rejection(
                YIELD,
                "Unsupported expression 'Yield'",
                "Return a list instead of yielding its elements.",
            )
        value = None if node.value is None else self.evaluate(node.value)
        self.interpreter.at(node)
        return on_yield(value)

    def evaluate_Starred(self, node):
        return self.evaluate(node.value)

    # ---- texts

    def evaluate_JoinedStr(self, node):
        return self.interpreter.texts.join_texts([self.evaluate(value) for value in node.values])

    def evaluate_FormattedValue(self, node):
        value = self.evaluate(node.value)
        spec = "" if node.format_spec is None else self.evaluate(node.format_spec)
        self.interpreter.at(node)
        return self.interpreter.texts.format_value(
            value, chr(node.conversion) if node.conversion >= 0 else "", spec
        )
