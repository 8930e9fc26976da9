"""Reads comprehensions and generator expressions."""

import functools

from dyad._src.capture.readers.ast.scopes import scope_of_comprehension
from dyad._src.capture.semantics.comprehensions import ComprehensionLoop, GeneratorExpression
from dyad._src.capture.semantics.frame import Frame


class ComprehensionReader:
    """Hands the loops of a comprehension to the semantics as callables."""

    def evaluate_ListComp(self, node):
        return self.heap.note_birth(self._comprehend(node, lambda: self.evaluate(node.elt)))

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

    def evaluate_GeneratorExp(self, node):
        first = self.iterator_of(self.evaluate(node.generators[0].iter))
        return GeneratorExpression(
            self,
            self._inner_frame(node),
            self._loops_of(node),
            first,
            functools.partial(self.evaluate, node.elt),
        )

    def _comprehend(self, node, element):
        first = self.evaluate(node.generators[0].iter)
        return self.comprehend(self._inner_frame(node), self._loops_of(node), first, element)

    def _loops_of(self, node):
        return [
            ComprehensionLoop(
                functools.partial(self.evaluate, generator.iter),
                functools.partial(self.assign, generator.target),
                tuple(functools.partial(self.test, condition) for condition in generator.ifs),
            )
            for generator in node.generators
        ]

    def _inner_frame(self, node):
        frame = self.frame
        inner = Frame(frame.name, frame.text, frame.namespace, scope_of_comprehension(node), frame)
        self.heap.note_namespace(inner.locals)
        inner.owner_class = frame.owner_class
        return inner
