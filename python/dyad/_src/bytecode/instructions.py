"""The instructions of a code object, without the details of the interpreter loop.

Caches, `EXTENDED_ARG` and specialized forms are removed: an instruction has the name that the compiler gave it and
its whole argument, and jump targets are instruction numbers.
"""

import bisect
import dataclasses
import dis
import functools
import weakref
from typing import NamedTuple

from dyad._src.bytecode.exception_table import decode_exception_table


def per_code(make):
    """`make(code)`, computed once for each code object; its result must not refer to the code object.

    Code objects are compared by identity: those of two functions may be equal.
    """
    known: dict = {}  # id of a code object -> (weak reference to it, result)

    @functools.wraps(make)
    def made(code):
        identity = id(code)
        found = known.get(identity)
        if found is None or found[0]() is not code:
            value = make(code)
            found = known[identity] = (weakref.ref(code, lambda _: known.pop(identity, None)), value)
        return found[1]

    return made


class Position(NamedTuple):
    """A range of a file: lines count from 1, columns from 0."""

    lineno: int
    end_lineno: int
    col_offset: int
    end_col_offset: int


class Instruction:
    """One instruction. `value` is the meaning of the argument (a name, a constant), `target` that of a jump."""

    __slots__ = ("arg", "has_place", "name", "number", "position", "target", "value")

    def __init__(self, number, name, arg, value, target, position, has_place=True):
        self.number = number
        self.name = name
        self.arg = arg
        self.value = value
        self.target = target
        self.position = position
        self.has_place = has_place  # False: no line of the program belongs to it

    def __repr__(self):
        told = "" if self.arg is None else f" {self.arg} ({self.value!r})"
        leads = "" if self.target is None else f" to {self.target}"
        return f"<{self.number} {self.name}{told}{leads}>"


class Handler(NamedTuple):
    """Instructions from `first` to `last`, both included: their exceptions jump to `target`.

    There the stack has `depth` values, then, with `keeps_place`, the offset of the instruction that raised, and the
    exception.
    """

    first: int
    last: int
    target: int
    depth: int
    keeps_place: bool


@dataclasses.dataclass(frozen=True, eq=False)
class Instructions:
    """A disassembled code object. `handlers` are in the order of Python's table; at most one covers an instruction."""

    all: tuple
    handlers: tuple

    def __getitem__(self, number):
        return self.all[number]

    def __len__(self):
        return len(self.all)


@per_code
def instructions_of(code):
    """The Instructions of a code object; those of one that is alive are kept."""
    kept: list = []
    number_at = {}
    for each in dis.get_instructions(code):
        number_at[each.offset] = len(kept)  # a jump to EXTENDED_ARG is one to what it extends
        if each.opname not in ("EXTENDED_ARG", "CACHE"):
            kept.append(each)
    made = []
    position, has_place = Position(code.co_firstlineno, code.co_firstlineno, 0, 0), False
    for number, each in enumerate(kept):
        place = each.positions
        has_place = place is not None and place.lineno is not None
        if has_place:
            position = _position(place)
        target = number_at[each.argval] if _jumps(each) else None
        value = code.co_consts[each.arg] if each.opname == "KW_NAMES" else each.argval
        made.append(Instruction(number, each.opname, each.arg, value, target, position, has_place))
    return Instructions(tuple(made), tuple(_handlers(code, number_at, len(kept))))


def _jumps(each):
    return each.opcode in dis.hasjrel or each.opcode in dis.hasjabs


def _position(place):
    end = place.end_lineno or place.lineno
    return Position(place.lineno, end, place.col_offset or 0, place.end_col_offset or place.col_offset or 0)


def _handlers(code, number_at, count):
    offsets, numbers = list(number_at), list(number_at.values())
    for start, end, target, depth, keeps_place in decode_exception_table(code.co_exceptiontable):
        first = number_at[start]
        # The end may be among the caches of the last instruction.
        last = numbers[bisect.bisect_left(offsets, end) - 1]
        yield Handler(first, min(last, count - 1), number_at[target], depth, keeps_place)
