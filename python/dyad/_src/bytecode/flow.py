"""How control flows through a code object: edges, stack depths, loops, and where the paths of a branch meet."""

import opcode
from typing import NamedTuple

from dyad._src.bytecode.graph import dominators, immediate_postdominator, reachable
from dyad._src.bytecode.minors import CONDITIONAL, ENDING, PASSED_AT_END, name_of

# They raise nothing, so the compiler may leave them out of the ranges of handlers.
_SILENT = frozenset(
    ("NOP", "JUMP", "POP_TOP", "SWAP", "COPY", "LOAD_CONST", "PUSH_NULL", "STORE_FAST", "POP_EXCEPT")
    + ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE")
)
_CLEANUP = ("COPY", "POP_EXCEPT", "RERAISE")  # only passes an exception on


class WhileLoop(NamedTuple):
    """`while test:`, which the compiler writes with two copies of its test.

    The one at `test` is passed before the first turn and after `continue`, the one at `retest` behind the `body`;
    `exit` is where the loop ends if the test fails.
    """

    test: int
    body: int
    retest: int
    exit: int


class Flow:
    """The flow of one code object, by numbers of instructions.

    `successors` has the edges without exceptions; the second of a conditional jump is its target. `depths` is how many
    values lie on the stack before an instruction (None where nothing leads), `handlers` the Handler of what it raises.
    """

    def __init__(self, instructions):
        self.instructions = instructions
        self._exits, self._merges = {}, {}
        self.names = [name_of(each) for each in instructions.all]
        self.successors = [self._successors_of(each) for each in instructions.all]
        self.predecessors = _reversed(self.successors)
        self.handlers = self._handlers()
        self.depths = self._depths()
        self._handled = self._ends_of_handling()
        self.loops = self._loops()  # header -> the instructions of its loop
        self.while_loops = {loop.test: loop for loop in self._while_loops()}
        bodies = {loop.body for loop in self.while_loops.values()}
        self.loop_starts = frozenset(self.while_loops) | (self.loops.keys() - bodies)

    # ---- edges

    def _successors_of(self, instruction):
        name, number = self.names[instruction.number], instruction.number
        if name in ENDING:
            return ()
        if name == "JUMP":
            return (instruction.target,)
        if name in CONDITIONAL or name == "SEND":
            return (number + 1, instruction.target)
        if name == "FOR_ITER":
            return (number + 1, instruction.target + PASSED_AT_END)
        return (number + 1,)

    def _handlers(self):
        found = [None] * len(self.instructions)
        for handler in self.instructions.handlers:
            for number in range(handler.first, handler.last + 1):
                found[number] = handler
        # A handler that only passes the exception on is none: what covers it itself is asked.
        found = [self._effective(handler, found) for handler in found]
        self._close_gaps(found)
        return found

    def _close_gaps(self, found):
        """Lets instructions that cannot raise belong to the block that lies all around them."""
        seen = set()
        for number in range(len(found)):
            if self.names[number] in _SILENT and number not in seen:
                gap, near = self._gap(number, found)
                seen |= gap
                outermost = self._outermost([found[other] for other in near], found)
                if outermost and self._is_block_around(found[number], outermost[0], found):
                    for member in gap:
                        found[member] = outermost[0]

    def _outermost(self, handlers, found):
        """Those of some handlers whose blocks hold the blocks of all of them."""
        return [
            each for each in handlers if all(self._is_block_around(each, other, found) for other in handlers)
        ]

    def _is_block_around(self, outer, inner, found):
        return _is_around(found, _target_of(outer), _target_of(inner))

    def _gap(self, number, found):
        """(what is around an instruction, raises nothing and has the same handler; what leads there or comes next)."""
        gap, near, waiting = {number}, set(), [number]
        while waiting:
            member = waiting.pop()
            for other in (*self.predecessors[member], *self.successors[member]):
                same = _target_of(found[other]) == _target_of(found[number])
                if other in gap or not (same and self.names[other] in _SILENT):
                    near.add(other)
                elif other not in gap:
                    gap.add(other)
                    waiting.append(other)
        return gap, near - gap

    def _effective(self, handler, found):
        while handler is not None and self._passes_on(handler.target):
            handler = found[handler.target]
        return handler

    def _passes_on(self, target):
        # CLEANUP_THROW takes what is thrown into a generator, which no instruction of it raises.
        names = self.names[target : target + 3]
        return tuple(names) == _CLEANUP or names[0] == "CLEANUP_THROW"

    def is_around(self, outer, inner):
        """Whether the block of one handler (None: the whole function) is or holds that of another, by their targets."""
        return _is_around(self.handlers, outer, inner)

    # ---- handling of exceptions

    def ends_of_handling(self, target):
        """Where the program goes on behind an `except`, with the exception no longer handled."""
        return self._handled.get(target, frozenset())

    def _ends_of_handling(self):
        """Handler -> the instructions behind those that drop its exception; followed through the stack."""
        ends: dict = {}
        for handler in self.instructions.handlers:
            if self.names[handler.target] == "PUSH_EXC_INFO":
                ends[handler.target] = self._drops_of(handler)
        return ends

    def _drops_of(self, handler):
        place = handler.depth + handler.keeps_place  # of the mark that PUSH_EXC_INFO leaves
        found, seen = set(), set()
        waiting = [(handler.target + 1, place)]
        while waiting:
            number, place = waiting.pop()
            if (number, place) in seen:
                continue
            seen.add((number, place))
            depth = self.depths[number]
            name = self.names[number]
            if name == "POP_EXCEPT" and place == depth - 1:
                found.add(number + 1)
                continue
            if name == "SWAP":
                swapped = depth - self.instructions[number].arg
                place = swapped if place == depth - 1 else depth - 1 if place == swapped else place
            waiting.extend((other, place) for other in self.successors[number])
        return frozenset(found)

    def edges(self, number):
        """The successors of an instruction, with those that an exception leads to."""
        handler = self.handlers[number]
        return self.successors[number] if handler is None else (*self.successors[number], handler.target)

    # ---- depths of the stack

    def _depths(self):
        depths = [None] * len(self.instructions)
        waiting = [(0, 0)]
        waiting += [(each.target, each.depth + each.keeps_place + 1) for each in self.instructions.handlers]
        while waiting:
            number, depth = waiting.pop()
            while number < len(depths) and depths[number] is None:
                depths[number] = depth
                following = self.successors[number]
                if not following:
                    break
                for other in following[1:]:
                    waiting.append((other, depth + self._effect(number, jumps=True)))
                is_jump = self.names[number] == "JUMP"
                depth += self._effect(number, jumps=is_jump)
                number = following[0]
        return depths

    def _effect(self, number, jumps):
        instruction, name = self.instructions[number], self.names[number]
        if name == "FOR_ITER":
            return -1 if jumps else 1
        if name == "RETURN_GENERATOR":
            return 1
        code = opcode.opmap[instruction.name]
        given = instruction.arg if code >= opcode.HAVE_ARGUMENT else None
        return opcode.stack_effect(code, given, jump=jumps)

    # ---- loops

    def _loops(self):
        """Natural loops; one with several back edges is one loop."""
        count = len(self.instructions)
        if not any(other <= number for number in range(count) for other in self.successors[number]):
            return {}  # a loop jumps back somewhere
        edges = [self.edges(number) for number in range(count)]
        above = dominators(edges, 0)
        before = _reversed(edges)
        loops: dict = {}
        for number in range(count):
            for header in self.successors[number]:
                if above[number] is not None and header in above[number]:
                    body = loops.setdefault(header, {header})
                    waiting = [number]
                    while waiting:
                        member = waiting.pop()
                        if member not in body:
                            body.add(member)
                            waiting.extend(before[member])
        return {header: frozenset(body) for header, body in loops.items()}

    def exits(self, header):
        """The instructions that edges lead to from inside a loop to outside of it."""
        if header not in self._exits:
            self._exits[header] = self._exits_of(self.loops[header])
        return self._exits[header]

    def _exits_of(self, body):
        return frozenset(other for number in body for other in self.successors[number] if other not in body)

    def _while_loops(self):
        for header, members in self.loops.items():
            if self.names[header] == "FOR_ITER":
                continue
            found = self._while_loop(header, members)
            if found is not None:
                yield found

    def _while_loop(self, header, members):
        """The `while` whose body begins at a header, or, with `continue` in it, whose test does."""
        for body in sorted(members):
            last = self._back_test(body, members)
            if last is None or body == 0:
                continue
            length = self._same_before(body - 1, last)
            if length and (header in (body, body - length)):
                exit_ = next(other for other in self.successors[body - 1] if other != body)
                return WhileLoop(body - length, body, last - length + 1, exit_)
        return None

    def _back_test(self, body, members):
        """The conditional jump at the end of a loop that leads back to its body."""
        for number in sorted(members, reverse=True):
            if self.names[number] in CONDITIONAL and body <= number:
                following = [self._through_jump(other) for other in self.successors[number]]
                if body in following:
                    return number
        return None

    def _through_jump(self, number):
        return self.instructions[number].target if self.names[number] == "JUMP" else number

    def _same_before(self, one, other):
        """How many instructions up to two places are the same, as two copies of one expression are.

        The last of them is the jump that decides, one way or the other.
        """
        if self.names[one] not in CONDITIONAL:
            return 0
        end = {self._through_jump(number) for number in self.successors[one]}
        if end != {self._through_jump(number) for number in self.successors[other]}:
            return 0
        if self.instructions[one].position != self.instructions[other].position:
            return 0
        count = 1
        while one - count >= 0 and other - count > one and self._alike(one - count, other - count, end):
            count += 1
        return count

    def _alike(self, one, other, ends):
        a, b = self.instructions[one], self.instructions[other]
        if a.name.replace("BACKWARD", "FORWARD") != b.name.replace("BACKWARD", "FORWARD"):
            return False
        if a.position != b.position or not a.has_place:
            return False
        if a.target is None:
            return a.arg == b.arg
        # Jumps inside of the test lead as far; those out of it to the same places.
        return a.target - one == b.target - other or a.target == b.target

    # ---- where paths meet

    def merge_of(self, branch, stops, preferred=None):
        """Where the two ways of a branch meet before any of the `stops`; None if they do not.

        Paths that leave otherwise, by `return` say, are not asked, as long as both ways have others that go on to the
        `preferred` stop, or to the same `return`.
        """
        key = branch, stops, preferred
        if key not in self._merges:
            self._merges[key] = self._merge(*key)
        return self._merges[key]

    def _merge(self, branch, stops, preferred):
        ways = self.successors[branch]
        reached = [reachable(self._inside(stops), way) for way in ways]
        seen = reached[0] | reached[1]
        met = immediate_postdominator(self._inside(stops), branch, seen)
        if met is not None:
            return met
        both = reached[0] & reached[1]
        ends = [number for number in both if number in stops or not self.successors[number]]
        returns = [number for number in ends if number in stops or self.names[number].startswith("RETURN")]
        if not returns:
            return None
        end = preferred if preferred in returns else max(returns)
        leading = self._leading_to(end, seen | {branch}, stops)
        return immediate_postdominator(
            lambda number: [each for each in self._inside(stops)(number) if each in leading], branch, leading
        )

    def _inside(self, stops):
        return lambda number: () if number in stops else self.successors[number]

    def _leading_to(self, end, among, stops):
        found, waiting = {end}, [end]
        while waiting:
            for before in self.predecessors[waiting.pop()]:
                if before in among and before not in found and before not in stops:
                    found.add(before)
                    waiting.append(before)
        return found


def _is_around(handlers, outer, inner):
    while inner is not None and inner != outer:
        inner = _target_of(handlers[inner])
    return inner == outer


def _target_of(handler):
    return None if handler is None else handler.target


def _reversed(edges):
    before = [[] for _ in edges]
    for number, following in enumerate(edges):
        for other in following:
            if other < len(before):
                before[other].append(number)
    return before
