"""Reads comprehensions and generator expressions."""

import functools

from dyad._src.capture.readers.ast.part import ReaderPart
from dyad._src.capture.readers.ast.scopes import scope_of_comprehension
from dyad._src.capture.semantics.frame import Frame
from dyad._src.capture.semantics.iteration.comprehensions import ComprehensionLoop, GeneratorExpression


class ComprehensionReader(ReaderPart):
    """Hands the loops of a comprehension to the semantics as callables."""

    def evaluate_ListComp(self, node):
        def add(items):
            self.interpreter.iteration.append(items, self.reader.evaluate(node.elt))

        return self._comprehend(node, [], add)

    def evaluate_SetComp(self, node):
        def add(members):
            self.interpreter.iteration.add_member(members, self.reader.evaluate(node.elt))

        return self._comprehend(node, set(), add)

    def evaluate_DictComp(self, node):
        def add(entries):
            key = self.reader.evaluate(node.key)
            self.interpreter.iteration.add_entry(entries, key, self.reader.evaluate(node.value))

        return self._comprehend(node, {}, add)

    def evaluate_GeneratorExp(self, node):
        first = self.interpreter.iteration.iterator_of(self.reader.evaluate(node.generators[0].iter))
        return GeneratorExpression(
            self.interpreter,
            self._inner_frame(node),
            self._loops_of(node),
            first,
            functools.partial(self.reader.evaluate, node.elt),
        )

    def _comprehend(self, node, collected, add):
        first = self.reader.evaluate(node.generators[0].iter)
        return self.interpreter.comprehensions.comprehend(
            self._inner_frame(node), self._loops_of(node), first, collected, add
        )

    def _loops_of(self, node):
        return [
            ComprehensionLoop(
                functools.partial(self.reader.evaluate, generator.iter),
                functools.partial(self.reader.assign, generator.target),
                tuple(functools.partial(self.reader.test, condition) for condition in generator.ifs),
            )
            for generator in node.generators
        ]

    def _inner_frame(self, node):
        frame = self.interpreter.frame
        inner = Frame(frame.name, frame.text, frame.namespace, scope_of_comprehension(node), frame)
        self.interpreter.heap.note_namespace(inner.locals)
        inner.owner_class = frame.owner_class
        return inner
