"""Differences between the bytecode of CPython's minor versions, and the instruction names that they share."""

import sys
from typing import NamedTuple

_TESTS = (("TRUE", "FALSE"), ("FALSE", "TRUE"), ("NONE", "NOT_NONE"), ("NOT_NONE", "NONE"))


class MinorFacts(NamedTuple):
    """Properties of the code of one minor version of CPython."""

    # Conditional jumps by the name without a direction: (forward, backward or None, the opposite test).
    CONDITIONAL_JUMPS: dict
    # True if the empty slot of a call is below the callable, False if it is above.
    NULL_IS_BELOW: bool
    # The instructions that make up a call.
    CALL: tuple
    # Instructions that are valid only together with the next one.
    TIED_TO_NEXT: frozenset
    # Number of instructions at the target of FOR_ITER that are skipped when the loop ends.
    END_OF_LOOP: int
    # Reads a local variable that may be unbound.
    LOAD_CHECKED: str
    # Reads a local variable and leaves it unbound.
    LOAD_AND_CLEAR: tuple
    # Bit in the argument of LOAD_ATTR that makes it read a method; 0 if an instruction of its own does that.
    METHOD_BIT: int
    # Bit in the argument of COMPARE_OP that converts its result to bool for the next jump; 0 if there is none.
    COMPARES_TO_BOOL: int
    # Instructions that cannot raise. They may be outside of a handler's range whose neighbors are inside.
    NEVER_RAISES: frozenset


_MINOR_3_11 = MinorFacts(
    CONDITIONAL_JUMPS={
        f"POP_JUMP_IF_{test}": (
            f"POP_JUMP_FORWARD_IF_{test}",
            f"POP_JUMP_BACKWARD_IF_{test}",
            f"POP_JUMP_IF_{other}",
        )
        for test, other in _TESTS
    },
    NULL_IS_BELOW=True,
    CALL=("PRECALL", "CALL"),
    TIED_TO_NEXT=frozenset(("KW_NAMES", "PRECALL")),
    END_OF_LOOP=0,
    LOAD_CHECKED="LOAD_FAST",
    LOAD_AND_CLEAR=("LOAD_FAST", "DELETE_FAST"),
    METHOD_BIT=0,
    COMPARES_TO_BOOL=0,
    NEVER_RAISES=frozenset(
        ("JUMP", "JUMP_NO_INTERRUPT", "NOP", "LOAD_CONST", "STORE_FAST", "SWAP", "COPY", "PUSH_NULL")
    ),
)
_MINOR_3_12 = _MINOR_3_11._replace(
    CONDITIONAL_JUMPS={
        f"POP_JUMP_IF_{test}": (f"POP_JUMP_IF_{test}", None, f"POP_JUMP_IF_{other}") for test, other in _TESTS
    },
    CALL=("CALL",),
    TIED_TO_NEXT=frozenset(("KW_NAMES",)),
    END_OF_LOOP=1,
    LOAD_CHECKED="LOAD_FAST_CHECK",
    LOAD_AND_CLEAR=("LOAD_FAST_AND_CLEAR",),
    METHOD_BIT=1,
)
_MINOR_3_13 = _MINOR_3_12._replace(
    NULL_IS_BELOW=False,
    TIED_TO_NEXT=frozenset(),
    END_OF_LOOP=2,
    COMPARES_TO_BOOL=16,
    NEVER_RAISES=_MINOR_3_12.NEVER_RAISES | set(_MINOR_3_12.CONDITIONAL_JUMPS),
)

MINOR = sys.version_info[:2]
_KNOWN = {(3, 11): _MINOR_3_11, (3, 12): _MINOR_3_12, (3, 13): _MINOR_3_13}


def facts():
    """The MinorFacts of the running Python; TypeError if its code is not known."""
    if MINOR not in _KNOWN:
        raise TypeError(f"the code of Python {MINOR[0]}.{MINOR[1]} is not known")
    return _KNOWN[MINOR]


_JUMPS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_NO_INTERRUPT")
# Name of an instruction -> its name without a direction.
_RENAMED = dict.fromkeys(_JUMPS, "JUMP") | {
    directed: name
    for name, (forward, backward, _) in facts().CONDITIONAL_JUMPS.items()
    for directed in (forward, backward)
    if directed is not None
}

CONDITIONAL = frozenset((*facts().CONDITIONAL_JUMPS, "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"))
ENDING = frozenset(("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"))
# Number of instructions at the target of FOR_ITER that are skipped when the iterator is exhausted.
PASSED_AT_END = facts().END_OF_LOOP


def name_of(instruction):
    """The name of an instruction that all minor versions share."""
    return _RENAMED.get(instruction.name, instruction.name)
