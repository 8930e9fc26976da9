"""`while` and `for`: which loops are written out turn by turn, and which become loops of the graph."""

import functools
from typing import NamedTuple

from dyad._core import GraphNumber
from dyad._src.base.break_reasons import LOOP, LOOP_TRACE
from dyad._src.capture.errors import BudgetSpent, Rejected
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import (
    BREAK,
    CONTINUE,
    MISSING,
    OneOf,
    RuntimeRange,
    is_symbolic_tensor,
)

# Loops of at least this many turns are tried as one node of the graph before they are written out.
LONG_LOOP = 256
LONG_TENSOR = 64
LONG_ITERATOR = 4096  # turns over an iterator, each that may leave the loop counted as many


class Loop(NamedTuple):
    """A reader's description of a loop. `body()` and `orelse()` return completions.

    `identity` is the same whenever the loop is reached; `leaves_conditionally()` tells whether the body leaves the
    loop under a condition, judged by its text.
    """

    identity: object
    position: object
    body: object
    orelse: object
    leaves_conditionally: object


class Loops(Part):
    """Runs loops. What leaves a loop on some paths only is a completion that is one of several."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.decisions = {}  # (loop, frame) -> whether it is a loop of the graph

    def while_loop(self, loop, test, test_position, turns=0):
        """`test()` gives the truth that is asked before each turn."""
        self._require_allowed(turns)
        if turns == 0:
            self.interpreter.budget.begin_loop()
        if turns == 0 and self._leaves_by_chance(loop):
            self.interpreter.at(test_position)
            go = test()
            if go is False:
                return loop.orelse()
            return self._while_in_graph(loop, test, go)
        while True:
            self.interpreter.at(test_position)
            go = test()
            if go is False:
                return loop.orelse()
            if go is not True or turns >= LONG_LOOP:
                return self._while_in_graph(loop, test, go)
            turns += 1
            self._require_allowed(turns)
            leaving = self.interpreter.budget.turn(loop)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(
                    leaving, functools.partial(self.while_loop, loop, test, test_position, turns)
                )
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving

    def _require_allowed(self, turns):
        """Refuses a loop of the program that the options leave to Python: any, or one of so many turns."""
        keys = self.interpreter.options.bytecode
        if not self.interpreter.frame.is_program:
            return
        if not keys.loop_unrolling:
            raise self.interpreter.rejection(LOOP, "loop: loop_unrolling is off, so Python runs it")
        if 0 < keys.max_loop_unrolling < turns:
            raise self.interpreter.rejection(
                LOOP,
                f"loop: it has more than {keys.max_loop_unrolling} turns, which MAX_LOOP_UNROLLING leaves to Python",
            )

    def _leaves_by_chance(self, loop):
        """Returns whether the first turn leaves the loop or not depending on what is known only when the graph runs."""
        if not loop.leaves_conditionally():
            return False
        return self._decided_once(loop, lambda: self._is_chance(lambda: self.interpreter.budget.turn(loop)))

    def _is_chance(self, turn):
        return isinstance(self.interpreter.branches.trial(turn), OneOf)

    def _decided_once(self, loop, decide):
        """Chooses how a loop is captured: the decision of the first iteration is kept, however deep loops nest."""
        key = (loop.identity, self.interpreter.frame)
        if key not in self.decisions:
            self.decisions[key] = decide()
        return self.decisions[key]

    def _go_on_looping(self, leaving, next_turns):
        """Behind a turn that may have left the loop: goes on where it did not."""
        going_on = [tag for tag, a in leaving.alternatives.items() if a is None or a is CONTINUE]
        condition = False
        for tag in going_on:
            condition = self.interpreter.operators.either(condition, leaving.tag == tag)
        if len(going_on) == len(leaving.alternatives):
            return next_turns()
        stopped = leaving.without(*going_on)
        return self.interpreter.branches.branch(
            condition,
            next_turns,
            lambda: self.interpreter.branches.split(
                stopped, lambda chosen: None if chosen is BREAK else chosen
            ),
        )

    def _while_in_graph(self, loop, test, go):
        def step():
            return self._after_turn(self.interpreter.budget.turn(loop, in_graph=True), test)

        self.interpreter.at(loop.position)
        return self._after_loop(self.interpreter.loop_nodes.loop(go, step), loop.orelse)

    def _after_turn(self, leaving, condition):
        """(whether to go on, how the loop is left) after one turn that ended with `leaving`."""

        def use(chosen):
            if chosen is None or chosen is CONTINUE:
                return condition(), None
            return False, chosen

        return self.interpreter.branches.split(leaving, use)

    def _after_loop(self, leaving, orelse):
        """Goes on behind a loop: `else` where it was not left by break."""

        def use(chosen):
            if chosen is None:
                return orelse()
            return None if chosen is BREAK else chosen

        return self.interpreter.branches.split(leaving, use)

    def for_loop(self, loop, iterable, assign):
        """`assign(item)` binds the target of the loop before each turn."""
        self._require_allowed(0)
        self.interpreter.budget.begin_loop()
        iterable = self.external.look(iterable)
        if isinstance(iterable, OneOf):
            return self.interpreter.branches.split(iterable, lambda chosen: self._for(loop, assign, chosen))
        return self._for(loop, assign, iterable)

    def _for(self, loop, assign, iterable):
        if self.interpreter.operators.undecided_among(iterable) is not None:
            return self.interpreter.branches.with_decided_contents(
                iterable, lambda: self._for(loop, assign, iterable)
            )
        if isinstance(iterable, RuntimeRange):
            return self._count_in_graph(
                loop, assign, iterable.start, iterable.stop, iterable.step, lambda i: i
            )
        if isinstance(iterable, range) and self._belongs_in_graph(loop, assign, iterable):
            try:
                return self._count_in_graph(
                    loop, assign, iterable.start, iterable.stop, iterable.step, lambda i: i
                )
            except Rejected as rejected:
                if isinstance(rejected, BudgetSpent):
                    raise
                # The body needs the counter as a known number: its turns are written out.
                self.decisions[(loop.identity, self.interpreter.frame)] = False
        if is_symbolic_tensor(iterable) and iterable.ndim and self._is_long(iterable):
            return self._count_in_graph(
                loop,
                assign,
                0,
                self.interpreter.iteration.length_of(iterable),
                1,
                lambda i: self.interpreter.subscripts.read_item(iterable, i),
            )
        if self.interpreter.iteration.is_iterated_by_methods(iterable):
            return self._turns_of(loop, assign, self.interpreter.iteration.iterator_of(iterable), 0)
        return self._turns(
            loop, assign, self.interpreter.iteration.sequence_of(iterable)[0], 0
        )  # a list may grow while it is iterated

    def _belongs_in_graph(self, loop, assign, counts):
        if len(counts) >= LONG_LOOP:
            return self._decided_once(loop, lambda: True)
        if len(counts) <= 4 or not loop.leaves_conditionally():
            return False

        def first_turn():
            assign(counts[0])
            return self.interpreter.budget.turn(loop)

        return self._decided_once(loop, lambda: self._is_chance(first_turn))

    def _is_long(self, tensor):
        rows = tensor.shape[0]
        return isinstance(rows, GraphNumber) or rows >= LONG_TENSOR

    def _turns(self, loop, assign, items, first):
        """The turns of a loop of a known length, from item `first` on."""
        self._require_allowed(len(items))
        number = first - 1
        while (number := number + 1) < self.interpreter.iteration.length_before(items, number):
            assign(items[number])
            leaving = self.interpreter.budget.turn(loop)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(
                    leaving, functools.partial(self._turns, loop, assign, items, number + 1)
                )
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving
        return loop.orelse()

    def _turns_of(self, loop, assign, iterator, turns):
        """The turns of a loop over an iterator, which others may hold: it is advanced one by one."""
        while (item := self.interpreter.iteration.advance(iterator)) is not MISSING:
            turns += 1
            self._require_allowed(turns)
            if turns > LONG_ITERATOR:
                raise self.interpreter.rejection(
                    LOOP_TRACE,
                    f"for: an iterator gave more than {LONG_ITERATOR} elements, and what ends the loop is known only "
                    "when the graph runs, or nothing does",
                    "Iterate over a range or a list.",
                )
            assign(item)
            leaving = self.interpreter.budget.turn(loop)
            if isinstance(leaving, OneOf):
                return self._go_on_looping(
                    leaving,
                    functools.partial(self._turns_of, loop, assign, iterator, turns + LONG_ITERATOR // 64),
                )
            if leaving is BREAK:
                return None
            if leaving is not None and leaving is not CONTINUE:
                return leaving
        return loop.orelse()

    def _count_in_graph(self, loop, assign, start, stop, step, item):
        """A loop over a range, with its counter as a variable of the graph."""
        counter = self.heap.note_namespace({"next": start})

        def goes_on():
            # The sign of the step is known in nearly all programs.
            if isinstance(step, GraphNumber):
                up = self.interpreter.operators.both(step > 0, counter["next"] < stop)
                return self.interpreter.operators.either(
                    up, self.interpreter.operators.both(step < 0, counter["next"] > stop)
                )
            return counter["next"] < stop if step > 0 else counter["next"] > stop

        def turn():
            current = counter["next"]
            self.heap.touch(counter)
            counter["next"] = current + step
            assign(item(current))
            return self._after_turn(self.interpreter.budget.turn(loop, in_graph=True), goes_on)

        go = goes_on()
        self.interpreter.at(loop.position)
        return self._after_loop(self.interpreter.loop_nodes.loop(go, turn), loop.orelse)
