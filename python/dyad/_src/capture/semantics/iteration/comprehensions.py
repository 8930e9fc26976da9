"""Comprehensions and generator expressions: loops inside of an expression, in a frame of their own."""

from typing import NamedTuple

from dyad._src.capture.errors import Thrown
from dyad._src.capture.semantics.iteration.iterators import ModelIterator, known_truth
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING


class ComprehensionLoop(NamedTuple):
    """One `for ... in ... if ...` of a comprehension, as callables that a reader gives.

    `iterable()` evaluates what is iterated over, `assign(item)` binds the target, and each of `conditions` gives a
    truth that is known now or when the graph runs.
    """

    iterable: object
    assign: object
    conditions: tuple


class Comprehensions(Part):
    """Runs the loops of comprehensions."""

    def comprehend(self, frame, loops, first, collected, add):
        """`collected` after `add(collected)` in every turn; `first` is what the first of the loops iterates over."""
        self.heap.note_birth(collected)
        with self.interpreter.in_frame(frame):
            self.generate(loops, 0, first, lambda: add(collected))
        return collected

    def generate(self, loops, number, iterable, take):
        """Calls `take` in every turn of the loops from `number` on."""
        loop = loops[number]

        def go_on():
            if number + 1 == len(loops):
                take()
            else:
                self.generate(loops, number + 1, loops[number + 1].iterable(), take)

        for item in self.interpreter.iteration.each(iterable):
            loop.assign(item)
            self._where_all(loop.conditions, go_on)

    def _where_all(self, conditions, take):
        """Does `take` where all conditions hold, which may be known only when the graph runs."""
        if not conditions:
            return take()
        return self.interpreter.branches.branch(
            conditions[0](), lambda: self._where_all(conditions[1:], take), lambda: None
        )


class GeneratorExpression(ModelIterator):
    """A generator expression: the iterators of its loops, as far as they are entered, are its state."""

    __slots__ = ("_element", "_loops", "frame")

    def __init__(self, interpreter, frame, loops, first, element):
        super().__init__(interpreter, type(_ for _ in ()), loops=(first,), started=False)
        self.frame = frame
        self._loops = loops
        self._element = element

    def advance(self, interpreter):
        entered = self.read(interpreter, "loops")
        self.write(interpreter, "started", True)
        try:
            with interpreter.in_frame(self.frame):
                return self._next(interpreter, entered)
        except Thrown as thrown:
            self.write(interpreter, "loops", ())
            if isinstance(thrown.error, StopIteration):
                thrown.error = RuntimeError("generator raised StopIteration")
            raise

    def may_be_collected(self):
        return not self.state["started"]

    def collect(self, interpreter, items):
        """Adds all elements to the items, of one that was not advanced yet."""
        first = self.state["loops"][0]
        self.write(interpreter, "started", True)
        self.write(interpreter, "loops", ())
        with interpreter.in_frame(self.frame):
            interpreter.comprehensions.generate(
                self._loops, 0, first, lambda: interpreter.iteration.append(items, self._element())
            )

    def abandon(self, interpreter):
        entered = self.state["loops"]
        self.write(interpreter, "loops", ())
        if self.frame.locals:
            interpreter.heap.touch(self.frame.locals)
            self.frame.locals.clear()
        for iterator in entered if isinstance(entered, tuple) else ():
            interpreter.iteration.abandon(iterator)

    def _next(self, interpreter, entered):
        while entered:
            item = interpreter.iteration.advance(entered[-1])
            if item is MISSING:
                entered = entered[:-1]
                continue
            loop = self._loops[len(entered) - 1]
            loop.assign(item)
            if not all(known_truth(interpreter, condition(), "generator") for condition in loop.conditions):
                continue
            if len(entered) == len(self._loops):
                self.write(interpreter, "loops", entered)
                return self._element()
            entered = (*entered, interpreter.iteration.iterator_of(self._loops[len(entered)].iterable()))
        self.write(interpreter, "loops", ())
        return MISSING
