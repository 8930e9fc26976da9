"""What is peculiar to the code of CPython 3.12; the names are explained in `minor_3_11`."""

from dyad._src.bytecode.minor_3_11 import COMPARES_TO_BOOL, NEVER_RAISES  # noqa: F401

CONDITIONAL_JUMPS = {
    f"POP_JUMP_IF_{test}": (f"POP_JUMP_IF_{test}", None, f"POP_JUMP_IF_{other}")
    for test, other in (("TRUE", "FALSE"), ("FALSE", "TRUE"), ("NONE", "NOT_NONE"), ("NOT_NONE", "NONE"))
}
NULL_IS_BELOW = True
CALL = ("CALL",)
TIED_TO_NEXT = frozenset(("KW_NAMES",))
END_OF_LOOP = 1
LOAD_CHECKED = "LOAD_FAST_CHECK"
LOAD_AND_CLEAR = ("LOAD_FAST_AND_CLEAR",)
METHOD_BIT = 1
