"""What is peculiar to the code of CPython 3.11."""

# Conditional jumps by the name that says nothing of their direction: (forward, backward or None, the opposite test).
CONDITIONAL_JUMPS = {
    f"POP_JUMP_IF_{test}": (
        f"POP_JUMP_FORWARD_IF_{test}",
        f"POP_JUMP_BACKWARD_IF_{test}",
        f"POP_JUMP_IF_{other}",
    )
    for test, other in (("TRUE", "FALSE"), ("FALSE", "TRUE"), ("NONE", "NOT_NONE"), ("NOT_NONE", "NONE"))
}
# Whether the empty slot of a call lies below the callable, not above it.
NULL_IS_BELOW = True
# What a call of `count` arguments is made of.
CALL = ("PRECALL", "CALL")
# Instructions that only make sense with the one behind them.
TIED_TO_NEXT = frozenset(("KW_NAMES", "PRECALL"))
# How many instructions at the target of FOR_ITER are passed over when it ends.
END_OF_LOOP = 0
# Reads a local that may not be bound.
LOAD_CHECKED = "LOAD_FAST"
# Reads a local variable and leaves it unbound.
LOAD_AND_CLEAR = ("LOAD_FAST", "DELETE_FAST")
# The bit in the argument of LOAD_ATTR that makes it read a method; 0 where there is an instruction for that.
METHOD_BIT = 0
# The bit in the argument of COMPARE_OP that makes a truth of what it gives, for the jump behind it; 0 if there is none.
COMPARES_TO_BOOL = 0
# What cannot raise, and may stand outside of the range of a handler where what is around it is inside.
NEVER_RAISES = frozenset(
    ("JUMP", "JUMP_NO_INTERRUPT", "NOP", "LOAD_CONST", "STORE_FAST", "SWAP", "COPY", "PUSH_NULL")
)
