"""Control flow of a code object: edges, stack depths, loops, and merge points of branches."""

import opcode
from typing import Any, NamedTuple

from dyad._src.bytecode.graph import Dominance, Dominators, postorder
from dyad._src.bytecode.minors import CONDITIONAL, ENDING, PASSED_AT_END, name_of

# They raise nothing, so the compiler may leave them out of the ranges of handlers.
_SILENT = frozenset(
    ("NOP", "JUMP", "POP_TOP", "SWAP", "COPY", "LOAD_CONST", "PUSH_NULL", "STORE_FAST", "POP_EXCEPT")
    + ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE")
)
_CLEANUP = ("COPY", "POP_EXCEPT", "RERAISE")  # only passes an exception on


class WhileLoop(NamedTuple):
    """`while test:`, which the compiler writes with two copies of its test.

    The one at `test` runs before the first iteration and after `continue`, the one at `retest` after the `body`;
    `exit` is the target when the test fails.
    """

    test: int
    body: int
    retest: int
    exit: int


class Flow:
    """The flow of one code object, by instruction numbers.

    `successors` has the edges without exceptions; the second of a conditional jump is its target. `last` are the
    instructions without any. `depths` is the number of values on the stack before an instruction (None if it is
    unreachable), `handlers` the Handler of its exceptions.
    """

    def __init__(self, instructions):
        self.instructions = instructions
        self._exits, self._paths = {}, {}
        self.visited = 0  # nodes that were visited to find merge points
        self.names = [name_of(each) for each in instructions.all]
        self.successors = [self._successors_of(each) for each in instructions.all]
        self.predecessors = _reversed(self.successors)
        self.last = [number for number, following in enumerate(self.successors) if not following]
        self.handlers = self._handlers()
        self.depths = self._depths()
        self._handled = self._ends_of_handling()
        self.loops = self._loops()  # header -> the instructions of its loop
        self.while_loops = {loop.test: loop for loop in self._while_loops()}
        self.while_exits = {
            header: loop.exit for loop in self.while_loops.values() for header in (loop.test, loop.body)
        }
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
        # A handler that only re-raises does not count: the handler around it does.
        found = [self._effective(handler, found) for handler in found]
        self._close_gaps(found)
        return found

    def _close_gaps(self, found):
        """Adds instructions that cannot raise to the block that surrounds them."""
        seen = set()
        for number in range(len(found)):
            if self.names[number] in _SILENT and number not in seen:
                gap, near = self._gap(number, found)
                seen |= gap
                outermost = self._outermost(list(dict.fromkeys(found[other] for other in near)), found)
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
        # CLEANUP_THROW handles what is thrown into a generator, which no instruction of it raises.
        names = self.names[target : target + 3]
        return tuple(names) == _CLEANUP or names[0] == "CLEANUP_THROW"

    def is_around(self, outer, inner):
        """Returns whether the block of one handler (None: the whole function) equals or contains that of another, by
        their targets.
        """
        return _is_around(self.handlers, outer, inner)

    # ---- handling of exceptions

    def ends_of_handling(self, target):
        """The instructions after an `except`, where the exception is no longer handled."""
        return self._handled.get(target, frozenset())

    def _ends_of_handling(self):
        """Handler -> the instructions after those that drop its exception; followed through the stack."""
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
        depths: list[int | None] = [None] * len(self.instructions)
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
        before = _reversed(edges)
        dominators = Dominators()
        dominators.add((0,), (), edges.__getitem__, before.__getitem__)
        dominance = Dominance(dominators.above)
        loops: dict = {}
        for number in range(count):
            for header in self.successors[number]:
                if dominance.dominates(header, number):
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
        """The `while` whose body starts at a header, or, with `continue` in it, whose test does."""
        tests = self._back_tests(members)
        for body in sorted(tests.keys() & members):
            last = tests[body]
            if body == 0:
                continue
            length = self._same_before(body - 1, last)
            if length and (header in (body, body - length)):
                exit_ = next(other for other in self.successors[body - 1] if other != body)
                return WhileLoop(body - length, body, last - length + 1, exit_)
        return None

    def _back_tests(self, members):
        """Instruction -> the last conditional jump of a loop that leads back to it."""
        tests = {}
        for number in sorted(members):
            if self.names[number] in CONDITIONAL:
                for other in map(self._through_jump, self.successors[number]):
                    if other <= number:
                        tests[other] = number
        return tests

    def _through_jump(self, number):
        return self.instructions[number].target if self.names[number] == "JUMP" else number

    def _same_before(self, one, other):
        """Number of equal instructions before two positions, as in two copies of one expression.

        The last of them is the conditional jump, with either direction.
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
        # Jumps inside of the test have equal distances; those out of it equal targets.
        return a.target - one == b.target - other or a.target == b.target

    # ---- merge points

    def merge_of(self, branch, stops, preferred=None):
        """The merge point of the two ways of a branch before any of the `stops`; None if they do not merge.

        Paths that leave otherwise, for example by `return`, are ignored, as long as both ways have others that
        continue to the `preferred` stop, or to the same `return`.
        """
        paths = self._paths.get(stops)
        if paths is None:
            paths = self._paths[stops] = _Paths(self, stops)
        return paths.merge(branch, preferred)


class _Paths:
    """Merge points of paths that end before the `stops`.

    Each instruction is visited once, whatever the number of branches that lead to it: results of successors are
    reused.
    """

    def __init__(self, flow, stops):
        self._flow = flow
        self._stops = stops
        self._meetings = _Meetings(flow)
        self._meetings_towards = {}  # end -> the _Meetings of paths that lead to it
        self._reached = {}  # instruction -> the ends that paths from it lead to, as bits
        self._ends: Any = None  # the ends that bits represent

    def merge(self, branch, preferred):
        """See Flow.merge_of."""
        if branch in self._stops:
            return None
        met = self._meetings.behind(branch, self._following)
        return self._merge_of_some(branch, preferred) if met is None else met

    def _merge_of_some(self, branch, preferred):
        """The merge point of the paths that lead to one end; both ways need one."""
        if branch not in self._reached:
            self._find_ends(branch)
        one, other = self._flow.successors[branch]
        both = self._reached[one] & self._reached[other] & self._returning
        if not both:
            return None
        bit = self._bits.get(preferred, 0) & both or 1 << (both.bit_length() - 1)
        end = self._ends[bit.bit_length() - 1]
        towards = self._meetings_towards.setdefault(end, _Meetings(self._flow))
        return towards.behind(
            branch, lambda node: [each for each in self._following(node) if self._reached[each] & bit]
        )

    def _following(self, node):
        return () if node in self._stops else self._flow.successors[node]

    def _find_ends(self, branch):
        if self._ends is None:
            self._ends = sorted(self._stops.union(self._flow.last))
            self._bits = {end: 1 << place for place, end in enumerate(self._ends)}
            self._returning = sum(
                bit
                for end, bit in self._bits.items()
                if end in self._stops or self._flow.names[end].startswith("RETURN")
            )
        reached = self._reached
        order = postorder(_until(reached, self._following), (branch,))
        self._flow.visited += len(order)
        order = [node for node in order if node not in reached]
        for node in order:
            reached[node] = 0 if self._following(node) else self._bits[node]
        changed = True
        while changed:
            changed = False
            for node in order:
                ends = reached[node]
                for other in self._following(node):
                    ends |= reached[other]
                if ends != reached[node]:
                    reached[node] = ends
                    changed = True


class _Meetings:
    """The first instruction that all paths from another one pass, for the requested ones and all successors."""

    def __init__(self, flow):
        self._flow = flow
        self._known = set()
        self._dominators = Dominators()

    def behind(self, start, following):
        """The merge point of all paths from an instruction; None if they end at different ones. `following` has the
        edges.
        """
        if start not in self._known:
            self._add(start, following)
        return self._dominators.above.get(start)

    def _add(self, start, following):
        nodes = postorder(_until(self._known, following), (start,))
        self._flow.visited += len(nodes)
        nodes = [node for node in nodes if node not in self._known]
        before: dict = {node: [] for node in nodes}
        ends, starts = [], []
        for node in nodes:
            others = following(node)
            for other in others:
                if other in before:
                    before[other].append(node)
            if not others:
                ends.append(node)
            elif any(other in self._dominators.above for other in others):
                starts.append(node)
        self._known.update(nodes)
        self._dominators.add(ends, starts, before.__getitem__, following)


def _until(known, following):
    """The edges without those of known instructions."""
    return lambda node: () if node in known else following(node)


def _is_around(handlers, outer, inner):
    while inner is not None and inner != outer:
        inner = _target_of(handlers[inner])
    return inner == outer


def _target_of(handler):
    return None if handler is None else handler.target


def _reversed(edges):
    before: list = [[] for _ in edges]
    for number, following in enumerate(edges):
        for other in following:
            if other < len(before):
                before[other].append(number)
    return before
