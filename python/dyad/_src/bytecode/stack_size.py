"""Computes the stack size of a code object."""

import dis


def stack_size(ops, names):
    """The greatest depth of the stack in any run through the ops, which are called `names` in this Python."""
    place = {op: at for at, op in enumerate(ops)}
    # A generator starts with a value on its stack, which its first instructions pop.
    first = int("RETURN_GENERATOR" in names)
    depth_at = {0: first}
    waiting = [0]
    greatest = first

    def reach(at, depth):
        nonlocal greatest
        greatest = max(greatest, depth)
        if depth > depth_at.get(at, -1):
            depth_at[at] = depth
            waiting.append(at)

    while waiting:
        at = waiting.pop()
        op, depth = ops[at], depth_at[at]
        if op.handler is not None:
            reach(place[op.handler.target], op.handler.depth + op.handler.keeps_place + 1)
        if op.target is not None:
            reach(place[op.target], depth + _effect(names[at], op.arg, jump=True))
        if goes_on(op):
            reach(at + 1, depth + _effect(names[at], op.arg, jump=False))
    return greatest


def goes_on(op):
    """Returns whether execution may continue with the next op."""
    return op.name not in _LEAVING


_LEAVING = frozenset(
    (
        *("JUMP", "JUMP_NO_INTERRUPT", "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"),
        *("INTERPRETER_EXIT",),
    )
)


def _effect(name, argument, jump):
    number = dis.opmap[name]
    takes_argument = number >= dis.HAVE_ARGUMENT if not hasattr(dis, "hasarg") else number in dis.hasarg
    return dis.stack_effect(number, (argument or 0) if takes_argument else None, jump=jump)
