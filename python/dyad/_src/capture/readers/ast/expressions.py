"""What each expression gives."""

import ast

from dyad._src.capture.errors import rejection
from dyad._src.capture.readers.ast.dispatch import methods_by_node
from dyad._src.capture.readers.ast.scopes import scope_of_comprehension
from dyad._src.capture.semantics.frame import Frame
from dyad._src.capture.semantics.functions import ClosureFunction
from dyad._src.capture.semantics.iterators import Generated
from dyad._src.capture.semantics.values import UNBOUND, OneOf, depends_on_run


class Expressions:
    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._evaluators = methods_by_node(cls, "evaluate_")

    def evaluate(self, node):
        method = self._evaluators.get(type(node))
        if method is None:
            self.at(node)
            raise rejection(
                self.place,
                f"Unsupported expression '{type(node).__name__}'",
                "It cannot be part of a static graph; compute it outside of the compiled function.",
            )
        return method(self, node)

    def evaluate_Constant(self, node):
        return node.value

    def evaluate_Name(self, node):
        return self.read_name(node.id, node)

    def read_name(self, name, node=None):
        value = self.asked(self.names.read, self.frame, name)
        if isinstance(value, OneOf) and any(v is UNBOUND for v in value.alternatives.values()):
            if node is not None:
                self.at(node)
            value = self.split(value, lambda chosen: self._bound_value(name, chosen))
            self.names.write(self.frame, name, value)
        return value

    def _bound_value(self, name, value):
        if value is UNBOUND:
            self.throw(
                UnboundLocalError(
                    f"cannot access local variable {name!r} where it is not associated with a value"
                )
            )
        return value

    def evaluate_NamedExpr(self, node):
        value = self.evaluate(node.value)
        self.names.write(self.frame.function_frame(), node.target.id, value)
        return value

    # ---- containers

    def elements(self, nodes):
        """The values of the elements of a literal, starred ones written out."""
        values = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                values.extend(self.items_of(self.evaluate(node.value)))
            else:
                values.append(self.evaluate(node))
        return values

    def evaluate_Tuple(self, node):
        return tuple(self.elements(node.elts))

    def evaluate_List(self, node):
        return self.heap.note_birth(self.elements(node.elts))

    def evaluate_Set(self, node):
        values = self.elements(node.elts)
        self.at(node)
        self.require_known(values, "set")
        return self.heap.note_birth(set(values))

    def evaluate_Dict(self, node):
        made = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.known_mapping(self.evaluate(value)))
                continue
            key = self.evaluate(key)
            self.require_key(key)
            made[key] = self.evaluate(value)
        return self.heap.note_birth(made)

    def evaluate_Slice(self, node):
        parts = [
            None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step)
        ]
        return slice(*parts)

    # ---- comprehensions

    def evaluate_ListComp(self, node):
        return self.heap.note_birth(self._comprehend(node, lambda: self.evaluate(node.elt)))

    def evaluate_GeneratorExp(self, node):
        first = self.iterator_of(self.evaluate(node.generators[0].iter))
        return Generated(self, node, self._inner_frame(node), first)

    def evaluate_SetComp(self, node):
        values = self._comprehend(node, lambda: self.evaluate(node.elt))
        self.at(node)
        self.require_known(values, "set")
        return self.heap.note_birth(set(values))

    def evaluate_DictComp(self, node):
        def pair():
            key = self.evaluate(node.key)
            self.require_key(key)
            return key, self.evaluate(node.value)

        return self.heap.note_birth(dict(self._comprehend(node, pair)))

    def _inner_frame(self, node):
        frame = self.frame
        inner = Frame(frame.name, frame.source, frame.namespace, scope_of_comprehension(node), frame)
        self.heap.note_namespace(inner.locals)
        inner.owner_class = frame.owner_class
        return inner

    def _comprehend(self, node, element):
        first = self.evaluate(node.generators[0].iter)
        collected = self.heap.note_birth([])
        with self.in_frame(self._inner_frame(node)):
            self.generate(node.generators, 0, first, element, collected)
        return collected

    def generate(self, generators, number, iterable, element, collected):
        """Adds the elements of a comprehension from its loop `number` on."""
        generator = generators[number]

        def take():
            if number + 1 == len(generators):
                self.append(collected, element())
            else:
                inner = self.evaluate(generators[number + 1].iter)
                self.generate(generators, number + 1, inner, element, collected)

        for item in self.each(iterable):
            self.assign(generator.target, item)
            self._where_all(generator.ifs, take)

    def _where_all(self, conditions, take):
        """Does `take` where all conditions hold, which may be known only when the graph runs."""
        if not conditions:
            return take()
        truth = self.test(conditions[0])
        return self.branch(truth, lambda: self._where_all(conditions[1:], take), lambda: None)

    def append(self, items, item):
        def add():
            self.heap.touch(items)
            items.append(item)

        return self.opened(items, add)

    # ---- operators

    def evaluate_BinOp(self, node):
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        self.at(node)
        return self.binary(node.op, left, right)

    def evaluate_UnaryOp(self, node):
        operand = self.evaluate(node.operand)
        self.at(node)
        return self.unary(node.op, operand)

    def test(self, node):
        """The truth of an expression; `and`, `or` and `not` need no common type where only their truth is asked."""
        if isinstance(node, ast.BoolOp):
            return self._test_all(node.values, isinstance(node.op, ast.And))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negated(self.test(node.operand))
        return self.truth(self.evaluate(node))

    def _test_all(self, nodes, is_and):
        truth = self.test(nodes[0])
        if len(nodes) == 1:
            return truth
        self.at(nodes[0])

        def rest():
            return self._test_all(nodes[1:], is_and)

        if is_and:
            return self.branch(truth, rest, lambda: False)
        return self.branch(truth, lambda: True, rest)

    def evaluate_BoolOp(self, node):
        return self._bool_op(node, 0, isinstance(node.op, ast.And))

    def _bool_op(self, node, number, is_and):
        value = self.evaluate(node.values[number])
        if number + 1 == len(node.values):
            return value
        self.at(node)
        truth = self.truth(value)

        def rest():
            return self._bool_op(node, number + 1, is_and)

        if is_and:
            return self.branch(truth, rest, lambda: value)
        return self.branch(truth, lambda: value, rest)

    def evaluate_Compare(self, node):
        return self._compare(node, 0, self.evaluate(node.left))

    def _compare(self, node, number, left):
        right = self.evaluate(node.comparators[number])
        self.at(node)
        result = self.compare(node.ops[number], left, right)
        if number + 1 == len(node.ops):
            return result
        return self.branch(self.truth(result), lambda: self._compare(node, number + 1, right), lambda: result)

    def evaluate_IfExp(self, node):
        condition = self.test(node.test)
        self.at(node)
        return self.branch(condition, lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse))

    # ---- attributes, subscripts, calls

    def evaluate_Attribute(self, node):
        owner = self.evaluate(node.value)
        self.at(node)
        return self.read_attribute(owner, node.attr)

    def evaluate_Subscript(self, node):
        owner, key = self.evaluate(node.value), self.evaluate(node.slice)
        self.at(node)
        return self.read_item(owner, key)

    def evaluate_Call(self, node):
        function = self.evaluate(node.func)
        args = self.elements(node.args)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                for name, value in self.known_mapping(self.evaluate(keyword.value)).items():
                    if name in kwargs:
                        self.throw(
                            TypeError(
                                f"{_called(function)}() got multiple values for keyword argument {name!r}"
                            )
                        )
                    kwargs[name] = value
            else:
                kwargs[keyword.arg] = self.evaluate(keyword.value)
        self.at(node)
        return self.call(function, tuple(args), kwargs)

    def evaluate_Lambda(self, node):
        return ClosureFunction(self, node, self.frame, *self.defaults_of(node.args))

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
        on_yield = self.frame.on_yield
        if on_yield is None:
            self.at(node)
            raise rejection(
                self.place,
                "Unsupported expression 'Yield'",
                "Return a list instead of yielding its elements.",
            )
        value = None if node.value is None else self.evaluate(node.value)
        self.at(node)
        return on_yield(value)

    def evaluate_Starred(self, node):
        return self.evaluate(node.value)

    # ---- texts

    def evaluate_JoinedStr(self, node):
        parts = [self.evaluate(value) for value in node.values]
        if not depends_on_run(parts):
            return "".join(parts)
        return self.deferred("text", _joined, parts)

    def evaluate_FormattedValue(self, node):
        value = self.evaluate(node.value)
        spec = "" if node.format_spec is None else self.evaluate(node.format_spec)
        self.at(node)
        return self.format_value(value, chr(node.conversion) if node.conversion >= 0 else "", spec)


def _joined(*parts):
    return "".join(parts)


def _called(function):
    return getattr(function, "__qualname__", None) or type(function).__name__
