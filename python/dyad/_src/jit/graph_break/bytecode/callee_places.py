"""Which instructions read what host code calls."""

import builtins
import types

from dyad._src.jit.graph_break.bytecode.states import NULL

_BEHIND_CALLABLE = {"CALL": 0, "CALL_KW": 1, "CALL_FUNCTION_EX": 0}  # values on top of the arguments

_READS = ("LOAD_GLOBAL", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_ATTR", "LOAD_DEREF")


def callee_places(analysis, host, namespace, is_no_program):
    """The ops in `host` that read a callee of a call in `host`, and nothing but that.

    `is_no_program(found, attribute)` tells of an object that the module has now, or of the name of an attribute, that
    it is called as it is.
    """
    found = set()
    for at in host:
        slot = _callable(analysis, at)
        if slot is None or len(slot.makers) != 1:
            continue
        maker = next(iter(slot.makers))
        if maker not in host or analysis.states.readers[maker] != {at} or not _is_read(analysis, maker):
            continue
        resolved, attribute = _resolved(analysis, maker, namespace)
        if not is_no_program(resolved, attribute):
            found.add(maker)
    return found


def _callable(analysis, at):
    """The slot of what a call calls; None if it is a method with its object, or no call."""
    op = analysis.program.ops[at]
    if op.name not in _BEHIND_CALLABLE:
        return None
    stack = analysis.states.before[at].stack
    count = 1 + (op.arg & 1) if op.name == "CALL_FUNCTION_EX" else op.arg + _BEHIND_CALLABLE[op.name]
    above, below = stack[-count - 1], stack[-count - 2]
    empty, called = (below, above) if analysis.program.facts.NULL_IS_BELOW else (above, below)
    return called if empty.kind == NULL else None


def _is_read(analysis, maker):
    return analysis.program.ops[maker].name in _READS


def _resolved(analysis, at, namespace):
    """(the object that a read gives now, or None; the name of the attribute that it reads, or None)."""
    program = analysis.program
    name = program.name_read(at)
    if program.ops[at].name == "LOAD_GLOBAL":
        return namespace.get(name, getattr(builtins, name, None)), None
    if program.ops[at].name != "LOAD_ATTR":
        return None, None
    owners = analysis.states.before[at].stack[-1].makers
    owner = _resolved(analysis, next(iter(owners)), namespace)[0] if len(owners) == 1 else None
    return (vars(owner).get(name) if isinstance(owner, types.ModuleType) else None), name
