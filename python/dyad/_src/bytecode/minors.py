"""Names of instructions that all minors of CPython have in common, and what those that jump or end have in common."""

from dyad._src.bytecode.running_minor import facts

_JUMPS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_NO_INTERRUPT")
# Name of an instruction -> the name that says nothing of its direction.
_RENAMED = dict.fromkeys(_JUMPS, "JUMP") | {
    directed: name
    for name, (forward, backward, _) in facts().CONDITIONAL_JUMPS.items()
    for directed in (forward, backward)
    if directed is not None
}

CONDITIONAL = frozenset((*facts().CONDITIONAL_JUMPS, "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"))
ENDING = frozenset(("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"))
# How many instructions at the target of FOR_ITER are passed over when the iterator has no more elements.
PASSED_AT_END = facts().END_OF_LOOP


def name_of(instruction):
    """The name of an instruction that all minors have in common."""
    return _RENAMED.get(instruction.name, instruction.name)
