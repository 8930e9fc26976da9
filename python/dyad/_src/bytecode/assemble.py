"""Ops put together to a code object for the Python that runs."""

import dis
import opcode

from dyad._src.bytecode.exception_table import encode_exception_table
from dyad._src.bytecode.location_table import encode_location_table
from dyad._src.bytecode.minors import facts
from dyad._src.bytecode.ops import Op
from dyad._src.bytecode.stack_size import stack_size

_UNIT = 2  # bytes of a code unit
_JUMPS = {
    "JUMP": "JUMP_BACKWARD",
    "JUMP_NO_INTERRUPT": "JUMP_BACKWARD_NO_INTERRUPT",
}  # and what leads backwards
_EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]


def assemble(ops, like, **changes):
    """A code object that runs `ops`: `like` with other instructions, and with `changes` of its other fields.

    Arguments are those of the new code object: a caller that moves local variables or constants changes each Op. Free
    variables are copied by an instruction that is inserted at the start, or corrected if it is there.
    """
    ops = _with_free_variables(list(ops), len(changes.get("co_freevars", like.co_freevars)))
    ops = _forward_tests(ops)
    layout = _Layout(ops)
    return like.replace(
        co_code=layout.code(),
        co_linetable=encode_location_table(layout.locations(), like.co_firstlineno),
        co_exceptiontable=encode_exception_table(layout.exception_entries()),
        co_stacksize=stack_size(ops, layout.named),
        **changes,
    )


def caches_of(name):
    """Number of code units after an instruction that are reserved for the interpreter."""
    entries = vars(opcode)["_inline_cache_entries"]
    return entries.get(name, 0) if isinstance(entries, dict) else entries[dis.opmap[name]]


def _with_free_variables(ops, count):
    front = next((op for op in ops[:1] if op.name == "COPY_FREE_VARS"), None)
    if front is None:
        return [Op("COPY_FREE_VARS", count), *ops] if count else ops
    if front.arg == count:
        return ops
    changed = front.copy()
    changed.arg = count
    return [changed, *ops[1:]]


def _forward_tests(ops):
    """The ops without conditional jumps backwards, where this Python has none: the opposite test passes over a jump."""
    place = {op: at for at, op in enumerate(ops)}
    tests = facts().CONDITIONAL_JUMPS
    made = []
    for at, op in enumerate(ops):
        if op.name not in tests or tests[op.name][1] is not None or place[op.target] > at:
            made.append(op)
            continue
        jump = op.copy()
        jump.name, jump.arg = "JUMP", None
        op.name, op.target = tests[op.name][2], ops[at + 1]
        made += [op, jump]
    return made


class _Layout:
    """The offsets of ops, in code units, and the arguments that follow from them."""

    def __init__(self, ops):
        self._ops = ops
        self._place = {op: at for at, op in enumerate(ops)}
        self._tests = facts().CONDITIONAL_JUMPS
        self.named = [self._name(op) for op in ops]
        self._caches = [caches_of(name) for name in self.named]
        self._sizes = [1 + caches for caches in self._caches]
        self._arguments = [op.arg or 0 for op in ops]
        while self._grown():
            pass

    def _name(self, op):
        forward = op.target is not None and self._place[op.target] > self._place[op]
        if op.name in _JUMPS:
            return "JUMP_FORWARD" if forward else _JUMPS[op.name]
        if op.name in self._tests:
            return self._tests[op.name][0 if forward else 1]
        return op.name

    def _grown(self):
        """Sets offsets and arguments; returns whether an argument has become longer than its space."""
        self._starts = starts = []
        at = 0
        for size in self._sizes:
            starts.append(at)
            at += size
        self._end = at
        grown = False
        for number, op in enumerate(self._ops):
            if op.target is not None:
                behind = starts[number] + self._sizes[number]
                self._arguments[number] = abs(starts[self._place[op.target]] - behind)
            needed = 1 + self._caches[number] + _extensions(self._arguments[number])
            if needed > self._sizes[number]:
                self._sizes[number] = needed
                grown = True
        return grown

    def code(self):
        """The bytes of the code."""
        made = bytearray()
        for number, name in enumerate(self.named):
            argument = self._arguments[number]
            extensions = self._sizes[number] - 1 - self._caches[number]
            for left in range(extensions, 0, -1):
                made += bytes((_EXTENDED_ARG, argument >> 8 * left & 255))
            made += bytes((dis.opmap[name], argument & 255))
            made += bytes(_UNIT * self._caches[number])
        return bytes(made)

    def locations(self):
        """(units, position) of each op."""
        return [(size, op.position) for size, op in zip(self._sizes, self._ops, strict=True)]

    def exception_entries(self):
        """The entries of the exception table: neighbors that raise to one place are one entry."""
        entries: list = []
        before = None
        for number, op in enumerate(self._ops):
            if op.handler is not None:
                start = self._starts[number] * _UNIT
                end = start + self._sizes[number] * _UNIT
                if op.handler == before:
                    entries[-1] = (entries[-1][0], end, *entries[-1][2:])
                else:
                    target, depth, keeps_place = op.handler
                    entries.append(
                        (start, end, self._starts[self._place[target]] * _UNIT, depth, keeps_place)
                    )
            before = op.handler
        return entries


def _extensions(argument):
    return max(0, (argument.bit_length() - 1) // 8)
