"""The stretches of a function that become parts."""

import dataclasses

from dyad._src.bytecode.graph import Dominators
from dyad._src.jit.graph_break.bytecode.host_rules import MAKES_FUNCTION
from dyad._src.jit.graph_break.bytecode.liveness import needed_before, writes
from dyad._src.jit.graph_break.bytecode.states import MAYBE, NULL, VALUE

_OPERATORS = frozenset(
    (
        *(
            "CALL",
            "CALL_KW",
            "CALL_FUNCTION_EX",
            "BINARY_OP",
            "UNARY_POSITIVE",
            "UNARY_NEGATIVE",
            "UNARY_NOT",
        ),
        *("UNARY_INVERT", "COMPARE_OP", "BINARY_SUBSCR", "BINARY_SLICE", "STORE_SUBSCR", "STORE_SLICE"),
    )
)
# What is left of a statement is worth a graph if it has this many of them.
_LEAST_OPERATORS = 3
_MOVING = frozenset(
    (
        *(
            "LOAD_CONST",
            "LOAD_FAST",
            "LOAD_FAST_CHECK",
            "LOAD_GLOBAL",
            "LOAD_DEREF",
            "LOAD_ATTR",
            "LOAD_CLOSURE",
        ),
        *("STORE_FAST", "PUSH_NULL", "SWAP", "COPY", "POP_TOP", "NOP", "JUMP", "JUMP_NO_INTERRUPT"),
    )
)
_RETURNS = ("RETURN_VALUE", "RETURN_CONST")


@dataclasses.dataclass(frozen=True)
class Region:
    """Ops that control enters at the `leader` alone and leaves to `exit` alone; None: they return.

    Below `floor` they do not look at the stack. `outer` is where their exceptions go, a Goes, unless they catch them.
    """

    leader: int
    places: frozenset
    exit: int | None
    floor: int
    outer: object


class Regions:
    """Finds the regions of one program."""

    def __init__(self, program, states, rules):
        self._program = program
        self._states = states
        self._rules = rules
        self._reached = [at for at, state in enumerate(states.before) if state is not None]
        self.live = needed_before(program, self._reached, lambda at: frozenset())

    def statement_begins(self):
        """The places, in order, that each run of the program passes with an empty stack."""
        ends = [at for at in self._reached if not self._program.successors[at]]
        before: dict = {at: [] for at in self._reached}
        for at in self._reached:
            for other in self._program.successors[at]:
                before[other].append(at)
        dominators = Dominators()
        dominators.add(ends, (), before.__getitem__, self._program.successors.__getitem__)
        found = []
        reached: int | None = 0
        while reached is not None:
            if not self._states.depth(reached):
                found.append(reached)
            reached = dominators.above.get(reached)
        return found

    def find(self, cuts, begins=frozenset()):
        """The regions worth a part, if Python runs the ops at `cuts`; at those in `begins` a new one begins."""
        host = self._rules.spread(self._rules.always | cuts | self._calls_of(cuts))
        while True:
            owners = _Owners(self._program, self.live, host, begins)
            found, wrong = [], set()
            for leader, places in owners.places.items():
                places = frozenset(places)
                if self._is_worth_a_part(places) and not self._is_small_operand(leader, places):
                    complaints = self._complaints(leader, places, owners)
                    if complaints:
                        wrong |= complaints
                    else:
                        found.append(self._region(leader, places, owners.outer.get(leader)))
            if not wrong:
                break
            host = self._rules.spread(host | wrong)
        trimmed = [self._trimmed(region) for region in found]
        return [region for region in trimmed if region is not None]

    def _calls_of(self, cuts):
        """The calls of what Python itself must read."""
        read = [at for at in cuts if self._program.ops[at].name == "LOAD_ATTR"]
        readers = {other for at in read for other in self._states.readers.get(at, ())}
        return {at for at in readers if self._program.ops[at].name in ("CALL", "CALL_KW")}

    def _is_small_operand(self, leader, places):
        """Returns whether the ops only compute a value for a statement that Python has begun, and are few."""
        depth = self._states.depth(leader)
        begun = any(slot.kind in (VALUE, NULL) for slot in self._states.before[leader].stack)
        if not begun or any(self._states.depth(at) < depth for at in (*places, *self._exits(places))):
            return False
        return sum(self._program.ops[at].name in _OPERATORS for at in places) < _LEAST_OPERATORS

    def _is_worth_a_part(self, places):
        return any(self._program.ops[at].name in _OPERATORS for at in places)

    def _region(self, leader, places, outer):
        exits = self._exits(places)
        exit_ = next(iter(exits), None)
        floor = min(map(self._states.floor, places))
        floor = min(floor, self._states.depth(leader))
        if exit_ is not None:
            floor = min(floor, self._states.depth(exit_))
        return Region(leader, places, exit_, floor, outer)

    def _exits(self, places):
        return {other for at in places for other in self._program.successors[at] if other not in places}

    # ---- what a part cannot be

    def _complaints(self, leader, places, owners):
        """The ops that Python has to run, for this region to become one or to be given up; none if it is one."""
        program = self._program
        wrong = set()
        for at in places:
            handler = program.handler[at]
            if handler is not None and handler not in owners.host and handler not in places:
                wrong |= self._rules.handling[handler]
            if program.ops[at].name == "FOR_ITER" and not self._rules.loop_end(at) <= places:
                wrong.add(at)
            calls = self._rules.calls_of_super(at)
            if calls is not None and (not calls <= places or 0 not in self._states.before[leader].bound):
                wrong |= calls | {at}
        wrong = wrong or self._wrong_exits(places)
        if wrong:
            return wrong
        region = self._region(leader, places, owners.outer.get(leader))
        if region.outer is not None and region.floor < region.outer.depth:
            return places
        return self._wrong_values(region) or self._rest_of_statement(region)

    def _rest_of_statement(self, region):
        """Returns the rest of a statement that Python has begun, if it is short: Python ends it, too."""
        program, states = self._program, self._states
        if region.floor >= states.depth(region.leader):
            return set()
        rest: list = []
        at = region.leader
        while at in region.places and (not rest or states.depth(at) > region.floor):
            if len(program.successors[at]) > 1 or self._entries(at, region) > 1:
                return set()
            rest.append(at)
            at = next(iter(program.successors[at]), None)
        bound = self._bound_to_stack(rest)
        count = sum(program.ops[each].name in _OPERATORS for each in rest if each not in bound)
        return set(rest) if count < _LEAST_OPERATORS and at in region.places else set()

    def _bound_to_stack(self, rest):
        """The ops of a row that use what lay on the stack before it, or what other such ops have made of that."""
        bound: set = set()
        own = set(rest)
        for at in rest:
            makers = frozenset().union(*(slot.makers for slot in self._states.looked_at(at)))
            if not makers <= own or makers & bound:
                bound.add(at)
        return bound

    def _wrong_exits(self, places):
        exits = self._exits(places)
        returns = any(self._program.ops[at].name in _RETURNS for at in places)
        if len(exits) + returns == 1:
            return set()
        if not exits and not returns:
            return set(places)  # it only raises
        branches = {at for at in places if at in self._rules.spans and not self._rules.spans[at] <= places}
        return branches or set(places)

    def _wrong_values(self, region):
        """Returns the instructions that use or make values that cannot be passed on the stack."""
        states, wrong = self._states, set()
        for depth, slot in enumerate(states.before[region.leader].stack[region.floor :], region.floor):
            if slot.kind not in (VALUE, NULL):
                wrong |= {at for at in region.places if states.floor(at) <= depth}
        for state in self.exit_states(region):
            for slot in state.stack[region.floor :]:
                if slot.kind not in (VALUE, NULL):
                    wrong |= (slot.makers & region.places) or region.places
        for at in region.places:
            if self._puts_into_outside(at, region):
                wrong.add(at)
            if self._program.ops[at].name == "STORE_FAST" and self._is_needed_behind(at, region):
                slot = states.before[at].stack[-1]
                if slot.kind == MAYBE:
                    return set(region.places)
                if any(self._program.ops[maker].name in MAKES_FUNCTION for maker in slot.makers):
                    wrong |= {at, *slot.makers}  # a function that a graph made is no value outside of it
        return wrong

    def _is_needed_behind(self, at, region):
        """Returns whether the variable that an op writes is read behind the region."""
        return region.exit is not None and self._program.ops[at].arg in self.live[region.exit]

    def _puts_into_outside(self, at, region):
        """Returns whether an op adds to a list, set or dict under construction that was begun outside of the region."""
        if self._program.ops[at].name not in _ADDING:
            return False
        container = self._states.looked_at(at)[-1]
        return not container.makers <= region.places

    def exit_states(self, region):
        """The States in which a region is left."""
        return list(self._exit_states(region))

    def _exit_states(self, region):
        for at in region.places:
            for way, other in enumerate(self._program.successors[at]):
                if other == region.exit:
                    is_jump = self._program.ops[at].target is not None
                    yield self._states.after(at, is_jump and (way == 1 or not self._program.is_branch(at)))

    # ---- where a part begins and ends

    def _trimmed(self, region):
        """The region without what only moves values at its begin and its end; None if nothing is left."""
        places = region.places - self._front(region)
        if not places:
            return None
        leader = min(self._entered_from(region, places), default=region.leader)
        places -= self._back(region, leader, places)
        if not self._is_worth_a_part(places):
            return None
        return self._region(leader, places, region.outer)

    def _entered_from(self, region, places):
        front = region.places - places
        return {other for at in front for other in self._program.successors[at] if other in places}

    def _front(self, region):
        """The longest row of moves at the begin of which the rest takes nothing from the stack."""
        program, states = self._program, self._states
        targets = {other for at in region.places for other in program.edges(at)}
        row: list = []
        best, at = [], region.leader
        while (
            at in region.places
            and program.ops[at].name in _MOVING
            and len(program.successors[at]) == 1
            and program.handler[at] not in region.places
            and (at not in targets or row)
            and self._entries(at, region) <= 1
        ):
            row.append(at)
            at = program.successors[at][0]
            rest = region.places - set(row)
            if not rest or at not in region.places:
                return frozenset(row)
            if min(map(states.floor, rest)) >= states.depth(at):
                best = list(row)
        return frozenset(best)

    def _entries(self, at, region):
        return sum(at in self._program.edges(each) for each in region.places)

    def _back(self, region, leader, places):
        """The moves that end the region, if it goes on behind them."""
        program = self._program
        ends: set = set()
        if region.exit is None:
            return ends
        at = region.exit
        while True:
            before = [each for each in places - ends if at in program.edges(each)]
            if len(before) != 1 or before[0] == leader or not self._is_trimmable(before[0]):
                return ends
            if program.handler[before[0]] in region.places:
                return ends
            at = before[0]
            ends.add(at)

    def _is_trimmable(self, at):
        if self._program.ops[at].name not in _MOVING or len(self._program.successors[at]) != 1:
            return False
        if at > 0 and self._program.ops[at - 1].name == "END_FOR":
            return False
        return all(slot.kind == VALUE for slot in self._states.looked_at(at))


_ADDING = frozenset(
    (
        *("LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
        *("SET_FUNCTION_ATTRIBUTE",),
    )
)


class _Owners:
    """Which leader the ops belong to that Python does not run: each is reached from its leader alone.

    `places` are the ops of each leader, `outer` where those exceptions go that leave its region.
    """

    def __init__(self, program, live, host, begins):
        self._program = program
        self._live = live
        self.host = host
        self._leaders = {0, *begins, *(other for at in host for other in program.successors[at])} - host
        while self._sweep():
            pass
        self.places: dict = {}
        for at, leader in self._owner.items():
            self.places.setdefault(leader, set()).add(at)

    def _sweep(self):
        """Gives each op an owner; whether there are new leaders, so that it has to be done again."""
        self._owner: dict = {}
        self.outer: dict = {}
        known = len(self._leaders)
        for leader in sorted(self._leaders):
            self._walk(leader)
        for at, leader in self._owner.items():
            outer = self.outer.get(leader)
            if (
                outer is not None
                and writes(self._program, at) & self._live[self._program.place[outer.target]]
            ):
                # The handler must find what was written: nothing that may raise comes behind it.
                self._leaders |= set(self._program.successors[at]) - self.host
        return len(self._leaders) > known

    def _walk(self, leader):
        self._owner[leader] = leader
        waiting = [leader]
        while waiting:
            at = waiting.pop()
            if not self._raises_alike(at, leader):
                self._leaders.add(at)
                continue
            for other in self._program.edges(at):
                if other in self.host or other in self._leaders:
                    continue
                if other not in self._owner:
                    self._owner[other] = leader
                    waiting.append(other)
                elif self._owner[other] != leader:
                    self._leaders.add(other)

    def _raises_alike(self, at, leader):
        """Returns whether what an op raises goes where the exceptions of its region go."""
        op, handler = self._program.ops[at], self._program.handler[at]
        if op.name in self._program.facts.NEVER_RAISES or (handler is not None and handler not in self.host):
            return True
        if leader not in self.outer:
            self.outer[leader] = op.handler
            return True
        return self.outer[leader] == op.handler
