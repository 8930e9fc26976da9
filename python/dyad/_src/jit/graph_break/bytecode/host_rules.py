"""Which instructions Python must run itself, and which others follow from that."""

import types

from dyad._src.bytecode.instructions import instructions_of
from dyad._src.jit.graph_break.bytecode.states import RAISED, TIED

_ALWAYS = frozenset(
    (
        *("RESUME", "RETURN_GENERATOR", "YIELD_VALUE", "SEND", "GET_AWAITABLE", "GET_AITER", "GET_ANEXT"),
        *("END_ASYNC_FOR", "BEFORE_ASYNC_WITH", "CLEANUP_THROW", "END_SEND", "GET_YIELD_FROM_ITER"),
        *("ASYNC_GEN_WRAP", "LOAD_BUILD_CLASS", "IMPORT_STAR", "IMPORT_NAME", "IMPORT_FROM", "STORE_DEREF"),
        *(
            "DELETE_DEREF",
            "MAKE_CELL",
            "COPY_FREE_VARS",
            "CHECK_EG_MATCH",
            "PREP_RERAISE_STAR",
            "LOAD_CLASSDEREF",
        ),
        *(
            "LOAD_NAME",
            "STORE_NAME",
            "DELETE_NAME",
            "LOAD_LOCALS",
            "LOAD_FROM_DICT_OR_DEREF",
            "CALL_INTRINSIC_2",
        ),
        *("LOAD_FROM_DICT_OR_GLOBALS", "SETUP_ANNOTATIONS"),
    )
)
_BOUND_TO_FRAME = frozenset((2, 3, 4))  # arguments of CALL_INTRINSIC_1: import star, and two of generators
_STORES = frozenset(("STORE_DEREF", "STORE_GLOBAL", "STORE_NAME"))
MAKES_FUNCTION = frozenset(("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"))


class HostRules:
    """The instructions of one program that Python runs in any case (`always`), and what else it then must run.

    - What is one call, one loop header or one `with` is run as a whole.
    - A branch is run by Python if something between it and the place where its ways meet is.
    - So is a handler of exceptions if something that it protects, or something in it, is.
    - Without `in_loops` so is a loop if something in it is.
    """

    def __init__(self, program, states, in_loops=True):
        self._program = program
        self._states = states
        self._reached = [at for at, state in enumerate(states.before) if state is not None]
        self.protected, self.handling = self._handlers()
        self.spans = self._spans()  # branch -> the ops between it and where its ways meet
        self.always = frozenset(at for at in self._reached if self._is_always_host(at))
        self._rules = [
            *((unit, unit) for unit in self._units()),
            *((span, frozenset((at,))) for at, span in self.spans.items()),
            *((self.protected[at] | code, code) for at, code in self.handling.items()),
            *((loop, loop) for loop in (() if in_loops else self._loops())),
        ]

    def spread(self, host):
        """The ops that Python runs if it runs these."""
        host = set(host)
        changed = True
        while changed:
            changed = False
            for causes, effects in self._rules:
                if not effects <= host and not causes.isdisjoint(host):
                    host |= effects
                    changed = True
        return host

    def loop_end(self, at):
        """The ops at the target of a FOR_ITER that belong to it."""
        first = self._program.place[self._program.ops[at].target]
        return frozenset(range(first, first + self._program.facts.END_OF_LOOP))

    def calls_of_super(self, at):
        """The ops that call what a LOAD_GLOBAL of `super` has read; None if it reads something else.

        What names class and object itself is no such call.
        """
        if self._program.global_read(at) != "super":
            return None
        readers = frozenset(self._states.readers.get(at, ()))
        if all(self._program.ops[reader].name == "LOAD_SUPER_ATTR" for reader in readers):
            return None
        return readers

    # ---- in any case

    def _is_always_host(self, at):
        op = self._program.ops[at]
        if op.name in _ALWAYS or (op.name == "CALL_INTRINSIC_1" and op.arg in _BOUND_TO_FRAME):
            return True
        if any(self._program.global_read(maker) == "globals" for maker in (at, *self._makers(at))):
            return True
        if op.name == "DELETE_FAST":
            return not self._ends_handler(at)
        if op.name in MAKES_FUNCTION:
            readers = self._states.readers.get(at, ())
            return any(self._program.ops[reader].name in _STORES for reader in readers)
        variable = self._program.variable(at)
        if variable is not None and variable in self._program.own_cells:
            return not self._is_settled(at, variable)
        return 0 in self._program.own_cells and self.calls_of_super(at) is not None

    def _makers(self, at):
        """The ops that have made what an op looks at."""
        return (maker for slot in self._states.looked_at(at) for maker in slot.makers)

    def _ends_handler(self, at):
        """Returns whether a name is deleted that was set to None just before, as at the end of `except E as name`."""
        before = self._program.ops[max(0, at - 1)]
        return before.name == "STORE_FAST" and before.arg == self._program.ops[at].arg

    def _is_settled(self, at, variable):
        """Returns whether a cell of the function may be replaced by one of its own in a part.

        Its value must be known to stay, and, where the cell itself is handed on, to be the last one.
        """
        if variable not in self._states.before[at].bound:
            return False
        if variables_written_inside(self._program.code) & {self._program.ops[at].origin.value}:
            return False
        name = self._program.ops[at].name
        if name == "LOAD_DEREF":
            return True
        return name in ("LOAD_CLOSURE", "LOAD_FAST") and not self._is_written_behind(at, variable)

    def _is_written_behind(self, at, variable):
        seen, waiting = set(), [at]
        while waiting:
            for other in self._program.edges(waiting.pop()):
                if other not in seen:
                    op = self._program.ops[other]
                    if op.name in ("STORE_DEREF", "DELETE_DEREF", "MAKE_CELL") and op.arg == variable:
                        return True
                    seen.add(other)
                    waiting.append(other)
        return False

    # ---- what is run as a whole

    def _units(self):
        ops = self._program.ops
        unit = []
        for at in self._reached:
            unit.append(at)
            if ops[at].name not in self._program.facts.TIED_TO_NEXT:
                if len(unit) > 1:
                    yield frozenset(unit)
                unit = []
            if ops[at].name == "FOR_ITER":
                yield self.loop_end(at) | {at}
            calls = self.calls_of_super(at)
            if calls:
                yield calls | {at}
        yield from self._tied()

    def _tied(self):
        """Each op that makes a tied value, with those that use it."""
        found: dict = {}
        for at in self._reached:
            for slot in self._states.looked_at(at):
                if slot.kind == TIED:
                    for maker in slot.makers:
                        found.setdefault(maker, {maker}).add(at)
        return map(frozenset, found.values())

    # ---- handlers

    def _handlers(self):
        protected: dict = {}
        handling: dict = {}
        for at in self._reached:
            handler = self._program.handler[at]
            if handler is not None:
                protected.setdefault(handler, set()).add(at)
            for slot in self._states.before[at].stack:
                if slot.kind == RAISED:
                    for each in slot.makers:
                        handling.setdefault(each, set()).add(at)
        return (
            {at: frozenset(each) for at, each in protected.items()},
            {at: frozenset(handling.get(at, ())) for at in protected},
        )

    # ---- loops

    def _loops(self):
        """The ops of each loop: those on a way from where it begins to a jump back to there."""
        before: dict = {}
        for at in self._reached:
            for other in self._program.successors[at]:
                before.setdefault(other, []).append(at)
        for at in self._reached:
            for start in self._program.successors[at]:
                if start <= at:
                    found, waiting = {start, at}, [at] if at != start else []
                    while waiting:
                        new = set(before.get(waiting.pop(), ())) - found
                        found |= new
                        waiting += new
                    yield frozenset(found)

    # ---- branches

    def _spans(self):
        behind = self._always_behind()
        found = {}
        for at in self._reached:
            if self._program.is_branch(at):
                stops = behind.get(at, 0)
                seen, waiting = set(), [at]
                while waiting:
                    for other in self._program.successors[waiting.pop()]:
                        if other not in seen and not stops >> other & 1:
                            seen.add(other)
                            waiting.append(other)
                found[at] = frozenset(seen - {at})
        return found

    def _always_behind(self):
        """Op -> the bits of the ops on every way from it to a return, without itself."""
        order = self._leading_to_return()
        everything = (1 << len(self._program)) - 1
        passed = dict.fromkeys(order, everything)
        changed = True
        while changed:
            changed = False
            for at in order:
                ways = [passed[other] for other in self._program.successors[at] if other in passed]
                bits = everything if ways else 0
                for way in ways:
                    bits &= way
                bits |= 1 << at
                if bits != passed[at]:
                    passed[at] = bits
                    changed = True
        return {at: bits & ~(1 << at) for at, bits in passed.items()}

    def _leading_to_return(self):
        """The ops from which a return may be reached without an exception, from the last place on."""
        before: dict = {}
        for at in self._reached:
            for other in self._program.successors[at]:
                before.setdefault(other, []).append(at)
        found = {at for at in self._reached if self._program.ops[at].name in ("RETURN_VALUE", "RETURN_CONST")}
        waiting = list(found)
        while waiting:
            for each in before.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return sorted(found, reverse=True)


def variables_written_inside(code):
    """The names of variables of a function that functions inside of it bind or unbind."""
    written = set()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            own = {
                each.value
                for each in instructions_of(inner).all
                if each.name in ("STORE_DEREF", "DELETE_DEREF")
            }
            written |= (own | variables_written_inside(inner)) & set(inner.co_freevars)
    return written
