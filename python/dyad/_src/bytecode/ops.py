"""Instructions on their way into a new code object: jumps and handlers lead to other ones, not to numbers."""

from typing import NamedTuple

from dyad._src.bytecode.instructions import instructions_of
from dyad._src.bytecode.minors import facts


class Goes(NamedTuple):
    """Target of an exception: the Op there, and the stack at that point, as in `instructions.Handler`."""

    target: object
    depth: int
    keeps_place: bool


class Op:
    """One instruction to be assembled. `target` is the Op that a jump leads to, `handler` a Goes or None.

    Jumps have names without a direction: `JUMP`, `JUMP_NO_INTERRUPT`, `POP_JUMP_IF_TRUE`. `origin` is the original
    Instruction, if any; `position` is None if no line of the program belongs to it.
    """

    __slots__ = ("arg", "handler", "name", "origin", "position", "target")

    def __init__(self, name, arg=None, *, target=None, position=None, handler=None, origin=None):
        self.name = name
        self.arg = arg
        self.target = target
        self.position = position
        self.handler = handler
        self.origin = origin

    def __repr__(self):
        number = "new" if self.origin is None else self.origin.number
        return f"<{number} {self.name}{'' if self.arg is None else f' {self.arg}'}>"

    def copy(self):
        """A copy with the same target."""
        return Op(
            self.name,
            self.arg,
            target=self.target,
            position=self.position,
            handler=self.handler,
            origin=self.origin,
        )


def ops_of(code):
    """The Ops of a code object, one for each of its instructions."""
    instructions = instructions_of(code)
    without_direction = _without_direction()
    made = [
        Op(
            without_direction.get(each.name, each.name),
            each.arg,
            position=each.position if each.has_place else None,
            origin=each,
        )
        for each in instructions.all
    ]
    for op, each in zip(made, instructions.all, strict=True):
        if each.target is not None:
            op.target = made[each.target]
    for handler in instructions.handlers:
        goes = Goes(made[handler.target], handler.depth, handler.keeps_place)
        for op in made[handler.first : handler.last + 1]:
            op.handler = goes
    return made


def _without_direction():
    names = dict.fromkeys(("JUMP_FORWARD", "JUMP_BACKWARD"), "JUMP")
    names["JUMP_BACKWARD_NO_INTERRUPT"] = "JUMP_NO_INTERRUPT"
    for name, (forward, backward, _) in facts().CONDITIONAL_JUMPS.items():
        names[forward] = names[backward or forward] = name
    return names
