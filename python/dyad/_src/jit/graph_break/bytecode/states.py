"""States of the stack and of the variables before each instruction."""

from typing import NamedTuple

from dyad._src.bytecode.stack_use import stack_use

VALUE, NULL, MAYBE, RAISED, TIED = "value", "null", "maybe", "raised", "tied"


class Slot(NamedTuple):
    """A place on the stack. `makers` are the ops that may have put its value there.

    The kinds: a value; nothing (`NULL`); a value or nothing (`MAYBE`); what belongs to an exception that goes to a
    handler (`RAISED`, made by the handler); a value that makes no sense without the code around it, an iterator say
    (`TIED`).
    """

    kind: str
    makers: frozenset


class State(NamedTuple):
    """The stack, and the variables that are bound for certain."""

    stack: tuple
    bound: frozenset


# What they put on the stack first is tied to the code around them.
_TYING = frozenset(
    (
        *("BEFORE_WITH", "BEFORE_ASYNC_WITH", "GET_ITER", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"),
        *("LOAD_BUILD_CLASS", "LOAD_CLOSURE"),
    )
)
# What these names give when they are called is tied to the function that calls.
FRAME_NAMES = frozenset(("super", "globals"))


class States:
    """`before[at]`: the State before each op; None where control does not come."""

    def __init__(self, program):
        self.program = program
        self.before = [None] * len(program)
        self._waiting: list = []
        self._reach(0, State((), frozenset(range(_arguments(program.code)))))
        while self._waiting:
            self._step(self._waiting.pop())
        self.readers = self._readers()  # op -> the ops that take or look at what it has put on the stack

    def depth(self, at):
        """Returns the number of values on the stack before an op."""
        return len(self.before[at].stack)

    def floor(self, at):
        """The depth below which an op does not look."""
        op = self.program.ops[at]
        return self.depth(at) - stack_use(op.name, op.arg).reach

    def after(self, at, jumps):
        """The State behind an op."""
        op, (stack, bound) = self.program.ops[at], self.before[at]
        return State(self._stack_after(at, op, stack, bound, jumps), _bound_after(op, stack, bound))

    def looked_at(self, at):
        """The slots that an op takes or looks at, without those that it only passes by."""
        op, stack = self.program.ops[at], self.before[at].stack
        use = stack_use(op.name, op.arg)
        if op.name in ("SWAP", "COPY"):
            return ()
        if use.reach > use.pops > 0:  # puts what it takes into something below
            return (*stack[len(stack) - use.pops :], stack[-use.reach])
        return stack[len(stack) - use.reach :]

    def _step(self, at):
        op = self.program.ops[at]
        for way, other in enumerate(self.program.successors[at]):
            jumps = op.target is not None and (way == 1 or len(self.program.successors[at]) == 1)
            self._reach(other, self.after(at, jumps))
        if op.handler is not None:
            handler = self.program.handler[at]
            stack, bound = self.before[at]
            raised = Slot(RAISED, frozenset((handler,)))
            raised = (raised,) * (1 + op.handler.keeps_place)
            kept = bound & self.after(at, False).bound if op.name in _UNBINDING else bound
            self._reach(handler, State((*stack[: op.handler.depth], *raised), kept))

    def _reach(self, at, state):
        known = self.before[at]
        if known is not None:
            stack = tuple(map(_merged, known.stack, state.stack))
            state = State(stack, known.bound & state.bound)
            if state == known:
                return
        self.before[at] = state
        self._waiting.append(at)

    def _stack_after(self, at, op, stack, bound, jumps):
        if op.name == "SWAP":
            changed = list(stack)
            changed[-1], changed[-op.arg] = changed[-op.arg], changed[-1]
            return tuple(changed)
        if op.name == "COPY":
            return (*stack, stack[-op.arg])
        use = stack_use(op.name, op.arg, jumps)
        return (*stack[: len(stack) - use.pops], *self._pushed(at, op, stack, bound, use.pushes))

    def _pushed(self, at, op, stack, bound, count):
        value, empty = Slot(VALUE, frozenset((at,))), Slot(NULL, frozenset((at,)))
        if op.name == "PUSH_NULL":
            return (empty,)
        if op.name == "LOAD_GLOBAL" and count == 2:
            return (empty, value) if self.program.facts.NULL_IS_BELOW else (value, empty)
        if op.name == "LOAD_FAST_AND_CLEAR" and op.arg not in bound:
            return (Slot(MAYBE, value.makers),)
        if op.name == "PUSH_EXC_INFO":
            return (stack[-1], stack[-1])
        if self._is_tying(op, stack):
            return (Slot(TIED, value.makers), *(value,) * (count - 1))
        return (value,) * count

    def _is_tying(self, op, stack):
        if op.name == "BUILD_TUPLE":  # of cells
            return any(slot.kind == TIED for slot in stack[len(stack) - op.arg :])
        if op.name == "CALL":
            makers = stack[-op.arg - 1].makers | stack[-op.arg - 2].makers
            return any(self.program.global_read(at) in FRAME_NAMES for at in makers)
        is_cell = op.name == "LOAD_FAST" and op.arg in self.program.cells
        return is_cell or op.name in _TYING

    def _readers(self):
        found: dict = {}
        for at, state in enumerate(self.before):
            if state is not None:
                for slot in self.looked_at(at):
                    for maker in slot.makers:
                        found.setdefault(maker, set()).add(at)
        return found


_UNBINDING = frozenset(("DELETE_FAST", "DELETE_DEREF", "LOAD_FAST_AND_CLEAR"))


def _bound_after(op, stack, bound):
    if op.name in ("STORE_FAST", "STORE_DEREF"):
        return bound - {op.arg} if stack[-1].kind == MAYBE else bound | {op.arg}
    return bound - {op.arg} if op.name in _UNBINDING else bound


def _merged(one, other):
    if one == other:
        return one
    kinds = {one.kind, other.kind}
    if NULL in kinds and len(kinds) > 1:
        kind = MAYBE
    else:
        kind = next(kind for kind in (MAYBE, RAISED, TIED, NULL, VALUE) if kind in kinds)
    return Slot(kind, one.makers | other.makers)


def _arguments(code):
    flags = code.co_flags
    return code.co_argcount + code.co_kwonlyargcount + bool(flags & 4) + bool(flags & 8)
