"""Loops: `for`, `while` with its two copies of the test, and any other jump back."""

import functools

from dyad._src.bytecode.minors import CONDITIONAL, PASSED_AT_END
from dyad._src.capture.errors import Dead
from dyad._src.capture.readers.bytecode.code import COMPREHENSIONS
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.readers.bytecode.region import Jump, jump_to
from dyad._src.capture.readers.bytecode.stack import ITERATOR, Iterated
from dyad._src.capture.semantics.calls.functions import ClosureFunction
from dyad._src.capture.semantics.control.loops import Loop
from dyad._src.capture.semantics.values import CONTINUE, MISSING, OneOf

_COLLECTING = frozenset(("LIST_APPEND", "SET_ADD", "MAP_ADD"))
# Between GET_ITER and the loop of an inlined comprehension.
_BEFORE_LOOP = frozenset(("LOAD_FAST_AND_CLEAR", "SWAP", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "MAKE_CELL"))


class LoopReader(ReaderPart):
    """Hands the instructions of loops to the semantics as callables."""

    def run_loop(self, number, region):
        """The completion of the loop that begins at an instruction."""
        flow = self.interpreter.frame.flow
        instruction = flow.instructions[number]
        self.interpreter.at(instruction.position)
        if number in flow.while_loops:
            run = self._while
        elif flow.names[number] == "FOR_ITER":
            run = self._for
        else:
            run = self._endless
        # What ends the loop is noted at its header, which no turn leaves out: without it there is no loop.
        header = flow.instructions[self._header(number)]
        return self.reader.noting(header, lambda _, region: run(instruction, region), region)

    def _header(self, number):
        flow = self.interpreter.frame.flow
        found = flow.while_loops.get(number)
        if found is None:
            return number
        return found.test if found.test in flow.loops else found.body

    # ---- for

    def op_GET_ITER(self, instruction, region):
        value = self.stack.pop()
        if self._loop_follows(instruction.number) and not region.stepwise:
            self.stack.push(Iterated(value))
        else:
            self.stack.push(self.interpreter.iteration.iterator_of(value))

    def _loop_follows(self, number):
        """Returns whether what is iterated over goes to a loop at once: here, or in the function of a comprehension."""
        flow = self.interpreter.frame.flow
        following = number + 1
        while flow.names[following] in _BEFORE_LOOP:
            following += 1
        if flow.names[following] == "FOR_ITER":
            return True
        made = self.stack.slots.get(self.stack.top - 1)
        return (
            flow.names[following] in ("PRECALL", "CALL")
            and isinstance(made, ClosureFunction)
            and made.code.name in COMPREHENSIONS
        )

    def _for(self, instruction, region):
        flow, number = self.interpreter.frame.flow, instruction.number
        given = self.stack.peek()
        iterable = self.interpreter.external.look(given.iterable if type(given) is Iterated else given)
        if isinstance(iterable, range) and self._collects(flow.loops[number], flow):
            iterable = list(iterable)
        self.stack.put(1, ITERATOR)
        depth = self.stack.top

        def assign(item):
            self.stack.settle(depth)
            self.stack.push(item)

        loop = self._loop(instruction, number + 1, flow.successors[number][1], region, number, {number})
        return self.interpreter.loops.for_loop(loop, iterable, assign)

    def _collects(self, members, flow):
        return any(flow.names[member] in _COLLECTING for member in members)

    def op_FOR_ITER(self, instruction, region):
        """One turn of a loop that is not run as a whole: in a generator, or if no turn is followed by another."""
        iterator = self.stack.peek()
        if type(iterator) is Iterated:
            iterator = self.interpreter.iteration.iterator_of(iterator.iterable)
            self.stack.put(1, iterator)
        item = self.interpreter.iteration.advance(iterator)
        if item is MISSING:
            return instruction.target + PASSED_AT_END
        self.stack.push(item)
        return None

    # ---- while

    def _while(self, instruction, region):
        flow = self.interpreter.frame.flow
        found = flow.while_loops[instruction.number]
        back = {found.test, found.retest}
        loop = self._loop(instruction, found.body, found.exit, region, self._header(found.test), back)
        test = functools.partial(self._test, found.test, found, region)
        return self.interpreter.loops.while_loop(loop, test, instruction.position)

    def _test(self, number, found, region):
        """The truth of a `while`'s test, from one of its instructions on."""
        flow = self.interpreter.frame.flow
        self.stack.settle(flow.depths[number])
        inside = region.stopping_at(found.body, found.exit)
        while True:
            instruction = flow.instructions[number]
            if flow.names[number] in CONDITIONAL:
                met = flow.merge_of(number, inside.stops)
                if met is None or met in inside.stops:
                    return self._decide(instruction, found, region)
            done = self.reader.step(number, inside)
            if done is not None and type(done) is not int:
                done = self.reader.go_on(done, inside)
            if isinstance(done, Jump):
                done = done.target
            number = number + 1 if done is None else done
            if number in (found.body, found.exit):
                return number == found.body

    def _decide(self, instruction, found, region):
        self.interpreter.at(instruction.position)
        jumps = self.reader.jumps.condition_at(instruction)

        def way(target):
            if target in (found.body, found.exit):
                return target == found.body
            if self._through_jump(target) == found.body:
                return True
            return self._test(target, found, region)

        goes_on, target = self.interpreter.frame.flow.successors[instruction.number]
        return self.interpreter.branches.branch(jumps, lambda: way(target), lambda: way(goes_on))

    def _through_jump(self, number):
        flow = self.interpreter.frame.flow
        return flow.instructions[number].target if flow.names[number] == "JUMP" else number

    # ---- any other

    def _endless(self, instruction, region):
        """A loop that only jumps leave."""
        number = instruction.number
        loop = self._loop(instruction, number, None, region, number, {number})
        return self.interpreter.loops.while_loop(loop, lambda: True, instruction.position)

    # ---- all of them

    def _loop(self, instruction, first, after, region, header, back):
        """Describes a loop for the semantics: its iterations begin at `first` and end at a position in `back`.

        Where it is not left by a jump, the program goes on at `after`.
        """
        flow = self.interpreter.frame.flow
        exits = flow.exits(header)
        inner = region.stopping_at(*back, *exits, end=min(back))

        def body():
            # Where a turn begins with another loop, that is run as one.
            return self._turn(self.reader.run(first, inner, begins=first in inner.stops), back)

        return Loop(
            instruction,
            instruction.position,
            body,
            functools.partial(self._after, after),
            functools.partial(self._leaves, header),
        )

    def _after(self, number):
        """Continues the program where nothing has left the loop."""
        if number is None:
            raise Dead  # no turn is the last one
        return jump_to(number)

    def _turn(self, completion, back):
        """A completion of the instructions of a turn, as the semantics knows them."""
        if isinstance(completion, OneOf):
            return OneOf(
                completion.tag,
                {tag: self._turn(way, back) for tag, way in completion.alternatives.items()},
            )
        return CONTINUE if isinstance(completion, Jump) and completion.target in back else completion

    def _leaves(self, header):
        """Returns whether a turn may leave the loop other than by its end."""
        flow = self.interpreter.frame.flow
        members = flow.loops[header]
        own_end = set(flow.successors[header]) if flow.names[header] == "FOR_ITER" else set()
        exits = flow.exits(header) - own_end - {flow.while_exits.get(header)}
        return bool(exits) or any(flow.names[member].startswith("RETURN") for member in members)
