"""Which variables are needed before each instruction."""


def reads(program, at):
    """The variables that an op needs. A call of `super()` asks for the first parameter of the function."""
    op = program.ops[at]
    if op.name in _READING:
        return frozenset((op.arg,))
    if program.global_read(at) == "super" and program.code.co_argcount:
        return _FIRST
    return _NONE


def writes(program, at):
    """The variables that an op binds or unbinds."""
    op = program.ops[at]
    return frozenset((op.arg,)) if op.name in _WRITING else _NONE


def needed_before(program, places, needed_behind):
    """Place -> the variables needed before it, for places of which `needed_behind(at)` tells what other places need.

    Exceptions inside of the places are followed; `needed_behind` is asked for each edge that leaves them.
    """
    inside = frozenset(places)
    found = dict.fromkeys(places, _NONE)
    order = sorted(places, reverse=True)
    changed = True
    while changed:
        changed = False
        for at in order:
            behind = _NONE
            for other in program.successors[at]:
                behind |= found[other] if other in inside else needed_behind(other)
            needed = (behind - writes(program, at)) | reads(program, at)
            handler = program.handler[at]
            if handler is not None:
                needed |= found[handler] if handler in inside else needed_behind(handler)
            if needed != found[at]:
                found[at] = needed
                changed = True
    return found


_NONE: frozenset = frozenset()
_FIRST = frozenset((0,))
_READING = frozenset(
    (
        *("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF"),
        *("LOAD_CLOSURE",),
    )
)
_WRITING = frozenset(("STORE_FAST", "DELETE_FAST", "LOAD_FAST_AND_CLEAR"))
