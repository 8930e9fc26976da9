"""What is peculiar to the code of CPython 3.13; the names are explained in `minor_3_11`."""

from dyad._src.bytecode import minor_3_11
from dyad._src.bytecode.minor_3_12 import (  # noqa: F401
    CALL,
    CONDITIONAL_JUMPS,
    LOAD_AND_CLEAR,
    LOAD_CHECKED,
    METHOD_BIT,
)

COMPARES_TO_BOOL = 16
NULL_IS_BELOW = False
TIED_TO_NEXT: frozenset = frozenset()
END_OF_LOOP = 2
NEVER_RAISES = minor_3_11.NEVER_RAISES | set(CONDITIONAL_JUMPS)
