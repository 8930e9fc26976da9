"""Instructions that jump, and branches that only the running graph decides."""

import collections
import operator

from dyad._src.bytecode.minors import CONDITIONAL
from dyad._src.capture.readers.bytecode.part import ReaderPart
from dyad._src.capture.semantics.iteration.iterators import known_truth

# What is no part of a condition: statements, and what the instruction behind it belongs to.
_ENDS_TEST = frozenset(
    ("STORE_FAST", "STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "STORE_DEREF", "POP_TOP", "GET_ITER")
    + ("STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST", "BEFORE_WITH", "YIELD_VALUE", "SEND")
    + ("PUSH_EXC_INFO", "CHECK_EXC_MATCH", "CHECK_EG_MATCH", "POP_EXCEPT", "WITH_EXCEPT_START")
)
# How often a branch may be inside of itself: in turns of a loop that are written out, each inside of the one before.
_MOST_UNDER_WAY = 300
_TESTED = ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE")


class JumpReader(ReaderPart):
    """Jumps. A condition of the running graph makes two arms, up to the place where they meet."""

    def __init__(self, reader):
        super().__init__(reader)
        self._under_way: collections.Counter = (
            collections.Counter()
        )  # (frame, conditional jump) -> how often it is inside of itself

    def op_JUMP(self, instruction, region):
        return instruction.target

    def op_POP_JUMP_IF_TRUE(self, instruction, region):
        return self._jump_if(instruction, region, self.condition_at(instruction))

    op_POP_JUMP_IF_FALSE = op_POP_JUMP_IF_TRUE
    op_POP_JUMP_IF_NONE = op_POP_JUMP_IF_TRUE
    op_POP_JUMP_IF_NOT_NONE = op_POP_JUMP_IF_TRUE

    def op_JUMP_IF_TRUE_OR_POP(self, instruction, region):
        truth = self.interpreter.operators.truth(self.stack.peek())
        return self._jump_if(instruction, region, truth)

    def op_JUMP_IF_FALSE_OR_POP(self, instruction, region):
        truth = self.interpreter.operators.truth(self.stack.peek())
        return self._jump_if(instruction, region, self.interpreter.operators.negated(truth))

    def condition_at(self, instruction):
        """Pops what a conditional jump tests; gives whether it jumps, known now or when the graph runs."""
        value = self.stack.pop()
        operators = self.interpreter.operators
        name = self.interpreter.frame.flow.names[instruction.number]
        if name in _TESTED:
            truth = operators.truth(value)
            return truth if name == "POP_JUMP_IF_TRUE" else operators.negated(truth)
        is_none = operators.compare(operator.is_, value, None)
        return is_none if name == "POP_JUMP_IF_NONE" else operators.negated(is_none)

    def _jump_if(self, instruction, region, jumps):
        if isinstance(jumps, bool):
            return instruction.target if jumps else instruction.number + 1
        if region.stepwise:
            known_truth(self.interpreter, jumps, "generator")
        number = instruction.number
        number, jumps = self._whole_condition(number, region, jumps)
        return self.fork(number, region, jumps)

    def fork(self, number, region, jumps):
        """Both ways of a conditional jump, up to where they meet; gives how they complete."""
        frame = self.interpreter.frame
        goes_on, target = frame.flow.successors[number]
        inner = self.inner_region(number, region)
        key = frame, number
        self._under_way[key] += 1
        if self._under_way[key] > _MOST_UNDER_WAY:
            self.interpreter.budget.refuse(
                f"a branch is captured inside of itself more than {_MOST_UNDER_WAY} times, in a loop of which only the "
                "running graph knows when it ends"
            )
        try:
            return self.interpreter.branches.branch(
                jumps, lambda: self.reader.run(target, inner), lambda: self.reader.run(goes_on, inner)
            )
        finally:
            self._under_way[key] -= 1

    def inner_region(self, number, region):
        """The region that the ways of a branch are executed in."""
        met = self.interpreter.frame.flow.merge_of(number, region.stops, region.end)
        return region if met is None or met in region.stops else region.stopping_at(met, end=met)

    # ---- conditions of several tests

    def _whole_condition(self, number, region, jumps):
        """The last test of `a and b`, `a or b`, and whether it jumps, all of them taken together.

        A test that follows another one only, and shares one of its ways, belongs to the same condition.
        """
        flow = self.interpreter.frame.flow
        while True:
            goes_on, target = flow.successors[number]
            last = self._test_behind(goes_on, region)
            if last is None or target not in flow.successors[last]:
                return number, jumps
            shares_jump = flow.successors[last][1] == target

            def rest(first=goes_on, last=last):
                return self._evaluate_test(first, last, region)

            if shares_jump:
                jumps = self.interpreter.branches.branch(jumps, lambda: True, rest)
            else:
                jumps = self.interpreter.branches.branch(jumps, lambda: False, rest)
            number = last

    def _test_behind(self, first, region):
        """The conditional jump that ends a straight run of instructions which only its first one leads to."""
        flow = self.interpreter.frame.flow
        number = first
        while True:
            if len(flow.predecessors[number]) != 1 or region.leaves(number, flow):
                return None
            if region.enters(number, flow) or number in flow.while_loops or number in flow.loops:
                return None
            name = flow.names[number]
            if name in CONDITIONAL:
                return number if name.startswith("POP_JUMP") else None
            if flow.successors[number] != (number + 1,) or name in _ENDS_TEST:
                return None
            number += 1

    def _evaluate_test(self, first, last, region):
        flow = self.interpreter.frame.flow
        self.stack.settle(flow.depths[first])
        for number in range(first, last):
            self.reader.step(number, region)
        instruction = flow.instructions[last]
        self.interpreter.at(instruction.position)
        return self.condition_at(instruction)
